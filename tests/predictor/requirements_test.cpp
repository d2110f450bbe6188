#include "kedge/predictor/requirements.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/predictor/fitted.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Table table_of(std::vector<double> a, std::vector<double> b, std::vector<double> y) {
  Table table("t");
  table.add(column("a", Role::input, std::move(a)));
  table.add(column("y", Role::output, std::move(y)));
  table.add(column("b", Role::input, std::move(b)));
  return table;
}

std::string fit_error(const Table& table, const std::string& space = "") {
  FitOptions options = preset_options("default", "linear");
  options.space = space;
  return error_text([&] { fit_model({table, options}); });
}

TEST(Requirements, name_the_first_bad_row_and_in_it_the_first_column) {
  const std::vector<double> good = {1, 2, 3, 4, 5};
  const auto expect = [&](const Table& table, const std::string& space, const std::string& where) {
    EXPECT_NE(fit_error(table, space).find(where), std::string::npos) << fit_error(table, space);
  };
  expect(table_of({1, 2, nan, 4, 5}, {1, nan, 3, 4, 5}, {1, 2, 3, 4, nan}), "", "t, row 1, column \"b\"");
  expect(table_of({1, 2, nan, 4, 5}, {1, 2, nan, 4, 5}, {1, 2, nan, 4, 5}), "", "t, row 2, column \"a\"");
  expect(table_of(good, {1, 2, nan, 4, 5}, {1, 2, nan, 4, 5}), "", "t, row 2, column \"y\"");
  expect(table_of(good, {1, 2, 3, nan, 5}, {1, nan, 3, 4, 5}), "", "t, row 1, column \"y\"");
  // A row that is no point of the space comes before one that is not finite.
  expect(table_of({1, -2, nan, 4, 5}, good, {1, 2, 3, nan, 5}), "a=log", "t, row 1: ");
  expect(table_of({1, 2, 3, -4, 5}, good, {1, 2, nan, 4, 5}), "a=log", "t, row 2, column \"y\"");
}

TEST(Requirements, of_queries_name_the_first_bad_row) {
  const Space space = Space::parse("a=log", {"a", "b"});
  const auto error = [&](std::vector<double> a, std::vector<double> b) {
    const std::vector<double> y(a.size());
    const Table table = table_of(std::move(a), std::move(b), y);
    return error_text([&] { canonical_points(table, {"a", "b"}, space, "predict"); });
  };
  EXPECT_NE(error({1, -1, 1}, {1, 1, nan}).find("t, row 1: "), std::string::npos);
  EXPECT_NE(error({1, 1, -1}, {1, nan, 1}).find("t, row 1, column \"b\""), std::string::npos);
  EXPECT_EQ(error({1, 1, 1}, {1, 1, 1}), "");
}

TEST(Requirements, numbers_whose_squares_are_lost_are_an_error_that_names_the_column) {
  const auto times = [](double unit) { return std::vector<double>{1 * unit, 2 * unit, 4 * unit, 3 * unit}; };
  const std::vector<double> plain = {1, 5, 2, 4};
  for (double unit : {1e-200, 1e-300, 1e-310}) {
    EXPECT_NE(fit_error(table_of(times(unit), plain, plain)).find("column \"a\"; change the units"),
              std::string::npos)
        << unit;
    EXPECT_NE(fit_error(table_of(plain, plain, times(unit))).find("column \"y\"; change the units"),
              std::string::npos)
        << unit;
  }
  for (double unit : {1e-140, 1.0, 1e140})
    EXPECT_EQ(fit_error(table_of(times(unit), plain, times(unit))), "");
  EXPECT_NE(fit_error(table_of(times(1e200), plain, plain)).find("column \"a\"; change the units"),
            std::string::npos);
}

TEST(Requirements, inputs_far_below_one_give_the_model_of_the_same_inputs_in_other_units) {
  const std::vector<double> x = {1, 5, 2, 4, 3, 7}, z = {3, 1, 4, 1, 5, 9}, y = {2, 1, 3, 5, 8, 1};
  constexpr double unit = 0x1p-450;
  std::vector<double> small = x;
  for (double& value : small) value *= unit;
  FitOptions options = preset_options("default", "linear");
  const Predictor usual = fit_model({table_of(x, z, y), options}).predictor,
                  tiny = fit_model({table_of(small, z, y), options}).predictor;
  const Predictions a = usual.predict(table_of(x, z, y)), b = tiny.predict(table_of(small, z, y));
  for (size_t r = 0; r < x.size(); ++r) {
    EXPECT_EQ(a.y(r, 0), b.y(r, 0));
    EXPECT_EQ(a.support_distance[r], b.support_distance[r]);
  }
}

}  // namespace
}  // namespace kedge
