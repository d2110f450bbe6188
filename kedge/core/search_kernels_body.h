// The body of one table of search kernels. Included by each kernels_v*.cpp behind kernels_body.h, whose
// vectors it uses; KEDGE_SEARCH names the table.

#include "kedge/core/search_kernels.h"

namespace kedge {
namespace {

constexpr size_t parts = search_width / lanes;
// Axes between two looks at whether anything is still within the limit.
constexpr size_t box_stretch = 4, point_stretch = 8;

#if KEDGE_LANES == 16
inline Vec least_of(Vec a, Vec b) { return __builtin_ia32_minps512_mask(a, b, a, -1, 4); }
inline Vec greatest_of(Vec a, Vec b) { return __builtin_ia32_maxps512_mask(a, b, a, -1, 4); }
inline unsigned at_most(Vec a, Vec b) {
  return static_cast<uint16_t>(__builtin_ia32_cmpps512_mask(a, b, 18, 0xFFFF, 4));
}
#elif KEDGE_LANES == 8
inline Vec least_of(Vec a, Vec b) { return __builtin_ia32_minps256(a, b); }
inline Vec greatest_of(Vec a, Vec b) { return __builtin_ia32_maxps256(a, b); }
inline unsigned at_most(Vec a, Vec b) {
  return static_cast<unsigned>(__builtin_ia32_movmskps256(__builtin_ia32_cmpps256(a, b, 18)));
}
#else
inline Vec least_of(Vec a, Vec b) { return __builtin_ia32_minps(a, b); }
inline Vec greatest_of(Vec a, Vec b) { return __builtin_ia32_maxps(a, b); }
inline unsigned at_most(Vec a, Vec b) {
  return static_cast<unsigned>(__builtin_ia32_movmskps(__builtin_ia32_cmpleps(a, b)));
}
#endif

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

size_t boxes_within(const float* boxes, size_t axes, size_t rest, const SearchTargets& targets,
                    uint16_t* masks, float* least) {
  Vec closest[parts];
  KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) closest[p] = splat(__builtin_inff());
  size_t gone = 0;
  for (unsigned alive = targets.alive; alive; alive &= alive - 1) {
    const unsigned t = static_cast<unsigned>(__builtin_ctz(alive));
    const float* const at = targets.at + t;
    const Vec limit = splat(targets.limits[t]);
    Vec sums[parts] = {};
    unsigned mask = 0xFFFF;
    size_t k = 0;
    while (k < axes && mask) {
      const size_t end = axes - k < box_stretch ? axes : k + box_stretch;
      for (; k < end; ++k) add_box_axis(boxes + 2 * k * search_width, at[k * search_width], sums);
      mask = within(sums, limit);
    }
    if (rest && mask) {
      add_box_axis(boxes + 2 * axes * search_width, at[rest * search_width], sums);
      mask = within(sums, limit);
    }
    gone += k;
    masks[t] = static_cast<uint16_t>(mask);
    KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) closest[p] = least_of(closest[p], sums[p]);
  }
  KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) store(least + p * lanes, closest[p]);
  return gone;
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

size_t points_within(const float* points, size_t axes, const SearchTargets& targets, uint16_t* masks,
                     float* distances) {
  size_t gone = 0;
  for (unsigned alive = targets.alive; alive; alive &= alive - 1) {
    const unsigned t = static_cast<unsigned>(__builtin_ctz(alive));
    const float* const at = targets.at + t;
    const Vec limit = splat(targets.limits[t]);
    // Two sums, so that one addition need not wait for the one before.
    Vec sums[parts] = {}, others[parts] = {};
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
    gone += k;
    masks[t] = static_cast<uint16_t>(mask);
    if (!mask) continue;
    KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) {
      store(distances + t * search_width + p * lanes, sums[p]);
    }
  }
  return gone;
}

void values_within(const float* values, size_t rows, const float* limits, uint16_t* masks) {
  for (size_t r = 0; r < rows; ++r) {
    Vec row[parts];
    KEDGE_UNROLL for (size_t p = 0; p < parts; ++p) row[p] = load(values + r * search_width + p * lanes);
    masks[r] = static_cast<uint16_t>(within(row, splat(limits[r])));
  }
}

}  // namespace

extern const SearchKernels KEDGE_SEARCH;
const SearchKernels KEDGE_SEARCH = {boxes_within, boxes_near, points_within, values_within};

}  // namespace kedge
