#include "kedge/kernels/search_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "kedge/core/rng.h"
#include "kedge/kernels/kernels.h"

namespace kedge {
namespace {

constexpr size_t width = search_width, axes = 13, rest = axes;

std::vector<const SearchKernels*> runnable() {
  std::vector<const SearchKernels*> found;
  const KernelTables tables = runnable_kernels();
  for (size_t i = 0; i < tables.count; ++i) found.push_back(tables.tables[i]->search);
  return found;
}

// Small whole numbers: every table computes them exactly.
struct Sample {
  std::vector<float> targets = std::vector<float>((axes + 1) * width);
  std::vector<float> points = std::vector<float>(width * axes * width);  // sixteen leaves
  std::vector<float> boxes = std::vector<float>((axes + 1) * 2 * width);
  std::vector<float> limits = std::vector<float>(width);

  explicit Sample(uint64_t seed) {
    Rng rng(seed, Stream::domain);
    const auto draw = [&] { return static_cast<float>(rng.below(9)); };
    for (float& x : targets) x = draw();
    for (float& x : points) x = draw();
    for (float& x : limits) x = static_cast<float>(rng.below(150));
    for (size_t r = 0; r <= axes; ++r) {
      for (size_t b = 0; b < width; ++b) {
        const std::pair<float, float> sides = std::minmax({draw(), draw()});
        boxes[2 * r * width + b] = sides.first;
        boxes[(2 * r + 1) * width + b] = sides.second;
      }
    }
    // The last box and the last point of a leaf hold nothing.
    for (size_t r = 0; r <= axes; ++r) {
      boxes[2 * r * width + width - 1] = std::numeric_limits<float>::infinity();
      boxes[(2 * r + 1) * width + width - 1] = -std::numeric_limits<float>::infinity();
    }
    for (size_t k = 0; k < axes; ++k) points[k * width + width - 1] = std::numeric_limits<float>::infinity();
  }

  float to_box(size_t target, size_t box) const {
    float sum = 0;
    for (size_t r = 0; r <= axes; ++r) {
      const float x = targets[r * width + target];
      const float low = boxes[2 * r * width + box], high = boxes[(2 * r + 1) * width + box];
      const float e = low > high ? low : std::max({low - x, x - high, 0.0f});
      sum += e * e;
    }
    return sum;
  }
  float to_point(size_t target, size_t leaf, size_t place) const {
    float sum = 0;
    for (size_t k = 0; k < axes; ++k) {
      const float e = targets[k * width + target] - points[(leaf * axes + k) * width + place];
      sum += e * e;
    }
    return sum;
  }
};

TEST(SearchKernels, every_table_finds_the_boxes_and_points_that_lie_within_the_limits) {
  constexpr uint32_t alive = 0b1011011101011111;
  for (const SearchKernels* table : runnable()) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
      const Sample s(seed);
      const SearchBoxes boxes{s.boxes.data(), axes, rest};
      const SearchTargets targets{s.targets.data(), s.limits.data(), alive};
      uint16_t masks[width];
      float least[width];
      table->boxes_within(boxes, targets, masks, least);
      std::vector<SearchHit> hits(most_hits);
      size_t work = 0, hit = 0;
      const size_t count = table->leaves_within(boxes, s.points.data(), axes, targets, hits.data(), &work);
      for (size_t t = 0; t < width; ++t) {
        if (!(alive >> t & 1)) continue;
        for (size_t b = 0; b < width; ++b) {
          const bool within = s.to_box(t, b) <= s.limits[t];
          ASSERT_EQ(masks[t] >> b & 1, within) << "target " << t << ", box " << b;
          ASSERT_TRUE(!within || least[b] <= s.to_box(t, b));
          uint16_t wanted = 0;
          for (size_t p = 0; within && p < width; ++p)
            if (s.to_point(t, b, p) <= s.limits[t]) wanted |= static_cast<uint16_t>(1u << p);
          if (!wanted) continue;
          ASSERT_LT(hit, count);
          ASSERT_EQ(hits[hit].target, t);
          ASSERT_EQ(hits[hit].leaf, b);
          ASSERT_EQ(hits[hit].mask, wanted);
          for (size_t p = 0; p < width; ++p) ASSERT_EQ(hits[hit].distances[p], s.to_point(t, b, p));
          ++hit;
        }
      }
      ASSERT_EQ(hit, count);
    }
  }
}

TEST(SearchKernels, every_table_finds_the_boxes_near_a_box) {
  for (const SearchKernels* table : runnable()) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
      const Sample s(seed);
      // A box of one point is that point.
      std::vector<float> at(axes + 1);
      for (size_t r = 0; r <= axes; ++r) at[r] = s.targets[r * width];
      const uint16_t mask = table->boxes_near(s.boxes.data(), axes + 1, at.data(), at.data(), s.limits[0]);
      for (size_t b = 0; b < width; ++b) ASSERT_EQ(mask >> b & 1, s.to_box(0, b) <= s.limits[0]);
      std::vector<float> high = at;
      for (float& x : high) x += 2;
      const uint16_t wider = table->boxes_near(s.boxes.data(), axes + 1, at.data(), high.data(), s.limits[0]);
      for (size_t b = 0; b < width; ++b) {
        float sum = 0;
        for (size_t r = 0; r <= axes; ++r) {
          const float low = s.boxes[2 * r * width + b], top = s.boxes[(2 * r + 1) * width + b];
          const float e = low > top ? low : std::max({low - high[r], at[r] - top, 0.0f});
          sum += e * e;
        }
        ASSERT_EQ(wider >> b & 1, sum <= s.limits[0]);
      }
    }
  }
}

TEST(SearchKernels, every_table_finds_values_within_their_rows_limit) {
  for (const SearchKernels* table : runnable()) {
    const Sample s(1);
    uint16_t masks[axes];
    table->values_within(s.points.data() + axes * width, axes, s.targets.data(), masks);
    for (size_t r = 0; r < axes; ++r)
      for (size_t i = 0; i < width; ++i)
        ASSERT_EQ(masks[r] >> i & 1, s.points[(axes + r) * width + i] <= s.targets[r]);
  }
}

}  // namespace
}  // namespace kedge
