#pragma once

// AnchorSearch: the state of one search of a DifferenceIndex.
//
// An anchor is named by its place in the index's order of anchors. Sixteen anchors make a block. The search
// keeps for each anchor the nearest difference found so far, with its exact distance (`best_`). It also keeps
// one bound for all anchors: the distance of the last anchor that the result would hold. A difference farther
// than either of the two is skipped. Law: after run(), each anchor whose nearest difference lies within the
// bound has that difference in `place_`.

#include <array>
#include <span>
#include <vector>

#include "kedge/anchors/difference_index.h"
#include "kedge/anchors/leaders.h"

namespace kedge {

class AnchorSearch {
 public:
  AnchorSearch(const DifferenceIndex& index, std::span<const double> point, size_t count, double radius);

  /// Every anchor within the bound, in no order.
  std::vector<NearestDifference> run();

 private:
  static constexpr size_t width = search_width;
  /// A difference within `distance` has a squared distance of at most this limit between projections.
  float limit_of(double distance) const;
  void load_block(size_t block, float* targets, uint32_t lanes) const;
  uint32_t lanes_of(size_t block) const;
  void look_exactly(uint32_t anchor, uint32_t place);

  void search_everything();
  void search_blocks(std::span<const uint32_t> order);
  float descend(uint32_t lane);
  std::vector<uint32_t> seed();
  void open_block(size_t block);
  void refresh_limits();
  void visit(size_t level, size_t node, uint32_t alive);
  void visit_together(size_t level, size_t node);
  void visit_leaves(size_t node, uint32_t alive);
  void look_at(uint32_t anchor, size_t leaf, const SearchHit& hit);
  SearchBoxes boxes(size_t level, size_t node) const;

  // The matrix product, for the blocks that are not searched yet (anchor_scan.cpp).
  struct ScanChunk;
  double scan_cost(size_t blocks) const;
  size_t choose_scan_axes(std::span<const uint32_t> blocks);
  void scan(std::span<const uint32_t> blocks);
  void fill_chunk(std::span<const uint32_t> blocks, ScanChunk& chunk);
  float product_limit(uint32_t anchor, const ScanChunk& chunk, size_t r) const;
  void scan_chunk(std::span<const uint32_t> blocks, size_t scan_axes);
  void look_at_survivor(uint32_t anchor, const float* target, size_t leaf, size_t place);

  const DifferencePool& pool_;
  const DifferenceIndex::Built& built_;
  std::span<const double> point_;
  size_t axes_, anchors_, blocks_;
  double radius_, slack_;
  std::vector<float> query_;      // projected to the axes; linear spaces only
  std::vector<double> best_;      // by anchor: squared distance of the nearest difference found so far
  std::vector<uint32_t> place_;   // by anchor: which difference that is
  std::vector<float> own_limit_;  // by anchor: limit_of(its best distance)
  Leaders leaders_;               // the least of best_
  double bound_;                  // the bound for all anchors, a distance
  float limit_;                   // limit_of(bound_)

  // The block that is searched now.
  size_t block_ = 0;
  AlignedVector<float> targets_;              // [axis][16], then the length of the other axes
  std::array<float, search_width> limits_{};  // by anchor: the lesser of limit_ and own_limit_
  std::array<float, BoxTree::most_leading + 1> low_{}, high_{};  // by axis: range of the targets
  std::vector<SearchHit> hits_;
  std::vector<double> delta_;
  double work_ = 0;  // vector operations so far
};

}  // namespace kedge
