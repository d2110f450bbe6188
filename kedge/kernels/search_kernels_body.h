#pragma once

// One table of search kernels, `search`. Included by kernels_body.h.

#include "kedge/kernels/search_kernels.h"
#include "kedge/kernels/vector.h"

namespace kedge {
namespace {

constexpr size_t parts = search_width / lanes;
// The loop over axes tests after so many axes whether anything is still within the limit.
constexpr size_t box_stretch = 4, point_stretch = 8;

inline unsigned within(const Vec* sums, Vec limit) {
  unsigned mask = 0;
  KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) mask |= at_most(sums[p], limit) << (p * lanes);
  return mask;
}

inline void add_box_axis(const float* box, float x, Vec* sums) {
  const Vec at = splat(x);
  KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) {
    const Vec nearest =
        least_of(greatest_of(at, load(box + p * lanes)), load(box + search_width + p * lanes));
    const Vec e = at - nearest;
    sums[p] += e * e;
  }
}

inline void add_point_axis(const float* points, float x, Vec* sums) {
  const Vec at = splat(x);
  KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) {
    const Vec e = at - load(points + p * lanes);
    sums[p] += e * e;
  }
}

// The boxes within the limit. Stops as soon as there is none.
inline unsigned box_mask(const SearchBoxes& b, const float* at, Vec limit, Vec* sums, size_t& work) {
  unsigned mask = 0xFFFF;
  size_t k = 0;
  while (k < b.axes && mask) {
    const size_t end = b.axes - k < box_stretch ? b.axes : k + box_stretch;
    for (; k < end; ++k) add_box_axis(b.boxes + 2 * k * search_width, at[k * search_width], sums);
    mask = within(sums, limit);
  }
  if (b.rest && mask) {
    add_box_axis(b.boxes + 2 * b.axes * search_width, at[b.rest * search_width], sums);
    mask = within(sums, limit);
  }
  work += k;
  return mask;
}

inline unsigned point_mask(const float* points, size_t axes, const float* at, Vec limit, Vec* sums,
                           size_t& work) {
  // Two sums, so that an addition does not wait for the one before it.
  Vec others[parts] = {};
  unsigned mask = 0xFFFF;
  size_t k = 0;
  while (k < axes && mask) {
    const size_t end = axes - k < point_stretch ? axes : k + point_stretch;
    for (; k + 1 < end; k += 2) {
      add_point_axis(points + k * search_width, at[k * search_width], sums);
      add_point_axis(points + (k + 1) * search_width, at[(k + 1) * search_width], others);
    }
    for (; k < end; ++k) add_point_axis(points + k * search_width, at[k * search_width], sums);
    KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) {
      sums[p] += others[p];
      others[p] = Vec{};
    }
    mask = within(sums, limit);
  }
  work += k;
  return mask;
}

size_t boxes_within(const SearchBoxes& boxes, const SearchTargets& targets, uint16_t* masks, float* least) {
  Vec closest[parts];
  KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) closest[p] = splat(__builtin_inff());
  size_t work = 0;
  for (unsigned alive = targets.alive; alive; alive &= alive - 1) {
    const unsigned t = static_cast<unsigned>(__builtin_ctz(alive));
    Vec sums[parts] = {};
    masks[t] = static_cast<uint16_t>(box_mask(boxes, targets.at + t, splat(targets.limits[t]), sums, work));
    KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) closest[p] = least_of(closest[p], sums[p]);
  }
  KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) store(least + p * lanes, closest[p]);
  return work;
}

// Prefetches the first axes of a leaf.
inline void fetch_early(const float* points, size_t axes) {
  for (size_t k = 0; k < axes && k < point_stretch; ++k) __builtin_prefetch(points + k * search_width);
}

