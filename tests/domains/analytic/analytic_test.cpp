#include "kedge/domains/analytic/analytic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace kedge {
namespace {

constexpr double tolerance = 1e-12;
const double sin10 = std::sin(10.0);
const double just_below_3 = std::nextafter(3.0, 0.0);

TEST(Analytic, mixed_periodic_has_the_values_known_by_hand) {
  EXPECT_EQ(mixed_periodic(0), 0);
  EXPECT_NEAR(mixed_periodic(0.25), std::sin(2.5), tolerance);
  EXPECT_NEAR(mixed_periodic(1), sin10, tolerance);
  EXPECT_NEAR(mixed_periodic(1.5), sin10 + 0.5, tolerance);
  EXPECT_NEAR(mixed_periodic(2), sin10 + 1, tolerance);
  EXPECT_NEAR(mixed_periodic(2.5), sin10 + 1.25, tolerance);
  EXPECT_NEAR(mixed_periodic(3), 0, tolerance);
  EXPECT_NEAR(mixed_periodic(4), std::sin(5.0), tolerance);
  EXPECT_NEAR(mixed_periodic(5), sin10, tolerance);
  EXPECT_NEAR(mixed_periodic(6), sin10 + 0.5, tolerance);
  EXPECT_NEAR(mixed_periodic(7), sin10 + 1, tolerance);
  EXPECT_NEAR(mixed_periodic(8), sin10 + 1.25, tolerance);
  EXPECT_NEAR(mixed_periodic(22), std::sin(5.0), tolerance);  // 22 = 2 * 9 + 4
  EXPECT_NEAR(mixed_periodic(-7.5), sin10 + 0.5, tolerance);  // -7.5 = -9 + 1.5
  EXPECT_NEAR(mixed_periodic(-1e-20), 0, tolerance);
}

TEST(Analytic, sawtooth_rises_from_0_to_4_and_falls_again) {
  const std::map<double, double> values = {{0, 0},  {1, 2},  {2, 4},  {3, 2},  {4, 0},    {4.5, 1},
                                           {21, 2}, {22, 4}, {-1, 2}, {-2, 4}, {-2.5, 3}, {-4, 0}};
  for (const auto& [x, y] : values) EXPECT_NEAR(sawtooth(x), y, tolerance) << x;
}

TEST(Analytic, polynomial_vanishes_at_its_roots_only) {
  for (double root : {0.1, -0.4, -0.7, 0.5, 1.5, -1.75, -1.0, 1.2}) {
    EXPECT_EQ(polynomial(root), 0) << root;
    EXPECT_LT(polynomial(root - 0.01) * polynomial(root + 0.01), 0) << root;
  }
  // (-0.1)(0.4)(0.7)(-0.5)(-1.5)(1.75)(1)(-1.2)
  EXPECT_NEAR(polynomial(0), 0.0441, tolerance);
  // (0.9)(1.4)(1.7)(0.5)(-0.5)(2.75)(2)(-0.2)
  EXPECT_NEAR(polynomial(1), 0.589050, tolerance);
}

TEST(Analytic, growing_periodic_multiplies_its_shape_by_the_count_of_repeats) {
  EXPECT_EQ(growing_periodic(2.5), 0);
  EXPECT_NEAR(growing_periodic(3.25), std::sin(2.5), tolerance);
  EXPECT_NEAR(growing_periodic(22), 7 * sin10, tolerance);  // 22 = 7 * 3 + 1, left end of the line
  EXPECT_NEAR(growing_periodic(23.5), 7 * (sin10 + 1.25), tolerance);
  EXPECT_NEAR(growing_periodic(-1.5), -(sin10 + 0.5), tolerance);  // -1.5 = -3 + 1.5
}

TEST(Analytic, equivariant_climbs_by_3_with_every_repeat) {
  EXPECT_NEAR(equivariant(0.25), std::sin(2.5), tolerance);
  EXPECT_NEAR(equivariant(22.5), 21 + sin10 + 0.5, tolerance);
  EXPECT_NEAR(equivariant(23), 21 + sin10 + 1, tolerance);
  EXPECT_NEAR(equivariant(-0.5), -3 + sin10 + 1.25, tolerance);  // -0.5 = -3 + 2.5
  for (double x = -10; x < 50; x += 0.37) EXPECT_NEAR(equivariant(x + 3), equivariant(x) + 3, 1e-11);
}

TEST(Analytic, next_to_a_boundary_count_and_rest_agree) {
  for (int k : {1, 7, 12, 13}) {
    const double boundary = 3.0 * k;
    EXPECT_NEAR(growing_periodic(boundary), 0, tolerance) << k;
    EXPECT_NEAR(growing_periodic(std::nextafter(boundary, 0.0)), (k - 1) * (sin10 + 2), 1e-9) << k;
    EXPECT_NEAR(equivariant(boundary), boundary, tolerance) << k;
    EXPECT_NEAR(equivariant(std::nextafter(boundary, 0.0)), 3 * (k - 1) + sin10 + 2, 1e-9) << k;
  }
  EXPECT_NEAR(growing_periodic(-1e-20), 0, tolerance);
  EXPECT_EQ(mixed_periodic(just_below_3), sin10 + 1 + (just_below_3 - 2) * (just_below_3 - 2));
}

// The appendix's case lists as they are printed, with a mod found by counting.
double brute(const std::string& name, double x) {
  const auto mod = [&](double period) {
    double rest = x;
    while (rest >= period) rest -= period;
    while (rest < 0) rest += period;
    return rest;
  };
  if (name == "polynomial") {
    double product = 1;
    for (double root : {0.1, -0.4, -0.7, 0.5, 1.5, -1.75, -1.0, 1.2}) product *= x - root;
    return product;
  }
  if (name == "sawtooth") {
    const double rise = mod(2) * 4 / 2;
    return static_cast<long>(std::floor(x / 2)) % 2 == 0 ? rise : 4 - rise;
  }
  if (name == "mixed-periodic") {
    const double v = mod(9);
    if (v < 1) return std::sin(10 * v);
    if (v < 2) return sin10 + (v - 1);
    if (v < 3) return sin10 + 1 + std::pow(v - 2, 2);
    if (v < 5) return std::sin(10 * (v - 3) / 2);
    if (v < 7) return sin10 + ((v - 3) / 2 - 1);
    return sin10 + 1 + std::pow((v - 3) / 2 - 2, 2);
  }
  const double v = mod(3), m = std::floor(x / 3);
  const double piece = v < 1 ? std::sin(10 * v) : v < 2 ? sin10 + (v - 1) : sin10 + 1 + std::pow(v - 2, 2);
  return name == "growing-periodic" ? m * piece : m * 3 + piece;
}

TEST(Analytic, every_row_is_the_formula_and_lies_in_its_range) {
  const double brute_tolerance = 1e-10;
  const size_t rows = 2000;
  for (const Domain& domain : analytic_domains()) {
    SCOPED_TRACE(domain.name);
    const bool narrow = domain.name == "polynomial";
    const double low = narrow ? -1 : 20, high = narrow ? 1 : 40;
    const double oos_low = narrow ? -1.6 : 10, oos_high = narrow ? 1.6 : 50;
    for (Split split : {Split::train, Split::in, Split::oos}) {
      const Table table = domain.sample(split, rows, 3);
      EXPECT_EQ(table.names(Role::input), std::vector<std::string>{"x"});
      EXPECT_EQ(table.names(Role::output), std::vector<std::string>{"y"});
      ASSERT_EQ(table.rows(), rows);
      const std::vector<double>&x = table.column("x").values, &y = table.column("y").values;
      size_t upper = 0;
      for (size_t i = 0; i < rows; ++i) {
        EXPECT_NEAR(y[i], brute(domain.name, x[i]), brute_tolerance) << x[i];
        EXPECT_EQ(x[i] >= low && x[i] <= high, split != Split::oos) << x[i];
        EXPECT_TRUE(x[i] >= oos_low && x[i] <= oos_high) << x[i];
        upper += x[i] > (low + high) / 2 ? 1 : 0;
      }
      EXPECT_NEAR(static_cast<double>(upper), rows / 2.0, 120);
      const double reach = split == Split::oos ? oos_high : high;
      EXPECT_NEAR(*std::max_element(x.begin(), x.end()), reach, 0.01 * (reach - low));
    }
  }
}

TEST(Analytic, the_five_names_are_those_of_the_paper_and_all_use_its_fourier_layer) {
  std::vector<std::string> names;
  for (const Domain& domain : analytic_domains()) {
    names.push_back(domain.name);
    EXPECT_TRUE(domain.fourier_in_paper);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"mixed-periodic", "sawtooth", "polynomial", "growing-periodic",
                                             "equivariant"}));
}

}  // namespace
}  // namespace kedge
