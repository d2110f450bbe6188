#include "kedge/domains/tiles/tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "kedge/core/error.h"

namespace kedge {
namespace {

TEST(Tiles, a_shift_negates_one_label_and_two_shifts_negate_both) {
  std::set<double> first_values;
  for (double x1 = 1.125; x1 < 5; x1 += 0.25)
    for (double x2 = 1.125; x2 < 5; x2 += 0.25) {
      const auto [y1, y2] = tile_values(x1, x2);
      first_values.insert(y1);
      EXPECT_NE(y1, 0);
      EXPECT_NE(y2, 0);
      for (const double shift : {-tile_shift, tile_shift}) {
        EXPECT_EQ(tile_values(x1 + shift, x2), (std::array{y1, -y2}));
        EXPECT_EQ(tile_values(x1, x2 + shift), (std::array{-y1, y2}));
        for (const double other : {-tile_shift, tile_shift})
          EXPECT_EQ(tile_values(x1 + shift, x2 + other), (std::array{-y1, -y2}));
      }
    }
  EXPECT_EQ(first_values.size(), tile_cells * tile_cells);
}

TEST(Tiles, a_value_is_constant_on_its_cell_and_there_is_none_outside_the_tiles) {
  EXPECT_EQ(tile_values(1, 1), tile_values(1.49, 1.49));
  EXPECT_NE(tile_values(1, 1), tile_values(1.51, 1.01));
  EXPECT_NE(tile_values(1, 1), tile_values(1.01, 1.51));
  EXPECT_EQ(tile_values(5, 5), tile_values(4.51, 4.51));
  EXPECT_EQ(tile_values(11, -5), tile_values(10.6, -4.6));
  for (const double outside :
       {0.99, 5.01, 6.99, 11.01, -0.99, -5.01, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(tile_values(outside, 2), Error) << outside;
    EXPECT_THROW(tile_values(2, outside), Error) << outside;
  }
}

TEST(Tiles, every_seed_has_a_tile_of_its_own) {
  EXPECT_NE(tile_values(1, 1, 0), tile_values(1, 1, 1));
  for (const uint64_t seed : {0u, 1u, 7u}) {
    const Table table = tiles_domain().sample(Split::oos, 20, seed);
    for (size_t r = 0; r < table.rows(); ++r)
      EXPECT_EQ((std::array{table.column("y1").values[r], table.column("y2").values[r]}),
                tile_values(table.column("x1").values[r], table.column("x2").values[r], seed));
  }
}

size_t tiles_apart(double x) { return x < 1 || x > 5 ? 1 : 0; }

TEST(Tiles, train_and_in_cover_the_cross_and_oos_the_corners) {
  const Domain domain = tiles_domain();
  for (const Split split : {Split::train, Split::in, Split::oos}) {
    const size_t points = split == Split::oos ? 4 * 64 : 5 * 64;
    const Table table = domain.sample(split, 2 * points, 11);
    EXPECT_EQ(table.names(Role::input), (std::vector<std::string>{"x1", "x2"}));
    EXPECT_EQ(table.names(Role::output), (std::vector<std::string>{"y1", "y2"}));
    EXPECT_EQ(table.names(Role::label), std::vector<std::string>{"place"});
    const Matrix<double> rows = table.matrix({"x1", "x2", "y1", "y2"});
    std::map<std::pair<double, double>, int> seen;
    for (size_t row = 0; row < table.rows(); ++row) {
      const double x1 = rows(row, 0), x2 = rows(row, 1);
      EXPECT_EQ(tiles_apart(x1) + tiles_apart(x2) == 2, split == Split::oos) << x1 << " " << x2;
      EXPECT_EQ(tile_values(x1, x2, 11), (std::array{rows(row, 2), rows(row, 3)}));
      ++seen[{x1, x2}];
      EXPECT_EQ(seen.size(), std::min(row + 1, points)) << "a point came twice before all came once";
    }
    for (const auto& [point, count] : seen) EXPECT_EQ(count, 2) << point.first << " " << point.second;
  }
}

TEST(Tiles, rows_share_a_place_exactly_when_they_are_whole_shifts_apart) {
  const Table table = tiles_domain().sample(Split::train, 320, 2);
  const Matrix<double> rows = table.matrix({"x1", "x2", "place"});
  const auto whole = [](double difference) {
    return std::abs(std::remainder(difference, tile_shift)) < 1e-9;
  };
  for (size_t a = 0; a < rows.rows(); ++a)
    for (size_t b = 0; b < rows.rows(); ++b)
      ASSERT_EQ(rows(a, 2) == rows(b, 2), whole(rows(a, 0) - rows(b, 0)) && whole(rows(a, 1) - rows(b, 1)));
}

TEST(Tiles, the_function_of_a_seed_is_the_same_for_every_split) {
  const Domain domain = tiles_domain();
  const Table one = domain.sample(Split::train, 320, 1), two = domain.sample(Split::in, 320, 1);
  EXPECT_NE(one.column("x1").values, two.column("x1").values);
  std::map<std::pair<double, double>, double> values;
  for (size_t row = 0; row < one.rows(); ++row)
    values[{one.column("x1").values[row], one.column("x2").values[row]}] = one.column("y1").values[row];
  for (size_t row = 0; row < two.rows(); ++row)
    EXPECT_EQ((values.at({two.column("x1").values[row], two.column("x2").values[row]})),
              two.column("y1").values[row]);
}

}  // namespace
}  // namespace kedge
