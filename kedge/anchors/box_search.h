#pragma once

// BoxSearch: sixteen targets that search a BoxTree at the same time.
//
// Each target has a limit: a squared distance, beyond which it wants no point. Whoever searches says what the
// limit is and looks at each point within it, and may lower the limit by that. Law: after `visit` of the root
// every point within the last limit of a target was looked at for it, unless the search was given up.

#include <array>
#include <limits>
#include <vector>

#include "kedge/anchors/box_tree.h"

namespace kedge {

/// The squared distance between projections that points within `distance` keep to, by the law of
/// PrincipalAxes.
float projected_limit(double distance, double slack);

/// With more slack than this, squares of single precision could overflow.
inline constexpr double greatest_slack = 1e6;

class BoxSearch {
 public:
  virtual ~BoxSearch() = default;

 protected:
  static constexpr size_t width = search_width;

  explicit BoxSearch(const BoxTree& tree);

  virtual float limit(uint32_t lane) const = 0;
  /// At a row of the tree that is within the limit of a target.
  virtual void look(uint32_t lane, uint32_t row) = 0;

  /// Number k of target i is at targets()[16 k + i].
  float* targets() { return targets_.data(); }
  /// To be called after the targets were written, before anything below.
  void finish_targets(uint32_t lanes);
  void refresh_limits();
  const std::array<float, width>& limits() const { return limits_; }

  /// Goes from the root to one leaf, at each node to the child whose box is nearest. Looks at the nearest
  /// point of that leaf and returns its projected distance, squared.
  float descend(uint32_t lane);
  void visit(size_t level, size_t node, uint32_t alive);

  /// Vector operations so far. A search that reaches `most_work` is given up.
  double work_ = 0, most_work_ = std::numeric_limits<double>::infinity();

 private:
  void visit_leaves(size_t node, uint32_t alive);
  void look_at(uint32_t lane, size_t leaf, const SearchHit& hit);
  SearchBoxes boxes(size_t level, size_t node) const;

  const BoxTree& tree_;
  AlignedVector<float> targets_;  // [axis][16], then the length of the other axes
  std::array<float, width> limits_{};
  std::vector<SearchHit> hits_;
};

}  // namespace kedge
