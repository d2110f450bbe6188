#pragma once

// SearchKernels: the inner loops of the anchor search, one table of functions per instruction set.
//
// Each function compares targets with sixteen boxes or sixteen points. Numbers are stored by axis:
// target[axis][16], point[axis][16], box[axis][least 16, greatest 16]. Bit i of a mask belongs to number i of
// the sixteen. Distances and limits are squared. Where there are fewer than sixteen points, the other places
// hold infinity. Where there are fewer than sixteen boxes, the others are [+infinity, -infinity]. Limits are
// finite, so such points and boxes are never within a limit.

#include <cstddef>
#include <cstdint>

namespace kedge {

inline constexpr size_t search_width = 16;

/// Sixteen targets. Bit t of `alive` tells whether target t is used; limits[t] is its limit.
struct SearchTargets {
  const float* at = nullptr;
  const float* limits = nullptr;
  uint32_t alive = 0;
};

/// Sixteen boxes with `axes` rows. If `rest` is not 0, one more row bounds row `rest` of the targets.
struct SearchBoxes {
  const float* boxes = nullptr;
  size_t axes = 0, rest = 0;
};

/// A target and a leaf that has points within the target's limit, with the distances of all its points.
struct SearchHit {
  uint8_t target = 0, leaf = 0;
  uint16_t mask = 0;
  float distances[search_width];
};
inline constexpr size_t most_hits = search_width * search_width;

/// For each of `count` queries a shift of every row, and the least shifted value of each of sixteen columns.
struct ShiftedRows {
  size_t count = 0;
  const float* shifts = nullptr;
  size_t shift_row = 0;  ///< from one query to the next
  float* least = nullptr;
  size_t least_row = 0;  ///< the same
};

struct SearchKernels {
  /// masks[t]: the boxes within the limit of target t. least[b]: at most the distance of box b to any target.
  /// Returns the number of axes computed, summed over targets.
  size_t (*boxes_within)(const SearchBoxes& boxes, const SearchTargets& targets, uint16_t* masks,
                         float* least);
  /// The boxes within `limit` of the box low[axis] ... high[axis].
  uint16_t (*boxes_near)(const float* boxes, size_t axes, const float* low, const float* high, float limit);
  /// The points within the limit of each target, in the leaves whose boxes are. Leaf i begins at points + 16
  /// i axes. Writes up to `most_hits` hits and returns their number. Adds the number of axes computed to
  /// `work`.
  size_t (*leaves_within)(const SearchBoxes& boxes, const float* points, size_t axes,
                          const SearchTargets& targets, SearchHit* hits, size_t* work);
  /// distances[i]: of point i of a leaf to one target, whose numbers are 16 apart.
  void (*distances)(const float* points, size_t axes, const float* target, float* distances);
  /// masks[r]: which of values[r][16] are at most limits[r].
  void (*values_within)(const float* values, size_t rows, const float* limits, uint16_t* masks);
  /// Lowers least[q][16] to values[r][16] - shifts[q][r] where that is less, over all rows r.
  void (*lower_to_shifted)(const float* values, size_t rows, const ShiftedRows& queries);
};

/// The table for this processor.
const SearchKernels& search_kernels();

}  // namespace kedge
