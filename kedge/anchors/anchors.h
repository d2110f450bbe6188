#pragma once

// AnchorIndex: which training row answers a query.
//
// For a query x and anchor i, the distance of i is min over the pool of ||(x - x_i) - d||: how far the
// difference is from one that was seen in training. The pool is a set of training pairs. The search is exact;
// among equal distances the lowest training row wins, then the pair that stands first in the pool. The rule
// `neighbour` alone asks for no difference: its distance is that between query and row. A choice is a pure
// function of (index, point): where a rule draws at random, the draw is keyed by the point itself.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kedge/anchors/difference_index.h"
#include "kedge/core/matrix.h"
#include "kedge/pairs/sampler.h"
#include "kedge/space/space.h"

namespace kedge {

enum class AnchorRule {
  none,        ///< no search: for models that read no anchor
  nearest,     ///< the anchor of least distance (the released code)
  radius,      ///< uniform over anchors within a radius, or at the least distance if none is (the paper)
  percentile,  ///< uniform over the closest percentage of anchors
  many,        ///< the closest `count` anchors, whose predictions are averaged
  neighbour,   ///< the row nearest to the query itself, whatever differences were seen; its analog is itself
  weight,      ///< the closest `count` anchors of those of greatest weight, whose predictions are averaged
  weight_greatest,  ///< the one of greatest weight (the paper's experiments)
  weight_sample,    ///< one drawn in proportion to its weight (the paper's algorithm 2)
};

/// Whether a rule goes by learned weights, which not every model has.
inline bool goes_by_weight(AnchorRule rule) {
  return rule == AnchorRule::weight || rule == AnchorRule::weight_greatest ||
         rule == AnchorRule::weight_sample;
}

struct AnchorOptions {
  AnchorRule rule = AnchorRule::nearest;
  double radius = 0;  ///< in units of the metric; 0 means the least distance itself
  double percentile = 10;
  size_t count = 20;
};

/// Reads "nearest", "radius", "radius=0.5", "percentile=10", "many=20", "neighbour", "weight", "weight=20",
/// "weight=greatest", "weight=sample", "none". Throws Error.
AnchorOptions parse_anchors(const std::string& text);
std::string to_text(const AnchorOptions& options);

/// Throws Error when the number of the rule is out of its range.
void check(const AnchorOptions& options);

struct AnchorMatch {
  uint32_t anchor = 0;  ///< training row
  Pair analog;          ///< the training pair whose difference is nearest to query - anchor
  double distance = 0;
};

/// Names the random draw of a query by its content alone.
uint64_t content_key(std::span<const double> point);

class AnchorIndex {
 public:
  AnchorIndex() = default;
  /// `points` are the training points, `scale` the metric's, `pool` at least one pair.
  AnchorIndex(Space space, Matrix<double> points, std::vector<double> scale, std::vector<Pair> pool);

  const Matrix<double>& points() const { return index_.pool().points; }
  const std::vector<Pair>& pool() const { return index_.pool().pairs; }
  const DifferencePool& differences() const { return index_.pool(); }

  /// The anchors that answer this point under a rule, best first; never empty unless the rule is `none`.
  /// Throws Error when the rule's number is out of its range, or when it goes by weight: see
  /// kedge/anchors/weighted_anchors.h.
  std::vector<AnchorMatch> find(std::span<const double> point, const AnchorOptions& options) const;

  /// An anchor with its nearest difference, by going through the whole pool.
  AnchorMatch match(std::span<const double> point, size_t anchor) const;

  /// Every anchor with its nearest difference, by training row, found by going through the whole pool: what
  /// `find` is held to.
  std::vector<AnchorMatch> match_all(std::span<const double> point) const;

 private:
  AnchorMatch match_of(const NearestDifference& found) const;
  AnchorMatch neighbour_of(std::span<const double> point) const;

  DifferenceIndex index_;
};

}  // namespace kedge
