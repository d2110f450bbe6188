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

/// Targets by rows of `row` numbers, those named in the list, under one limit.
struct SearchRows {
  const float* at = nullptr;
  size_t row = 0;
  const uint32_t* list = nullptr;
  size_t count = 0;
  float limit = 0;
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

/// The sieve: chunks of so many points, rows of so many axes at most, so many buckets to an axis.
inline constexpr size_t sieve_chunk = 512, sieve_row = 16, sieve_buckets = 32;

/// A chunk: for each axis and bucket a mask of the points that are apart from it, and the points by rows.
struct SieveChunk {
  const uint64_t* apart = nullptr;
  const float* points = nullptr;
  size_t axes = 0;
};

/// Up to sixteen targets by rows, each with its bucket on each axis.
struct SieveTargets {
  const uint8_t* buckets = nullptr;
  const float* at = nullptr;
  float limit = 0;
  size_t count = 0;
};

struct SieveHit {
  uint16_t anchor = 0, place = 0;
  float distance = 0;
};
inline constexpr size_t most_sieve_hits = search_width * sieve_chunk;

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
  /// Which of sixteen targets are within `limit` of one box of sixteen; `box` points into its first row.
  uint16_t (*targets_near)(const float* box, size_t axes, const float* targets, float limit);
  /// masks[i]: the boxes within the limit of target list[i].
  void (*boxes_of_rows)(const SearchBoxes& boxes, const SearchRows& targets, uint16_t* masks);
  /// leaves_within for up to sixteen rows; a hit names its target by its place in the list.
  size_t (*leaves_of_rows)(const SearchBoxes& boxes, const float* points, size_t axes,
                           const SearchRows& targets, SearchHit* hits);
  /// distances[16] of the points of one leaf to one target.
  void (*distances)(const float* points, size_t axes, const float* target, float* distances);
  /// masks[r]: which of values[r][16] are within limits[r].
  void (*values_within)(const float* values, size_t rows, const float* limits, uint16_t* masks);
  /// Points that are apart from a target on at most one axis, and within the limit: up to `most_sieve_hits`.
  /// Returns their number; adds to `tried` those that were apart on at most one axis.
  size_t (*sieve)(const SieveChunk& chunk, const SieveTargets& targets, SieveHit* hits, size_t* tried);
};

/// The table for this processor.
const SearchKernels& search_kernels();

extern const SearchKernels search_v1, search_v3, search_v4;

}  // namespace kedge
