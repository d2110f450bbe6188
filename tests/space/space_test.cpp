#include "kedge/space/space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "kedge/core/error.h"
#include "kedge/core/rng.h"

namespace kedge {
namespace {

const std::vector<std::string> columns = {"x", "theta", "qw", "qx", "qy", "qz", "size", "phi"};
const std::string mixed = "theta=angle,qw+qx+qy+qz=rotation,size=log,phi=degrees";

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool says(const std::string& text, const std::vector<std::string>& parts) {
  return text.find('\n') == std::string::npos &&
         std::all_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return text.find(part) != std::string::npos; });
}

#define EXPECT_ERROR(action, ...)                               \
  do {                                                          \
    const std::string text = error_of([&] { (void)(action); }); \
    EXPECT_TRUE(says(text, {__VA_ARGS__})) << text;             \
  } while (false)

TEST(Space, parse_reads_every_kind_and_makes_the_rest_vectors) {
  const Space space = Space::parse(mixed, columns);
  const std::vector<Group> expected = {
      {.kind = GroupKind::vector, .columns = {0}},
      {.kind = GroupKind::angle, .columns = {1}},
      {.kind = GroupKind::rotation, .columns = {2, 3, 4, 5}},
      {.kind = GroupKind::log, .columns = {6}},
      {.kind = GroupKind::angle, .columns = {7}, .unit = std::numbers::pi / 180},
  };
  EXPECT_EQ(space.groups(), expected);
  EXPECT_EQ(space.columns(), 8);
  EXPECT_EQ(space.point_size(), 8);
  EXPECT_EQ(space.delta_size(), 7);
  EXPECT_EQ(space.features(), 1 + 2 + 9 + 1 + 2);
}

TEST(Space, the_order_of_items_does_not_matter_and_the_order_of_a_rotation_does) {
  EXPECT_EQ(Space::parse("phi=degrees,size=log,qw+qx+qy+qz=rotation,theta=angle", columns),
            Space::parse(mixed, columns));
  const Space scalar_last = Space::parse("qz+qw+qx+qy=rotation", columns);
  EXPECT_EQ(scalar_last.groups()[2].columns, (std::vector<int>{5, 2, 3, 4}));
}

TEST(Space, text_is_what_parse_reads) {
  for (const std::string text :
       {mixed.c_str(), "", "x=log", "phi=angle", "size+qw+x+theta=rotation,qz=degrees"}) {
    const Space space = Space::parse(text, columns);
    EXPECT_EQ(Space::parse(space.text(columns), columns), space) << text;
  }
  EXPECT_EQ(Space::parse(mixed, columns).text(columns), mixed);
  EXPECT_EQ(Space::parse("x=vector", columns).text(columns), "");
  EXPECT_EQ(Space::parse("", {}), Space());
}

TEST(Space, names_with_signs_of_their_own_survive_text_and_parse) {
  const std::vector<std::string> odd = {"a,b", "c+d", "e=f", "g\\h", "", " i "};
  for (const char* kind : {"log", "angle", "degrees"}) {
    std::vector<Group> groups;
    for (int c = 0; c < 6; ++c) {
      groups.push_back(Space::parse(std::string("v=") + kind, {"v"}).groups()[0]);
      groups.back().columns = {c};
    }
    const Space space(groups);
    EXPECT_EQ(Space::parse(space.text(odd), odd), space) << space.text(odd);
  }
  const Space turning({{.kind = GroupKind::rotation, .columns = {1, 0, 3, 2}},
                       {.kind = GroupKind::vector, .columns = {4}},
                       {.kind = GroupKind::vector, .columns = {5}}});
  EXPECT_EQ(Space::parse(turning.text(odd), odd), turning) << turning.text(odd);
}

TEST(Space, parse_says_what_is_wrong_and_what_there_is) {
  EXPECT_ERROR(Space::parse("speed=log", columns), "[space]", "\"speed\" in \"speed=log\"",
               "\"x\", \"theta\", \"qw\"", "\"phi\"");
  EXPECT_ERROR(Space::parse("x=circle", columns), "\"circle\"", "vector, log, angle, degrees, rotation");
  EXPECT_ERROR(Space::parse("qw+qx+qy=rotation", columns), "4 columns", "found 3", "w+x+y+z");
  EXPECT_ERROR(Space::parse("qw=rotation", columns), "4 columns", "found 1");
  EXPECT_ERROR(Space::parse("x+size=log", columns), "log takes one column", "found 2");
  EXPECT_ERROR(Space::parse("x=log,x=angle", columns), "\"x\" twice");
  EXPECT_ERROR(Space::parse("qw+qx+qy+qw=rotation", columns), "\"qw\" twice");
  EXPECT_ERROR(Space::parse("x=log,,phi=angle", columns), "found \"\"", "column=kind");
  EXPECT_ERROR(Space::parse("x=log,", columns), "found \"\"");
  EXPECT_ERROR(Space::parse("x", columns), "found \"x\"", "column=kind");
  EXPECT_ERROR(Space::parse("x=log=log", columns), "found \"x=log=log\"");
  EXPECT_ERROR(Space::parse("x=", columns), "found \"\"", "kinds");
}

TEST(Space, every_column_is_in_exactly_one_group) {
  EXPECT_ERROR(Space({{.kind = GroupKind::vector, .columns = {1}}}), "exactly one group", "found 1");
  EXPECT_ERROR(Space({{.columns = {0}}, {.columns = {0}}}), "found 0, 0");
  EXPECT_ERROR(Space({{.columns = {-1}}, {.columns = {0}}}), "found -1, 0");
  EXPECT_ERROR(Space({{.columns = {0, 1}}}), "needs 1 column;", "found 2");
  EXPECT_ERROR(Space({{.kind = GroupKind::rotation, .columns = {0, 1, 2}}}), "needs 4 columns", "found 3");
  EXPECT_ERROR(Space({{.kind = GroupKind::angle, .columns = {0}, .unit = 2}}), "unit", "found 2");
  EXPECT_ERROR(Space({{.kind = GroupKind::vector, .columns = {0}, .unit = std::numbers::pi / 180}}), "unit");
}

