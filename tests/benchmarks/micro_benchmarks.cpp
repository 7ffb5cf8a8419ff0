// SPDX-License-Identifier: BSL-1.0
// The pieces of a run, each alone, by Google Benchmark. Time is that of one thread; items are
// points (or comparisons, or bytes) a second.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <algorithm>
#include <string>

#include "parmac/data/open.hpp"
#include "parmac/models/binary_autoencoder.hpp"
#include "parmac/retrieval/hamming_search.hpp"
#include "parmac/ring/threads/thread_ring.hpp"
#include "parmac/train/trainer.hpp"
#include "training.hpp"

using namespace parmac;
using parmac::benchmarks::Training;

namespace {

const Points& learn() {
  static const Points points = [] {
    const Points all = open_points(std::string(PARMAC_BENCHMARK_DATA) + "/sift_learn.bvecs");
    return all.slice(0, std::min<Index>(all.size(), 10000));
  }();
  return points;
}

/// The W step of a range: `state.range(0)` submodels of one layer.
void encoder_range(benchmark::State& state) {
  Training training(learn(), 64);
  for (auto _ : state)
    training.model.train({0, static_cast<std::size_t>(state.range(0))}, training.shard, Visit{});
  state.SetItemsProcessed(state.iterations() * learn().size());
}
BENCHMARK(encoder_range)->Arg(1)->Arg(8)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);

void decoder_range(benchmark::State& state) {
  Training training(learn(), 64);
  const SubmodelRange range{64, 64 + static_cast<std::size_t>(state.range(0))};
  for (auto _ : state) {
    training.model.train(range, training.shard, Visit{});
    training.model.finish(range);
  }
  state.SetItemsProcessed(state.iterations() * learn().size());
}
BENCHMARK(decoder_range)->Arg(16)->Arg(128)->Unit(benchmark::kMillisecond);

void z_step(benchmark::State& state, BinaryMethod method) {
  Training training(learn(), state.range(0));
  training.iterate(2);
  BinaryCoordinates step({.method = method});
  const PackedCodes before = training.shard.Z;
  for (auto _ : state) {
    training.shard.Z = before;
    benchmark::DoNotOptimize(step.update(training.model, training.shard, training.mu));
  }
  state.SetItemsProcessed(state.iterations() * learn().size());
}
BENCHMARK_CAPTURE(z_step, exact, BinaryMethod::exact)
    ->Arg(8)
    ->Arg(16)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(z_step, alternating, BinaryMethod::alternating)
    ->Arg(16)
    ->Arg(64)
    ->Arg(128)
    ->Unit(benchmark::kMillisecond);

void first_codes(benchmark::State& state, BinaryStart kind) {
  for (auto _ : state) Training training(learn(), state.range(0), kind);
  state.SetItemsProcessed(state.iterations() * learn().size());
}
BENCHMARK_CAPTURE(first_codes, pca, BinaryStart::pca)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(first_codes, itq, BinaryStart::itq)->Arg(64)->Unit(benchmark::kMillisecond);

void search(benchmark::State& state) {
  const Training training(learn(), state.range(0));
  const PackedCodes& base = training.shard.Z;
  const PackedCodes queries = training.model.encode(learn().slice(0, 256));
  for (auto _ : state) benchmark::DoNotOptimize(hamming_search(base, queries, 100));
  state.SetItemsProcessed(state.iterations() * base.size() * queries.size());
}
BENCHMARK(search)->Arg(16)->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond);

/// A whole W step of two machines with next to no points: hops, and the work around them.
void hops(benchmark::State& state) {
  const Points few = learn().slice(0, 2);
  for (auto _ : state)
    run_threads(2, [&](ThreadRing& ring) {
      BinaryShard shard(few.slice(ring.rank(), 1), state.range(0));
      BinaryAutoencoder model(few.dimension(), state.range(0),
                              {.encoder_step = 0.1, .decoder_step = 0.1});
      BinaryCoordinates coordinates;
      Trainer trainer{model, coordinates, ring};
      trainer.fit(shard, {.max_iterations = 4, .final_fit = false});
    });
  state.SetItemsProcessed(state.iterations() * 4);
}
BENCHMARK(hops)->Arg(8)->Arg(64)->Unit(benchmark::kMicrosecond)->UseRealTime();

} // namespace

BENCHMARK_MAIN();