size_t leaves_within(const SearchBoxes& boxes, const float* points, size_t axes, const SearchTargets& targets,
                     SearchHit* hits, size_t* work) {
  size_t count = 0, axes_computed = 0;
  const size_t leaf_size = axes * search_width;
  unsigned masks[search_width], wanted = 0;
  for (unsigned alive = targets.alive; alive; alive &= alive - 1) {
    const unsigned t = static_cast<unsigned>(__builtin_ctz(alive));
    Vec sums[parts] = {};
    masks[t] = box_mask(boxes, targets.at + t, splat(targets.limits[t]), sums, axes_computed);
    for (unsigned left = masks[t] & ~wanted; left; left &= left - 1)
      fetch_early(points + static_cast<unsigned>(__builtin_ctz(left)) * leaf_size, axes);
    wanted |= masks[t];
  }
  for (unsigned alive = targets.alive; alive; alive &= alive - 1) {
    const unsigned t = static_cast<unsigned>(__builtin_ctz(alive));
    const Vec limit = splat(targets.limits[t]);
    for (unsigned left = masks[t]; left; left &= left - 1) {
      const unsigned leaf = static_cast<unsigned>(__builtin_ctz(left));
      Vec sums[parts] = {};
      const unsigned mask =
          point_mask(points + leaf * leaf_size, axes, targets.at + t, limit, sums, axes_computed);
      if (!mask) continue;
      SearchHit& hit = hits[count++];
      hit.target = static_cast<uint8_t>(t);
      hit.leaf = static_cast<uint8_t>(leaf);
      hit.mask = static_cast<uint16_t>(mask);
      KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) store(hit.distances + p * lanes, sums[p]);
    }
  }
  *work += axes_computed;
  return count;
}

void distances(const float* points, size_t axes, const float* target, float* out) {
  Vec sums[parts] = {};
  size_t work = 0;
  point_mask(points, axes, target, splat(__builtin_inff()), sums, work);
  KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) store(out + p * lanes, sums[p]);
}

uint16_t boxes_near(const float* boxes, size_t axes, const float* low, const float* high, float limit) {
  Vec sums[parts] = {};
  for (size_t k = 0; k < axes; ++k) {
    const float* const box = boxes + 2 * k * search_width;
    const Vec from = splat(low[k]), to = splat(high[k]);
    KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) {
      const Vec above = load(box + p * lanes) - to, below = from - load(box + search_width + p * lanes);
      const Vec gap = greatest_of(greatest_of(above, below), Vec{});
      sums[p] += gap * gap;
    }
  }
  return static_cast<uint16_t>(within(sums, splat(limit)));
}

void values_within(const float* values, size_t rows, const float* limits, uint16_t* masks) {
  for (size_t r = 0; r < rows; ++r) {
    Vec row[parts];
    KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) row[p] = load(values + r * search_width + p * lanes);
    masks[r] = static_cast<uint16_t>(within(row, splat(limits[r])));
  }
}

// Queries whose least values stay in registers together.
constexpr size_t shifted_together = lanes == 16 ? 8 : lanes == 8 ? 4 : 2;

template <size_t count>
inline void lower_some(const float* values, size_t rows, const ShiftedRows& queries, size_t first) {
  Vec least[count][parts];
  const float* const shifts = queries.shifts + first * queries.shift_row;
  float* const kept = queries.least + first * queries.least_row;
  KEDGE_UNROLL for (size_t q = 0; q < count; ++q) KEDGE_UNROLL for (size_t p = 0; p < parts; ++p)
      least[q][p] = load(kept + q * queries.least_row + p * lanes);
  for (size_t r = 0; r < rows; ++r) {
    Vec row[parts];
    KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) row[p] = load(values + r * search_width + p * lanes);
    KEDGE_UNROLL for (size_t q = 0; q < count; ++q) {
      const Vec shift = splat(shifts[q * queries.shift_row + r]);
      KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) least[q][p] = least_of(row[p] - shift, least[q][p]);
    }
  }
  KEDGE_UNROLL for (size_t q = 0; q < count; ++q) KEDGE_UNROLL for (size_t p = 0; p < parts; ++p)
      store(kept + q * queries.least_row + p * lanes, least[q][p]);
}

void lower_to_shifted(const float* values, size_t rows, const ShiftedRows& queries) {
  size_t q = 0;
  for (; q + shifted_together <= queries.count; q += shifted_together)
    lower_some<shifted_together>(values, rows, queries, q);
  for (; q < queries.count; ++q) lower_some<1>(values, rows, queries, q);
}

constexpr SearchKernels search = {boxes_within, boxes_near,    leaves_within,
                                  distances,    values_within, lower_to_shifted};

}  // namespace
}  // namespace kedge
