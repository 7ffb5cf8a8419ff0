// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <fstream>
#include <functional>
#include <sys/resource.h>
#include <unistd.h>

#include "data_files.hpp"
#include "parmac/data/gzip.hpp"
#include "parmac/data/open.hpp"
#include "parmac/support/random.hpp"

using namespace parmac;
using namespace parmac::tests;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true; // which takes terabytes of addresses, and has limits of its own
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool sanitized = false;
#endif

/// Lets this process take no more than 64 MiB more than it has, as long as it lives.
class LittleMemory {
public:
  LittleMemory() {
    getrlimit(RLIMIT_AS, &before_);
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit less = before_;
    less.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{64} << 20);
    if (!sanitized) setrlimit(RLIMIT_AS, &less);
  }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;
  ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }

private:
  rlimit before_{};
};

/// A new file each time, as some file systems wait for the disk when one is overwritten.
std::filesystem::path write_anew(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::remove(path);
  write_bytes(path, bytes);
  return path;
}

/// How often the reader took a file, and how often it refused one.
struct Tally {
  int taken = 0;
  int refused = 0;
};

/// The file cut off after every byte, then with every byte changed in several ways, then with every
/// four bytes made an extreme number: read or refused by a DataError, nothing else.
Tally damage(const std::string& name, const std::string& good,
             const std::function<void(const std::filesystem::path&)>& read) {
  TemporaryFolder folder;
  Tally tally;
  const auto attempt = [&](const std::string& bytes) {
    try {
      read(write_anew(folder / name, bytes));
      ++tally.taken;
    } catch (const DataError& error) {
      if (!contains(error.what(), name)) throw Mismatch(error.what()); // the file is not named
      ++tally.refused;
    }
  };
  const LittleMemory limit;
  REQUIRE_NOTHROW(read(write_anew(folder / name, good)));
  REQUIRE_NOTHROW(attempt(good + "x"));
  for (std::size_t at = 0; at < good.size(); ++at) {
    INFO("byte " << at);
    REQUIRE_NOTHROW(attempt(good.substr(0, at)));
    for (const char bits :
         {'\x01', '\x02', '\x04', '\x08', '\x10', '\x20', '\x40', '\x80', '\xFF'}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ bits);
      REQUIRE_NOTHROW(attempt(bytes));
    }
    for (const std::uint32_t number :
         {0U, 1U, 0xFFFFFFFFU, 0x7FFFFFFFU, 0x80000000U, 0x40000000U}) {
      std::string bytes = good;
      bytes.replace(at, std::min<std::size_t>(4, good.size() - at), little(number), 0,
                    std::min<std::size_t>(4, good.size() - at));
      REQUIRE_NOTHROW(attempt(bytes));
    }
  }
  return tally;
}

/// Whatever opens has to be readable to the last feature, and no larger than the file.
void read_points(const std::filesystem::path& path) {
  const FileShape shape = describe(path, gunzip);
  for (Index part = 0; part < 2; ++part) {
    const Points points = open_points(path, {.part = part, .parts = 2, .inflate = gunzip});
    if (points.dimension() != shape.dimension || points.size() > shape.points)
      throw Mismatch("the part does not fit the file");
    const auto bytes = static_cast<Index>(std::filesystem::file_size(path));
    if (path.extension() != ".gz" && points.size() * points.dimension() > bytes)
      throw Mismatch("more features than bytes");
    (void)all_of(points);
  }
}

std::string five_points() {
  std::string bytes;
  for (int n = 0; n < 5; ++n) bytes += "abc";
  return bytes;
}

} // namespace

TEST_CASE("Damaged files of records are read or refused") {
  std::string f;
  std::string b;
  std::string i;
  for (int n = 0; n < 5; ++n) {
    f += record<float>({1.5F, 2.5F});
    b += record<char>({1, 2, 3});
    i += record<int>({n, 7});
  }
  const Tally fvecs = damage("x.fvecs", f, read_points);
  CHECK(fvecs.refused > 5 * 4 * 9); // every change of a header at least
  CHECK(fvecs.taken > 5 * 8 * 9);   // and no change of a value
  CHECK(damage("x.bvecs", b, read_points).refused > 5 * 4 * 9);
  const Tally ivecs = damage("x.ivecs", i, [](const auto& path) { (void)read_ivecs(path); });
  CHECK(ivecs.refused > 5 * 4 * 9);
  CHECK(ivecs.taken > 5 * 8 * 9);
}

TEST_CASE("Damaged npy files are read or refused") {
  const std::string head = "{'descr': '|u1', 'fortran_order': False, 'shape': (5, 3), }  \n";
  const Tally tally = damage("x.npy", npy(head, five_points()), read_points);
  CHECK(tally.refused > 50 * 9);
  CHECK(tally.taken >= 15 * 9);
  const std::string fortran = "{'descr':'|u1','fortran_order':True,'shape':(5,3)}";
  CHECK(damage("x.npy", npy(fortran, five_points(), 2), read_points).refused > 40 * 9);
}

TEST_CASE("Npy headers of random words are read or refused") {
  TemporaryFolder folder;
  RandomStream random(1);
  const std::vector<std::string> words{"{",
                                       "}",
                                       "'descr'",
                                       ":",
                                       ",",
                                       "'<f4'",
                                       "(",
                                       ")",
                                       "5",
                                       "3",
                                       "True",
                                       "L",
                                       "'",
                                       "\"",
                                       "'shape'",
                                       "'|u1'",
                                       "'fortran_order'",
                                       "False",
                                       " ",
                                       "99999999999999999999"};
  const std::vector<std::string> good{"{", "'descr'", ":", "'|u1'",   ",", "'fortran_order'",
                                      ":", "False",   ",", "'shape'", ":", "(",
                                      "5", ",",       "3", ")",       "}"};
  const LittleMemory limit;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> some = good;
    for (std::uint64_t changes = random.below(4); changes-- > 0 && !some.empty();) {
      const auto at = some.begin() + static_cast<std::ptrdiff_t>(random.below(some.size()));
      switch (random.below(3)) {
      case 0:
        some.erase(at);
        break;
      case 1:
        some.insert(at, words[random.below(words.size())]);
        break;
      default:
        *at = words[random.below(words.size())];
      }
    }
    std::string head;
    for (const std::string& word : some) head += word;
    INFO(head);
    try {
      read_points(write_anew(folder / "x.npy", npy(head, five_points())));
    } catch (const DataError&) {
    }
  }
}

TEST_CASE("Damaged idx files are read or refused") {
  const Tally tally = damage("x.idx", idx({5, 1, 3}, five_points()), read_points);
  CHECK(tally.refused > 12 * 9);
  CHECK(tally.taken >= 15 * 9);
  CHECK(damage("labels.idx", idx({15}, five_points()), [](const auto& path) {
          (void)read_idx_labels(InputFile(path));
        }).refused > 4 * 9);
}

TEST_CASE("Damaged gzip files are read or refused") {
  CHECK(damage("x.idx.gz", gzip(idx({5, 1, 3}, five_points())), read_points).refused > 20 * 9);
  CHECK(damage("x.bvecs.gz", gzip(record<char>({1, 2, 3}) + record<char>({1, 2, 3})), read_points)
            .refused > 20 * 9);
}
