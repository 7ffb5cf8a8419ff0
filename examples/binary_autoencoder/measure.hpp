// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "parmac/models/binary_autoencoder.hpp"
#include "parmac/mpi.hpp"

/// How well codes find the true neighbours, measured by all ranks together: each ranks the rows of
/// its own share of the base, and the counts add up to what one rank would find.
class Measure {
public:
  /// @param truth k x Q row numbers in the whole base, nearest first.
  Measure(parmac::MpiRing& ring, const parmac::Points& base, const parmac::Points& queries,
          parmac::IndexMatrix truth, int threads)
      : ring_(ring), base_(base), queries_(queries), truth_(std::move(truth)), threads_(threads) {}

  struct Result {
    std::vector<parmac::RankCounts> ranks; ///< Of each query's nearest neighbour.
    double precision = 0;                  ///< precision@k with k true neighbours.
  };

  [[nodiscard]] Result operator()(const parmac::BinaryAutoencoder& model) const {
    using parmac::Index;
    const parmac::PackedCodes share = model.encode(base_, threads_);
    const parmac::PackedCodes queries = model.encode(queries_, threads_);
    const parmac::SearchOptions options{.threads = threads_, .first_row = base_.first()};

    // The code of every query's true neighbour, which one of the ranks has.
    const Index Q = queries.size();
    std::vector<Index> nearest;
    for (Index q = 0; q < Q; ++q) nearest.push_back(truth_(0, q));
    std::vector<double> bytes(static_cast<std::size_t>(Q * queries.row_bytes()), 0.0);
    for (Index q = 0; q < Q; ++q) {
      const Index here = nearest[static_cast<std::size_t>(q)] - base_.first();
      if (here < 0 || here >= share.size()) continue;
      const auto row = share.row(here);
      std::copy(row.begin(), row.end(), bytes.begin() + q * queries.row_bytes());
    }
    ring_.all_sum(bytes);
    const parmac::PackedCodes neighbours(model.bits(), Q,
                                         std::vector<std::uint8_t>(bytes.begin(), bytes.end()));

    Result result;
    result.ranks = parmac::rank_of_neighbour(share, queries, neighbours, nearest, options);
    std::vector<double> counts;
    for (const parmac::RankCounts& c : result.ranks)
      for (const Index n : {c.nearer, c.ties_before, c.ties})
        counts.push_back(static_cast<double>(n));
    ring_.all_sum(counts);
    for (std::size_t q = 0; q < result.ranks.size(); ++q)
      result.ranks[q] = {static_cast<Index>(counts[3 * q]), static_cast<Index>(counts[3 * q + 1]),
                         static_cast<Index>(counts[3 * q + 2])};

    const Index k = truth_.rows();
    const auto retrieved = merged(parmac::hamming_search(share, queries, k, options), k);
    result.precision = parmac::precision(retrieved.rows, truth_);
    return result;
  }

  /// The exact neighbours by Euclidean distance, each rank searching its share of the base.
  [[nodiscard]] static parmac::IndexMatrix truth(parmac::MpiRing& ring, const parmac::Points& base,
                                                 const parmac::Points& queries, parmac::Index k,
                                                 int threads) {
    Eigen::MatrixXf Q(queries.dimension(), queries.size());
    queries.load(0, Q);
    const Measure self(ring, base, queries, {}, threads);
    return self
        .merged(
            parmac::nearest_neighbours(base, Q, k, {.threads = threads, .first_row = base.first()}),
            k)
        .rows;
  }

private:
  // What all ranks found in their shares, joined to the k that a search in the whole base finds.
  template <class Distance>
  parmac::Neighbours<Distance> merged(const parmac::Neighbours<Distance>& mine,
                                      parmac::Index k) const {
    const auto append = [](std::string& words, const auto& matrix) {
      words.append(reinterpret_cast<const char*>(matrix.data()),
                   static_cast<std::size_t>(matrix.size()) * sizeof(*matrix.data()));
    };
    std::string words;
    append(words, mine.rows);
    append(words, mine.distances);
    std::vector<parmac::Neighbours<Distance>> shares;
    for (const std::string& all : ring_.all_gather(words)) {
      parmac::Neighbours<Distance> share;
      const auto pairs =
          static_cast<parmac::Index>(all.size() / (sizeof(parmac::Index) + sizeof(Distance)));
      const parmac::Index found = pairs / mine.rows.cols();
      share.rows.resize(found, mine.rows.cols());
      share.distances.resize(found, mine.rows.cols());
      const auto half = static_cast<std::size_t>(pairs) * sizeof(parmac::Index);
      if (found > 0) { // memory of nothing may have no address
        std::memcpy(share.rows.data(), all.data(), half);
        std::memcpy(share.distances.data(), all.data() + half, all.size() - half);
      }
      shares.push_back(std::move(share));
    }
    return parmac::merge_neighbours(std::span<const parmac::Neighbours<Distance>>(shares), k);
  }

  parmac::MpiRing& ring_;
  const parmac::Points& base_;
  const parmac::Points& queries_;
  parmac::IndexMatrix truth_;
  int threads_;
};
