#pragma once

// SearchKernels: the inner loops of the anchor search, one table per instruction set like Kernels.
//
// Sixteen targets are held against sixteen boxes or sixteen points at a time. Numbers are stored axis by
// axis: target[axis][16], point[axis][16], box[axis][least 16, greatest 16]. A bit of a mask is one of the
// sixteen. Places that hold nothing hold infinity, and a limit is finite, so that nothing is never within a
// limit.

#include <cstddef>
#include <cstdint>

namespace kedge {

inline constexpr size_t search_width = 16;

/// Which targets to look at, and how far each may look (squared).
struct SearchTargets {
  const float* at = nullptr;
  const float* limits = nullptr;
  uint32_t alive = 0;
};

/// Boxes of sixteen leaves: rows of `axes` axes and, with `rest`, one that bounds row `rest` of the targets.
struct SearchBoxes {
  const float* boxes = nullptr;
  size_t axes = 0, rest = 0;
};

/// A target and a leaf with points within the target's limit.
struct SearchHit {
  uint8_t target = 0, leaf = 0;
  uint16_t mask = 0;
  float distances[search_width];
};
inline constexpr size_t most_hits = search_width * search_width;

struct SearchKernels {
  /// masks[target]: the boxes within the target's limit. least[box]: the least squared distance to any living
  /// target, at most. Returns the number of axes gone through.
  size_t (*boxes_within)(const SearchBoxes& boxes, const SearchTargets& targets, uint16_t* masks,
                         float* least);
  /// The boxes within `limit` of another box, by its sides low[axis], high[axis].
  uint16_t (*boxes_near)(const float* boxes, size_t axes, const float* low, const float* high, float limit);
  /// The same, and on into the leaves, which follow one another from `points` on with `axes` axes each: up to
  /// `most_hits` hits. Returns their number, and adds to `gone`.
  size_t (*leaves_within)(const SearchBoxes& boxes, const float* points, size_t axes,
                          const SearchTargets& targets, SearchHit* hits, size_t* gone);
  /// distances[16] of the points of one leaf to one target.
  void (*distances)(const float* points, size_t axes, const float* target, float* distances);
  /// masks[r]: which of values[r][16] are within limits[r].
  void (*values_within)(const float* values, size_t rows, const float* limits, uint16_t* masks);
};

/// The table for this processor.
const SearchKernels& search_kernels();

extern const SearchKernels search_v1, search_v3, search_v4;

}  // namespace kedge
