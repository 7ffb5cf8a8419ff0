// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "parmac/core/coordinate_step.hpp"
#include "parmac/models/affinity_hash/affinities.hpp"
#include "parmac/models/affinity_hash/model.hpp"

namespace parmac {

/// Settings of the Z step of affinity-based hashing.
struct AffinitySettings {
  double different = -1; ///< y_nm of two classes; -1 wants opposite codes, 0 unrelated ones.
  int sweeps = 3;        ///< Visits of every point in a Z step at most, >= 1.

  /// @throws ConfigError
  void validate() const {
    require(std::isfinite(different) && different >= -1 && different < 1, "different is ",
            different, "; it must be from -1 to below 1");
    require(sweeps >= 1, "sweeps is ", sweeps, "; it must be at least 1");
  }
};

/// The Z step of affinity-based hashing. Minimises, over the codes of this machine's points,
///   sum_n mean_m (b_n'b_m / L - y_nm)^2 + mu sum_n Ham(z_n, h(x_n)),
/// b being z as -1 and +1 and n, m running over the points of this machine: affinities between
/// machines would need all codes on each of them, so P machines see a P-th of the pairs. The points
/// interact: each in turn gives its bits, one after the other, their better value given all other
/// codes, until none wants to change. The objective falls with every flip. O(N L^2) a sweep; the
/// order is that of the points, so there are no threads. Models CoordinateStep.
class AffinityCoordinates {
public:
  /// @throws ConfigError
  explicit AffinityCoordinates(AffinitySettings settings = {}) : settings_(settings) {
    settings.validate();
  }

  /// @throws ShapeError when model and shard do not match.
  CoordinateReport update(const AffinityHash& model, AffinityShard& shard, double mu) const {
    require_matching(model, shard);
    require(mu >= 0 && std::isfinite(mu), "mu is ", mu, "; it must be finite and not negative");
    const PackedCodes H = model.encode(shard.points);
    const PackedCodes before = shard.Z;
    Affinities affinities = count(shard, shard.Z);
    CoordinateReport report;
    report.before = affinities.objective() + mu * differing_bits(H, shard.Z);

    for (int sweep = 0; sweep < settings_.sweeps; ++sweep)
      if (!visit_all(affinities, H, shard, mu)) break;

    report.violation = differing_bits(H, shard.Z);
    report.objective = affinities.objective() + mu * report.violation;
    report.nested = count(shard, H).objective();
    report.changed = count_changed(before, shard.Z);
    return report;
  }

  /// Z = h(X). @throws ShapeError
  CoordinateReport project(const AffinityHash& model, AffinityShard& shard) const {
    require_matching(model, shard);
    const PackedCodes H = model.encode(shard.points);
    CoordinateReport report;
    report.before = count(shard, shard.Z).objective();
    report.changed = count_changed(shard.Z, H);
    shard.Z = H;
    report.nested = report.objective = count(shard, H).objective();
    return report;
  }

private:
  using Code = Affinities::Code;

  static void require_matching(const AffinityHash& model, const AffinityShard& shard) {
    model.scaling().require_dimension(shard.points);
    require<ShapeError>(shard.Z.bits() == model.bits(), "the coordinates have ", shard.Z.bits(),
                        " bits, the model ", model.bits());
    require<ShapeError>(shard.size() <= std::numeric_limits<int>::max() / model.bits(),
                        "a machine holds ", shard.size(), " points of ", model.bits(),
                        " bits; their product must be below 2^31");
  }

  static Code code(const PackedCodes& codes, Index n) {
    Code b(codes.bits());
    for (Index l = 0; l < b.size(); ++l) b(l) = codes.get(n, l) ? 1 : -1;
    return b;
  }

  Affinities count(const AffinityShard& shard, const PackedCodes& codes) const {
    Affinities affinities(codes.bits(), settings_.different);
    for (Index n = 0; n < codes.size(); ++n)
      affinities.add(code(codes, n), shard.labels[static_cast<std::size_t>(n)]);
    return affinities;
  }

  // Gives every point in turn its better bits; whether any changed.
  static bool visit_all(Affinities& affinities, const PackedCodes& H, AffinityShard& shard,
                        double mu) {
    bool any = false;
    Code total = affinities.total();
    for (Index n = 0; n < shard.size(); ++n) {
      const std::uint8_t label = shard.labels[static_cast<std::size_t>(n)];
      Code b = code(shard.Z, n);
      const Code h = code(H, n);
      affinities.add(b, label, -1);
      total -= b;
      bool changed = false;
      Index content = 0; // bits in a row that want to stay
      for (Index l = 0; content < b.size(); l = l + 1 < b.size() ? l + 1 : 0) {
        const double change = affinities.change(b, label, l, total) + (b(l) == h(l) ? mu : -mu);
        // Only by more than rounding, so that the walk ends.
        if (change < -1e-12 * (1 + mu)) {
          b(l) = -b(l);
          changed = true;
          content = 1;
        } else {
          ++content;
        }
      }
      affinities.add(b, label);
      total += b;
      if (changed)
        for (Index l = 0; l < b.size(); ++l) shard.Z.set(n, l, b(l) > 0);
      any = any || changed;
    }
    return any;
  }

  static double differing_bits(const PackedCodes& H, const PackedCodes& Z) {
    double differing = 0;
    for (Index n = 0; n < Z.size(); ++n)
      for (Index l = 0; l < Z.bits(); ++l) differing += H.get(n, l) != Z.get(n, l) ? 1.0 : 0.0;
    return differing;
  }

  static double count_changed(const PackedCodes& before, const PackedCodes& after) {
    double changed = 0;
    for (Index n = 0; n < after.size(); ++n) {
      bool same = true;
      for (Index l = 0; l < after.bits() && same; ++l) same = before.get(n, l) == after.get(n, l);
      changed += same ? 0.0 : 1.0;
    }
    return changed;
  }

  AffinitySettings settings_;
};
static_assert(CoordinateStep<AffinityCoordinates, AffinityHash>);

} // namespace parmac
