#pragma once

// AnchorSearch: one search of a DifferenceIndex; holds what is known of each anchor while it runs.
//
// Anchors are named by their place in the index's compact order. An anchor's best is the nearest difference
// met so far, by exact distance; it never understates, so what lies farther than an anchor's best, or than
// the shared bound, can be left out. Law: when run() is done, each anchor whose nearest difference lies
// within the bound has it as its best.

#include <array>
#include <span>
#include <vector>

#include "kedge/anchors/difference_index.h"
#include "kedge/anchors/leaders.h"

namespace kedge {

class AnchorSearch {
 public:
  AnchorSearch(const DifferenceIndex& index, std::span<const double> point, size_t count, double radius);

  /// The anchors that met a difference, in no order; at least those within the bound.
  std::vector<NearestDifference> run();

 private:
  static constexpr size_t width = search_width;
  /// Rows of a block's targets: the axes, and the length of those that boxes do not bound.
  size_t target_rows() const { return axes_ + 1; }

  float limit_of(double distance) const;
  void load_block(size_t block, float* targets, uint32_t lanes) const;
  uint32_t lanes_of(size_t block) const;
  void look_exactly(uint32_t anchor, uint32_t place);

  void search_everything();
  void search_blocks(std::span<const uint32_t> order);
  float descend(uint32_t lane);
  std::vector<uint32_t> seed();
  void open_block(size_t block);
  void bound_block(size_t block);
  void refresh_limits();
  void visit(size_t level, size_t node, uint32_t alive);
  void visit_together(size_t level, size_t node);
  void visit_leaves(size_t node, uint32_t alive);
  void look_at(uint32_t anchor, size_t leaf, const SearchHit& hit);
  SearchBoxes boxes(size_t level, size_t node) const;

  // The matrix product, for the blocks that are left (anchor_scan.cpp).
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
  std::vector<float> query_;  // projected; linear spaces only
  std::vector<double> best_;  // squared, by anchor
  std::vector<uint32_t> place_;
  std::vector<float> own_limit_;  // of the best, by anchor
  Leaders leaders_;
  double reach_;  // distance of the bound
  float limit_;   // the same as a squared limit of a projected distance

  size_t block_ = 0;
  AlignedVector<float> targets_;  // of the block: [row][16]
  std::array<float, search_width> limits_{};
  std::array<float, BoxTree::most_leading + 1> low_{}, high_{};  // the block's targets, axis by axis
  std::vector<SearchHit> hits_;
  std::vector<double> delta_;
  double work_ = 0;  // vector operations done
};

}  // namespace kedge
