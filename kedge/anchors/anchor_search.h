#pragma once

// AnchorSearch: the state of one search of a DifferenceIndex.
//
// An anchor is named by its place in the index's order of anchors. Sixteen anchors make a block. The search
// keeps for each anchor the nearest difference found so far, with its exact distance (`best_`). It also keeps
// one bound for all anchors: the distance of the last anchor that the result would hold. A difference farther
// than either of the two is skipped. Law: when the search has ended, each anchor whose nearest difference
// lies within the bound has that difference in `place_`.

#include <array>
#include <span>
#include <vector>

#include "kedge/anchors/box_search.h"
#include "kedge/anchors/difference_index.h"
#include "kedge/anchors/leaders.h"

namespace kedge {

class AnchorSearch : private BoxSearch {
 public:
  AnchorSearch(const DifferenceIndex& index, std::span<const double> point, size_t count, double radius);

  /// Whether the tree can tell anything of this point; otherwise everything has to be compared.
  bool can_project() const { return slack_ < greatest_slack; }
  /// The point along the axes; linear spaces only.
  std::span<const float> query() const { return query_; }

  /// Searches the tree until that has cost more than `cost` vector operations for each anchor. False when it
  /// was given up.
  bool search_tree(double cost);
  /// Afterwards: compares the anchors that were not searched with all differences.
  void scan_left();
  /// The same for every anchor that can be in the result. `nearest` has for each the squared distance of its
  /// nearest difference along axes that keep distances, wrong by at most `error`.
  void scan_near(std::span<const float> nearest, float error);

  /// Every anchor within the bound, in no order.
  std::vector<NearestDifference> result() const;

 private:
  float limit(uint32_t lane) const override { return limit_of(block_ * width + lane); }
  void look(uint32_t lane, uint32_t place) override {
    look_exactly(static_cast<uint32_t>(block_ * width + lane), place);
  }

  float limit_of(size_t anchor) const { return std::min(limit_, own_limit_[anchor]); }
  void load_block(size_t block, uint32_t lanes);
  uint32_t lanes_of(size_t block) const;
  void look_exactly(uint32_t anchor, uint32_t place);

  void search_everything();
  std::vector<uint32_t> seed();
  void open_block(size_t block);
  void visit_together(size_t level, size_t node);
  void load_target(uint32_t anchor, std::span<float> target) const;
  /// On so many leading axes first; 0: as many as are cheapest.
  void scan(std::span<const uint32_t> anchors, size_t scan_axes);

  const DifferencePool& pool_;
  const DifferenceIndex::Built& built_;
  std::span<const double> point_;
  size_t axes_, anchors_, blocks_;
  double radius_, slack_;
  std::vector<float> query_;      // projected to the axes; linear spaces only
  std::vector<double> best_;      // by anchor: squared distance of the nearest difference found so far
  std::vector<uint32_t> place_;   // by anchor: which difference that is
  std::vector<float> own_limit_;  // by anchor: the limit of its best distance
  Leaders leaders_;               // the least of best_
  double bound_;                  // the bound for all anchors, a distance
  float limit_;                   // the limit of that

  std::vector<uint32_t> left_;  // blocks that were not searched when the tree was given up

  // The block that is searched now.
  size_t block_ = 0;
  std::array<float, BoxTree::most_leading + 1> low_{}, high_{};  // by axis: range of the targets
  std::vector<double> delta_;
};

}  // namespace kedge
