// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// What the comparisons share: two pieces of work timed side by side, and a line for what came out.

namespace parmac::benchmarks {

/// Seconds that `work` takes.
template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

[[nodiscard]] inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Two pieces of work, timed in turn so that what else the machine does meets both.
struct SideBySide {
  double ours = 0;   ///< median seconds
  double theirs = 0; ///< median seconds
  double ratio = 0;  ///< median over the pairs of theirs / ours: how many times faster ours is
};

template <class Ours, class Theirs>
SideBySide side_by_side(int runs, Ours&& ours, Theirs&& theirs) {
  std::vector<double> our_times;
  std::vector<double> their_times;
  std::vector<double> ratios;
  ours(); // memory and caches are warm for both
  theirs();
  for (int run = 0; run < runs; ++run) {
    our_times.push_back(seconds(ours));
    their_times.push_back(seconds(theirs));
    ratios.push_back(their_times.back() / our_times.back());
  }
  return {median(our_times), median(their_times), median(ratios)};
}

/// The lines of a comparison: name, ratio, bar, ok or short. Without a bar the line is information.
class Comparison {
public:
  /// A ratio that must be at least, or at most, `bar`.
  void at_least(const std::string& name, double ratio, double bar, const std::string& note = "") {
    line(name, ratio, ">= " + number(bar), ratio >= bar, note);
  }
  void at_most(const std::string& name, double ratio, double bar, const std::string& note = "") {
    line(name, ratio, "<= " + number(bar), ratio <= bar, note);
  }
  void tell(const std::string& name, double ratio, const std::string& note = "") {
    std::printf("%-58s %8.3g  %-9s %-5s %s\n", name.c_str(), ratio, "-", "-", note.c_str());
    std::fflush(stdout);
  }
  /// What main returns: 1 when a line fell short.
  [[nodiscard]] int status() const { return short_ > 0 ? 1 : 0; }

private:
  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
  }
  void line(const std::string& name, double ratio, const std::string& bar, bool reached,
            const std::string& note) {
    std::printf("%-58s %8.3g  %-9s %-5s %s\n", name.c_str(), ratio, bar.c_str(),
                reached ? "ok" : "short", note.c_str());
    std::fflush(stdout);
    if (!reached) ++short_;
  }

  int short_ = 0;
};

/// "1 thread", "2 threads".
[[nodiscard]] inline std::string in_threads(int threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

/// What the comparisons are told: `--quick` for the short form, `--costs` for a line of costs, and
/// where there is SIFT data.
struct Options {
  bool quick = false;
  bool costs = false;
  std::string data = PARMAC_BENCHMARK_DATA; ///< folder of sift_learn.bvecs and its like

  Options(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word == "--quick")
        quick = true;
      else if (word == "--costs")
        costs = true;
      else if (word == "--data" && i + 1 < argc)
        data = argv[++i];
      else {
        std::fprintf(stderr, "%s: what is %s? There are --quick, --costs, --data FOLDER\n", argv[0],
                     word.c_str());
        std::exit(2);
      }
    }
  }
};

} // namespace parmac::benchmarks
