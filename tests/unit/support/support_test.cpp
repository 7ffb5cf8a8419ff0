// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "expect.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/clock.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/little_endian.hpp"
#include "parmac/support/threads.hpp"

using namespace parmac;
using namespace parmac::tests;

TEST_CASE("narrow keeps what fits and refuses what does not, at the limits of int") {
  const std::int64_t most = std::numeric_limits<int>::max();
  const std::int64_t least = std::numeric_limits<int>::min();
  CHECK(narrow<int>(most) == std::numeric_limits<int>::max());
  CHECK(narrow<int>(most - 1) == std::numeric_limits<int>::max() - 1);
  CHECK(narrow<int>(least) == std::numeric_limits<int>::min());
  CHECK_THROWS_AS(narrow<int>(most + 1), ConfigError);
  CHECK_THROWS_AS(narrow<int>(least - 1), ConfigError);
  CHECK_THROWS_AS(narrow<int>(std::uint64_t{1} << 31), ConfigError);
  CHECK_THROWS_AS(narrow<int>(std::numeric_limits<std::uint64_t>::max()), ConfigError);
}

TEST_CASE("narrow refuses a change of sign") {
  CHECK_THROWS_AS(narrow<std::uint32_t>(-1), ConfigError);
  CHECK_THROWS_AS(narrow<std::size_t>(std::ptrdiff_t{-1}), ConfigError);
  CHECK_THROWS_AS(narrow<std::ptrdiff_t>(std::numeric_limits<std::size_t>::max()), ConfigError);
  CHECK(narrow<std::uint8_t>(255) == 255);
  CHECK_THROWS_AS(narrow<std::uint8_t>(256), ConfigError);
}

TEST_CASE("narrow says the number and the largest that fits") {
  const Outcome outcome = outcome_of([] { (void)narrow<int>(std::int64_t{2147483648}); });
  CHECK(contains(outcome.words, "2147483648"));
  CHECK(contains(outcome.words, "2147483647"));
}

TEST_CASE("Parallel parts cover every index once, whatever the number of threads") {
  for (const Index n : {0, 1, 2, 3, 7, 100, 1001})
    for (const int threads : {1, 2, 3, 4, 8, 200}) {
      std::vector<std::atomic<int>> times(static_cast<std::size_t>(n));
      std::atomic<int> empty = 0;
      parallel_for(n, threads, [&](Index first, Index last) {
        if (first >= last) ++empty;
        for (Index i = first; i < last; ++i) ++times[static_cast<std::size_t>(i)];
      });
      INFO(n << " on " << threads);
      CHECK(empty == 0);
      for (const auto& count : times)
        if (count != 1) FAIL_CHECK("some index was taken " << count << " times");
    }
}

TEST_CASE("Parallel parts are of nearly equal size, and the first runs on the calling thread") {
  std::vector<Index> sizes(4);
  std::vector<std::thread::id> ids(4);
  parallel_for(10, 4, [&](Index first, Index last) {
    const auto part = static_cast<std::size_t>(first / 2); // firsts are 0, 2, 5, 7
    sizes[std::min<std::size_t>(part, 3)] = last - first;
    ids[std::min<std::size_t>(part, 3)] = std::this_thread::get_id();
  });
  CHECK(ids[0] == std::this_thread::get_id());
  for (const Index size : sizes) CHECK((size == 2 || size == 3));
}

TEST_CASE("The exception of the lowest part that threw comes out, after all parts are done") {
  std::atomic<int> done = 0;
  const auto run = [&](int threads) {
    return outcome_of([&] {
      parallel_for(8, threads, [&](Index first, Index last) {
        done += static_cast<int>(last - first);
        if (last > 2) throw std::runtime_error(text("part at ", first));
      });
    });
  };
  CHECK(run(8).words == "part at 2");
  CHECK(done == 8);
  CHECK(run(4).words == "part at 2");
  CHECK(run(1).words == "part at 0");
}

TEST_CASE("Work on no threads is refused") {
  CHECK_THROWS_AS(parallel_for(5, 0, [](Index, Index) {}), ConfigError);
  CHECK_THROWS_AS(parallel_for(5, -2, [](Index, Index) {}), ConfigError);
}

namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

template <class T>
std::vector<std::byte> stored(T value) {
  std::vector<std::byte> out;
  append_little(out, value);
  return out;
}

} // namespace

TEST_CASE("Numbers are stored least significant byte first") {
  CHECK(stored<std::uint8_t>(0xAB) == bytes({0xAB}));
  CHECK(stored<std::uint16_t>(0x1234) == bytes({0x34, 0x12}));
  CHECK(stored<std::uint32_t>(0x12345678) == bytes({0x78, 0x56, 0x34, 0x12}));
  CHECK(stored<std::int32_t>(-2) == bytes({0xFE, 0xFF, 0xFF, 0xFF}));
  CHECK(stored<std::uint64_t>(1) == bytes({1, 0, 0, 0, 0, 0, 0, 0}));
  CHECK(stored(1.0F) == bytes({0, 0, 0x80, 0x3F})); // IEEE 754
  CHECK(stored(-2.0) == bytes({0, 0, 0, 0, 0, 0, 0, 0xC0}));
}

TEST_CASE("Numbers are appended, and read back at any alignment") {
  std::vector<std::byte> out = bytes({9});
  append_little<std::uint16_t>(out, 0x0102);
  append_little(out, 0.1);
  CHECK(out.size() == 11);
  CHECK(load_little<std::uint16_t>(out.data() + 1) == 0x0102);
  CHECK(load_little<double>(out.data() + 3) == 0.1);
  CHECK(load_little<std::uint32_t>(bytes({0x78, 0x56, 0x34, 0x12}).data()) == 0x12345678);
}

namespace {

struct CommaPoint : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

class GlobalLocale {
public:
  explicit GlobalLocale(const std::locale& locale) : before_(std::locale::global(locale)) {}
  GlobalLocale(const GlobalLocale&) = delete;
  GlobalLocale& operator=(const GlobalLocale&) = delete;
  ~GlobalLocale() { std::locale::global(before_); }

private:
  std::locale before_;
};

} // namespace

TEST_CASE("Text is the same where the locale writes commas and groups digits") {
  const GlobalLocale comma(std::locale(std::locale::classic(), new CommaPoint));
  std::ostringstream out;
  out << 1234.5;
  REQUIRE(out.str() == "1.234,5"); // the locale is at work
  CHECK(text(1234.5, ' ', 1000000, ' ', std::size_t{12345}) == "1234.5 1000000 12345");
  CHECK(contains(outcome_of([] { (void)narrow<std::uint8_t>(123456); }).words, "123456"));
}

TEST_CASE("A requirement throws the error asked for, with its words, only when it does not hold") {
  CHECK_NOTHROW(require(true, "unused"));
  const Outcome config = outcome_of([] { require(false, "found ", 3, ", expected ", 4.5); });
  CHECK(config.type == "ConfigError");
  CHECK(config.words == "found 3, expected 4.5");
  CHECK_THROWS_AS(require<ShapeError>(false, "x"), ShapeError);
  CHECK_THROWS_AS(require<DataError>(false, "x"), Error); // the root catches all
}

TEST_CASE("A stopwatch goes forwards and starts again") {
  Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const double before = watch.seconds();
  CHECK(before >= 0.005);
  CHECK(watch.seconds() >= before);
  watch.restart();
  CHECK(watch.seconds() < before);
}
