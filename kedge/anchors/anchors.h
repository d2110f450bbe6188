#pragma once

// AnchorIndex: finds the training rows (anchors) that a query is predicted from.
//
// The pool is a set of training pairs. Each pair has a difference d. For a query x, the distance of training
// row i is the least ||(x - x_i) - d|| over the pool: it tells how far x - x_i is from a difference that was
// seen in training. The search is exact. Among equal distances the lowest training row wins, then the first
// pair of the pool. The rules `neighbour`, `near` and `all` are the exception: their distance is that between
// query and row, and they do not use the pool.
//
// Of a large table some rows only may serve as anchors (spread_rows.h). The rules that do not use the pool
// look at all.
//
// Some rules go by weight: the caller passes one weight in [0, 1] for each training row.
//   weight           keeps the rows with at least `trusted_share` of the greatest weight and takes the
//                    closest of these. Smaller differences of weights are noise of the network that made
//                    them.
//   weight_greatest  takes the row of greatest weight; of several, the closest.
//   weight_sample    draws one row in proportion to its weight.
// Where every weight is 0, they take the closest rows, as the rule `many` does.
//
// The result depends on the index, the point, the options and the weights only. Rules that draw at random
// take their random numbers from the point itself.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kedge/anchors/difference_index.h"
#include "kedge/anchors/row_index.h"
#include "kedge/core/matrix.h"
#include "kedge/pairs/sampler.h"
#include "kedge/space/space.h"

namespace kedge {

enum class AnchorRule {
  none,             ///< no search: for models that read no anchor
  given,            ///< no search: the caller names the anchor of each query (demonstrations do)
  nearest,          ///< the anchor of least distance (the released code)
  radius,           ///< uniform over anchors within a radius, or at the least distance if none is (the paper)
  percentile,       ///< uniform over the closest percentage of anchors
  many,             ///< the closest `count` anchors, whose predictions are averaged
  neighbour,        ///< the row nearest to the query itself; its analog is the pair of that row with itself
  near,             ///< the `count` rows nearest to the query itself, whose predictions are averaged
  all,              ///< all rows, or `count` of them drawn once for all queries
  weight,           ///< the closest `count` anchors of almost greatest weight, whose predictions are averaged
  weight_greatest,  ///< the one of greatest weight (the paper's experiments)
  weight_sample,    ///< one drawn in proportion to its weight (the paper's algorithm 2)
};

/// Whether a rule goes by differences that were seen, not by the rows themselves.
inline bool goes_by_difference(AnchorRule rule) {
  return rule != AnchorRule::none && rule != AnchorRule::neighbour && rule != AnchorRule::near &&
         rule != AnchorRule::all;
}

/// Whether a rule takes `count` anchors.
inline bool takes_count(AnchorRule rule) {
  return rule == AnchorRule::many || rule == AnchorRule::near || rule == AnchorRule::all ||
         rule == AnchorRule::weight;
}

/// Whether a rule needs weights of training rows.
inline bool goes_by_weight(AnchorRule rule) {
  return rule == AnchorRule::weight || rule == AnchorRule::weight_greatest ||
         rule == AnchorRule::weight_sample;
}

/// Whether a rule finds anchors by distances alone: no weights, and nothing that the caller says.
inline bool goes_by_distance(AnchorRule rule) {
  return rule != AnchorRule::none && rule != AnchorRule::given && !goes_by_weight(rule);
}

/// The rule `weight` keeps rows with at least this share of the greatest weight.
inline constexpr float trusted_share = 0.8f;

struct AnchorOptions {
  AnchorRule rule = AnchorRule::nearest;
  double radius = 0;  ///< in units of the metric; 0 means the least distance itself
  double percentile = 10;
  /// Where there are fewer training rows, all of them.
  size_t count = 20;
  static constexpr size_t most_count = 1'000'000;
};

/// Reads "nearest", "radius", "radius=0.5", "percentile=10", "many=20", "neighbour", "near=5", "all=200",
/// "weight", "weight=20", "weight=greatest", "weight=sample", "given", "none". Throws Error.
AnchorOptions parse_anchors(const std::string& text);
std::string to_text(const AnchorOptions& options);

/// Throws Error when the number of the rule is out of its range.
void check(const AnchorOptions& options);

struct AnchorMatch {
  uint32_t anchor = 0;  ///< training row
  Pair analog;          ///< the training pair whose difference is nearest to query - anchor
  double distance = 0;
};

/// The key of the random numbers of a query, computed from its coordinates.
uint64_t content_key(std::span<const double> point);

class AnchorIndex {
 public:
  AnchorIndex() = default;
  /// `points` are the training points, `scale` the metric's, `pool` at least one pair.
  AnchorIndex(Space space, Matrix<double> points, std::vector<double> scale, std::vector<Pair> pool)
      : AnchorIndex(DifferencePool{std::move(space), std::move(points), std::move(scale), std::move(pool)}) {}
  explicit AnchorIndex(DifferencePool pool) : index_(std::move(pool)) {}

  const Matrix<double>& points() const { return index_.pool().points; }
  const std::vector<Pair>& pool() const { return index_.pool().pairs; }
  const DifferencePool& differences() const { return index_.pool(); }
  /// Of the training points.
  const RowIndex& rows() const { return rows_; }

  /// The anchors that a rule takes for this point, best first. Empty for the rules `none` and `given` only.
  /// `row_weights` has one weight for each training row, 0 for those that may not serve; rules that do not go
  /// by weight ignore it.
  /// Throws Error when the rule's number is out of its range, or when it needs weights and gets none.
  std::vector<AnchorMatch> find(std::span<const double> point, const AnchorOptions& options,
                                std::span<const float> row_weights = {}) const;

  /// The same for each row of `points`, by a rule that does not go by weight. Many together cost less than
  /// each alone.
  std::vector<std::vector<AnchorMatch>> find_all(MatrixView<const double> points,
                                                 const AnchorOptions& options,
                                                 const StopCheck& stop_check = {}) const;

  /// One anchor with its nearest difference. Compares with the whole pool.
  AnchorMatch match(std::span<const double> point, size_t anchor) const;

  /// Every anchor with its nearest difference, in the order of training rows. Compares with the whole pool;
  /// tests compare `find` with it.
  std::vector<AnchorMatch> match_all(std::span<const double> point) const;

 private:
  AnchorMatch match_of(const NearestDifference& found) const;
  std::vector<std::vector<AnchorMatch>> nearest_rows(MatrixView<const double> points, size_t count) const;
  std::vector<AnchorMatch> by_distance(std::span<const double> point, std::span<const uint32_t> rows) const;

  // The rules that go by weight (weight_rules.cpp).
  std::vector<AnchorMatch> find_by_weight(std::span<const double> point, const AnchorOptions& options,
                                          std::span<const float> weights) const;
  std::vector<AnchorMatch> closest_trusted(std::span<const double> point, std::span<const float> weights,
                                           float least, size_t count) const;
  AnchorMatch drawn_by_weight(std::span<const double> point, std::span<const float> weights,
                              double total) const;

  DifferenceIndex index_;
  RowIndex rows_;
};

}  // namespace kedge
