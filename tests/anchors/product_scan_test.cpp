#include "kedge/anchors/product_scan.h"

#include <gtest/gtest.h>

#include <set>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

TEST(ProductScan, looks_at_every_point_within_the_limit_however_many_axes_it_uses) {
  constexpr size_t rows = 500, axes = 7, targets = 20;
  Rng rng(1, Stream::noise);
  Matrix<float> points(rows, axes);
  for (size_t r = 0; r < rows; ++r)
    for (float& x : points.row(r)) x = static_cast<float>(rng.normal());
  const BoxTree tree(points);
  ProductScan scan(tree, targets);
  for (size_t t = 0; t < targets; ++t)
    for (float& x : scan.target(t)) x = static_cast<float>(rng.normal());
  const auto limit = [](size_t t) { return t == 3 ? -1.0f : 0.5f * static_cast<float>(t); };
  EXPECT_LE(scan.cheapest_axes(limit), axes);
  for (size_t used : {size_t{1}, size_t{4}, axes}) {
    std::vector<std::set<uint32_t>> looked(targets);
    scan.run(used, limit, [&](size_t t, uint32_t row) { looked[t].insert(row); });
    EXPECT_TRUE(looked[3].empty());
    for (size_t t = 0; t < targets; ++t) {
      if (t == 3) continue;
      std::set<uint32_t> wanted;
      for (uint32_t r = 0; r < rows; ++r) {
        float sum = 0;
        for (size_t k = 0; k < axes; ++k)
          sum += (scan.target(t)[k] - points(r, k)) * (scan.target(t)[k] - points(r, k));
        if (sum <= limit(t)) wanted.insert(r);
      }
      EXPECT_EQ(looked[t], wanted) << t;
    }
  }
}

}  // namespace
}  // namespace kedge
