#include "kedge/anchors/spread_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

DifferencePool normal_pool(size_t rows, size_t columns, size_t pairs) {
  Rng rng(7, Stream::noise);
  DifferencePool pool{Space::euclidean(static_cast<int>(columns)),
                      Matrix<double>(rows, columns),
                      std::vector<double>(columns, 1.0),
                      {}};
  for (size_t r = 0; r < rows; ++r)
    for (double& x : pool.points.row(r)) x = rng.normal();
  for (size_t p = 0; p < pairs; ++p)
    pool.pairs.push_back({static_cast<uint32_t>(rng.below(rows)), static_cast<uint32_t>(rng.below(rows))});
  return pool;
}

TEST(SpreadRows, are_as_many_as_asked_for_rising_and_all_where_there_are_no_more) {
  const DifferencePool pool = normal_pool(1000, 3, 10);
  for (size_t count : {1, 5, 8, 100, 999}) {
    const std::vector<uint32_t> rows = spread_rows(pool, count);
    ASSERT_EQ(rows.size(), count);
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
    EXPECT_LT(rows.back(), 1000u);
  }
  EXPECT_TRUE(spread_rows(pool, 1000).empty());
}

TEST(SpreadRows, keep_the_outermost_rows_of_every_column) {
  DifferencePool pool = normal_pool(2000, 4, 10);
  for (size_t c = 0; c < 4; ++c) {
    pool.points(10 + c, c) = 30;
    pool.points(20 + c, c) = -30;
  }
  const std::vector<uint32_t> rows = spread_rows(pool, 100);
  for (uint32_t r : {10, 11, 12, 13, 20, 21, 22, 23})
    EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), r)) << r;
}

TEST(SpreadRows, give_each_part_of_the_table_its_share) {
  // A tenth of the rows stands apart.
  DifferencePool pool = normal_pool(2000, 2, 10);
  for (size_t r = 0; r < 200; ++r) pool.points(r, 0) += 50;
  const std::vector<uint32_t> rows = spread_rows(pool, 200);
  const auto apart = std::count_if(rows.begin(), rows.end(), [](uint32_t r) { return r < 200; });
  EXPECT_GE(apart, 15);
  EXPECT_LE(apart, 50);
}

TEST(SpreadRows, stretch_differences_the_less_the_more_rows_serve) {
  DifferencePool pool = normal_pool(3000, 6, 500);
  EXPECT_EQ(anchor_stretch(pool, 5, 1), 0);
  pool.anchors = spread_rows(pool, 100);
  const double few = anchor_stretch(pool, 5, 1);
  EXPECT_EQ(anchor_stretch(pool, 5, 3), few) << "for any number of threads";
  pool.anchors = spread_rows(pool, 1500);
  const double many = anchor_stretch(pool, 5, 1);
  EXPECT_GT(few, 0.1);
  EXPECT_GE(many, 0);
  EXPECT_LT(many, 0.5 * few);
}

}  // namespace
}  // namespace kedge
