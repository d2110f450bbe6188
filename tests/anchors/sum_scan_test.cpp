#include "kedge/anchors/sum_scan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

Matrix<float> normal_rows(size_t rows, size_t axes, uint64_t seed) {
  Rng rng(seed, Stream::noise);
  Matrix<float> out(rows, axes);
  for (size_t r = 0; r < rows; ++r)
    for (float& x : out.row(r)) x = static_cast<float>(rng.normal());
  return out;
}

TEST(SumScan, is_within_its_error_of_the_least_distance_over_all_differences) {
  // Neither leaves, blocks nor queries come out even.
  constexpr size_t differences = 1010, anchors = 37, queries = 11;
  for (size_t axes : {1, 3, 20}) {
    const Matrix<float> d = normal_rows(differences, axes, 1), a = normal_rows(anchors, axes, 2),
                        q = normal_rows(queries, axes, 3);
    const BoxTree tree(d);
    AlignedVector<float> blocks((anchors + search_width - 1) / search_width * axes * search_width, 0.0f);
    for (size_t i = 0; i < anchors; ++i)
      for (size_t k = 0; k < axes; ++k)
        blocks[(i / search_width * axes + k) * search_width + i % search_width] = a(i, k);
    const SumScan scan(tree, blocks);
    const Matrix<float> nearest = scan.nearest(q, {});
    for (size_t r = 0; r < queries; ++r) {
      const auto error = static_cast<double>(scan.error(q.row(r)));
      EXPECT_LT(error, 0.02);
      for (size_t i = 0; i < anchors; ++i) {
        double least = 1e9;
        for (size_t p = 0; p < differences; ++p) {
          double squared = 0;
          for (size_t k = 0; k < axes; ++k) {
            const double e =
                static_cast<double>(q(r, k)) - static_cast<double>(a(i, k)) - static_cast<double>(d(p, k));
            squared += e * e;
          }
          least = std::min(least, squared);
        }
        ASSERT_NEAR(static_cast<double>(nearest(r, i)), least, error) << axes << " axes";
      }
    }
  }
}

TEST(SumScan, costs_less_for_each_query_the_more_there_are) {
  const BoxTree tree(normal_rows(100, 30, 1));
  EXPECT_LT(SumScan::cost(tree, 64), 0.5 * SumScan::cost(tree, SumScan::fewest_queries));
}

TEST(SumScan, hears_a_stop) {
  const BoxTree tree(normal_rows(100, 2, 1));
  const AlignedVector<float> anchors(2 * search_width);
  const SumScan scan(tree, anchors);
  EXPECT_THROW(scan.nearest(normal_rows(8, 2, 2), [] { throw 1; }), int);
}

}  // namespace
}  // namespace kedge