TEST(Space, euclidean_has_plain_coordinates) {
  const Space space = Space::euclidean(3);
  EXPECT_EQ(space, Space::parse("", {"a", "b", "c"}));
  EXPECT_TRUE(space.is_linear());
  EXPECT_EQ(space.features(), 3);
  EXPECT_EQ(space.linear_features(), std::vector<bool>(3, true));
  EXPECT_TRUE(Space::parse("a=log", {"a", "b"}).is_linear());
  EXPECT_FALSE(Space::parse("a=angle", {"a", "b"}).is_linear());
}

TEST(Space, features_of_a_column_are_those_its_value_moves) {
  const Space space = Space::parse(mixed, columns);
  const std::vector<double> base = {0.3, -1.1, 0.5, 0.4, -0.6, 0.2, 2.5, 77};
  const auto features = [&](const std::vector<double>& row) {
    std::vector<double> point(8), values(15);
    space.to_point(row, point);
    space.point_features(point, values);
    return values;
  };
  for (int column = 0; column < 8; ++column) {
    std::vector<double> moved = base;
    moved[static_cast<size_t>(column)] += 0.1;
    const std::vector<double> before = features(base), after = features(moved);
    std::vector<int> changed;
    for (size_t f = 0; f < before.size(); ++f)
      if (before[f] != after[f]) changed.push_back(static_cast<int>(f));
    EXPECT_EQ(space.features_of(column), changed) << columns[static_cast<size_t>(column)];
  }
  EXPECT_ERROR(space.features_of(8), "from 0 to 7", "found 8");
  EXPECT_ERROR(space.features_of(-1), "found -1");
}

TEST(Space, rows_outside_the_space_are_refused_by_column) {
  const Space space = Space::parse(mixed, columns);
  const std::vector<double> good = {0.3, -1.1, 0.5, 0.4, -0.6, 0.2, 2.5, 77};
  std::vector<double> point(8);
  space.to_point(good, point);
  const auto refusal = [&](size_t column, double value) {
    std::vector<double> row = good;
    row[column] = value;
    return error_of([&] { space.to_point(row, point); });
  };
  const double inf = std::numeric_limits<double>::infinity();
  for (double value : {0.0, -1.0, inf, std::nan("")})
    EXPECT_TRUE(says(refusal(6, value), {"[space] log", "column 6"})) << refusal(6, value);
  for (size_t column : {0u, 1u, 7u})
    for (double value : {inf, -inf, std::nan("")})
      EXPECT_TRUE(says(refusal(column, value), {"finite", "column " + std::to_string(column)}));
  EXPECT_TRUE(says(refusal(4, std::nan("")), {"rotation", "columns 2, 3, 4, 5"})) << refusal(4, std::nan(""));
  const std::vector<std::string> names(columns.begin(), columns.end());
  std::vector<double> negative = good;
  negative[6] = -1;
  EXPECT_ERROR(space.to_point(negative, point, names), "log", "column \"" + names[6] + "\"");
  std::vector<double> zero = good;
  std::fill(zero.begin() + 2, zero.begin() + 6, 0.0);
  EXPECT_ERROR(space.to_point(zero, point), "rotation", "0, 0, 0, 0");
  EXPECT_ERROR(space.text({"x"}), "names of 8 columns", "found 1");
}

TEST(Space, a_point_comes_back_from_its_row) {
  const double tolerance = 1e-14;
  const Space space = Space::parse("qz+qw+qx+qy=rotation,theta=angle,size=log,phi=degrees", columns);
  Rng rng(21, Stream::noise);
  for (int draw = 0; draw < 200; ++draw) {
    std::vector<double> row(8), point(8), canonical(8), again(8), canonical_again(8);
    for (double& value : row) value = 3 * rng.normal();
    row[6] = std::exp(row[6]);
    row[7] *= 1000;
    space.to_point(row, point);
    space.to_row(point, canonical);
    space.to_point(canonical, again);
    space.to_row(again, canonical_again);
    for (size_t i = 0; i < 8; ++i) EXPECT_NEAR(again[i], point[i], tolerance);
    EXPECT_EQ(canonical[0], row[0]);
    EXPECT_NEAR(canonical[6] / row[6], 1, tolerance);
    EXPECT_NEAR(std::remainder(canonical[7] - row[7], 360), 0, 1e-11);
    EXPECT_LE(std::fabs(canonical[7]), 180);
    const double length = std::hypot(std::hypot(row[2], row[3]), std::hypot(row[4], row[5]));
    const double sign = row[5] < 0 ? -1 : 1;
    for (size_t i = 2; i < 6; ++i) EXPECT_NEAR(canonical[i], sign * row[i] / length, tolerance);
  }
}

TEST(Space, scale_divides_each_group_of_a_distance) {
  const Space space =
      Space::parse("theta=angle,qw+qx+qy+qz=rotation", {"x", "theta", "qw", "qx", "qy", "qz"});
  const std::vector<double> a = {1, 3, 0, 0, 0}, b = {4, -3, 0, 0.5, 0}, scale = {10, 0.1, 2, 2, 2};
  const double turn = (2 * std::numbers::pi - 6) / 0.1;
  EXPECT_NEAR(space.squared_distance(a, b, scale), 0.3 * 0.3 + turn * turn + 0.25 * 0.25, 1e-12);
}

}  // namespace
}  // namespace kedge
