#pragma once

// Support: the ranges of training rows and training differences, and how close together they lie.
//
// The thresholds of a verdict come from here, by these formulas (distances are those of the metric: a column
// counts in units of its deviation):
//
//   support_radius  the usual spacing of training rows: of each the distance to the nearest row that differs
//   delta_radius    the larger of support_radius and the usual spacing of training differences: of fresh
//   pairs
//                   the distance from their difference to the nearest one of the pool, pairs with the same
//                   query row left out
//
// where a usual spacing is the 99th percentile, but at most 10 medians, measured on up to 300 rows and pairs.
// With fewer than 10 different rows both are NaN: nothing can be told.

#include <cstdint>
#include <span>
#include <vector>

#include "kedge/anchors/anchors.h"
#include "kedge/anchors/difference_pool.h"
#include "kedge/anchors/row_index.h"
#include "kedge/coverage/seen_ranges.h"
#include "kedge/coverage/verdict.h"
#include "kedge/pairs/sampler.h"

namespace kedge {

class Support {
 public:
  Support() = default;
  /// Measures the thresholds. `rows` is an index of the pool's points that others may share.
  Support(const DifferencePool& pool, const PairSampler& sampler, uint64_t seed, RowIndex rows = {},
          const StopCheck& stop_check = {});
  /// With stored ones. `delta_quantiles` rise, from the 0th to the 100th percentile; empty when unknown.
  Support(const DifferencePool& pool, Thresholds thresholds, std::vector<double> delta_quantiles,
          RowIndex rows = {});

  const Thresholds& thresholds() const { return thresholds_; }
  /// Of the distance of a fresh training difference to the pool.
  const std::vector<double>& delta_quantiles() const { return delta_quantiles_; }

  /// How many percent of training differences are nearer to the pool than this; NaN when unknown.
  double delta_percentile(double distance) const;

  // `pool` is the one this was made of.

  /// Distance of the point to its nearest training row.
  double distance(const DifferencePool& pool, std::span<const double> point) const;
  /// The same for each row of `points`.
  std::vector<double> distances(const DifferencePool& pool, MatrixView<const double> points,
                                ThreadPool& threads) const;

  /// Where the point lies, given its `distance` and anchors with their differences.
  Position locate(const DifferencePool& pool, std::span<const double> point, double distance,
                  std::span<const AnchorMatch> matches, const Thresholds& thresholds) const;

  /// Why a point that is no interpolation is none: the columns that put it outside or, where no single one
  /// does and the distance tells, their combination.
  std::vector<Departure> departures(std::span<const double> point, double distance,
                                    const Thresholds& thresholds) const;

 private:
  RowIndex rows_;
  Thresholds thresholds_;
  std::vector<double> delta_quantiles_;
  SeenRanges ranges_;
};

}  // namespace kedge
