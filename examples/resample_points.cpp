// SPDX-License-Identifier: BSL-1.0
//
// Makes a large bvecs file from a small one, to see how a program does at a size for which there is
// no data at hand: every point is one of the file's, drawn at random, with a whole number between
// -jitter and jitter added to each feature (and kept within 0 to 255). Run it as
//     resample_points examples/data/sift_learn.bvecs /tmp/large.bvecs --points 1000000
// The same seed gives the same file on any number of threads.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "parmac/data/gzip.hpp"
#include "parmac/data/open.hpp"
#include "parmac/support/output_file.hpp"
#include "parmac/support/random.hpp"
#include "parmac/support/threads.hpp"

using parmac::Index;

struct Options {
  std::string source, output;
  Index points = 0, jitter = 4;
  std::uint64_t seed = 1;
  int threads = 1;
};

/// Points that share a stream of random numbers, so that they never depend on the threads.
constexpr Index block_points = 4096;

/// The records of points first, first + 1, ...: as many as `records` holds.
void resample(const parmac::Points& source, const Options& options, Index first,
              std::span<std::byte> records) {
  const Index D = source.dimension();
  parmac::RandomStream random(options.seed, static_cast<std::uint64_t>(first / block_points));
  std::vector<std::byte> dimension;
  parmac::append_little(dimension, parmac::narrow<std::int32_t>(D));
  Eigen::VectorXf x(D);
  const auto noises = static_cast<std::uint64_t>(2 * options.jitter + 1);
  for (auto to = records.begin(); to != records.end();) {
    source.load(static_cast<Index>(random.below(static_cast<std::uint64_t>(source.size()))), x);
    to = std::copy(dimension.begin(), dimension.end(), to);
    for (Index d = 0; d < D; ++d, ++to) {
      const Index value = static_cast<Index>(x(d)) + static_cast<Index>(random.below(noises));
      *to = static_cast<std::byte>(std::clamp<Index>(value - options.jitter, 0, 255));
    }
  }
}

void run(const Options& options) {
  const parmac::Points source = parmac::open_points(options.source, {.inflate = parmac::gunzip});
  parmac::require<parmac::DataError>(
      source.scalar() == parmac::Scalar::uint8 && source.size() >= 1, options.source,
      " holds floats, or no point; a bvecs file is made from at least one point of bytes");
  const Index record = source.dimension() + 4;
  constexpr Index blocks_at_a_time = 64;
  std::vector<std::byte> records;
  parmac::OutputFile file(options.output);
  for (Index first = 0; first < options.points; first += blocks_at_a_time * block_points) {
    const Index count = std::min(blocks_at_a_time * block_points, options.points - first);
    records.resize(static_cast<std::size_t>(count * record));
    const Index blocks = (count - 1) / block_points + 1;
    parmac::parallel_for(blocks, options.threads, [&](Index begin, Index end) {
      for (Index block = begin; block < end; ++block) {
        const Index at = block * block_points;
        const Index some = std::min(block_points, count - at);
        resample(source, options, first + at,
                 std::span(records).subspan(static_cast<std::size_t>(at * record),
                                            static_cast<std::size_t>(some * record)));
      }
    });
    file.write(records);
  }
  file.commit();
  std::cout << options.points << " points of " << source.dimension() << " features in "
            << options.output << std::endl;
}

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Draws points from a file of bytes, with a little noise, into a bvecs file");
  app.add_option("source", options.source, "bvecs, idx or npy file of bytes, also .gz")->required();
  app.add_option("output", options.output, "bvecs file to write")->required();
  app.add_option("--points", options.points, "how many points to draw")
      ->required()
      ->check(CLI::PositiveNumber);
  app.add_option("--jitter", options.jitter, "largest change of a feature")
      ->check(CLI::Range(0, 255));
  app.add_option("--seed", options.seed, "of the random numbers");
  app.add_option("--threads", options.threads, "that draw")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const parmac::Error& error) {
    std::cerr << "resample_points: " << error.what() << std::endl;
    return 1;
  }
}
