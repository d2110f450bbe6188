#include "kedge/domains/laws/laws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "kedge/core/error.h"
#include "kedge/core/score.h"
#include "kedge/space/space.h"

namespace kedge {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<double> at(const char* law, const std::vector<double>& inputs) {
  return find_law(law).value(inputs);
}

std::vector<double> midpoint(const Law& law) {
  std::vector<double> x;
  for (const LawInput& input : law.inputs) x.push_back((input.low + input.high) / 2);
  return x;
}

TEST(Laws, swing_starts_at_rest_at_ten_degrees_and_obeys_its_equation) {
  const auto angle = [](double t) { return at("swing", {t})[0]; };
  EXPECT_EQ(angle(0), 10);
  const double h = 1e-3, tolerance = 1e-4;
  EXPECT_NEAR((angle(h) - angle(-h)) / (2 * h), 0, tolerance);
  for (double t = 0; t <= 20; t += 0.7) {
    const double velocity = (angle(t + h) - angle(t - h)) / (2 * h);
    const double acceleration = (angle(t + h) - 2 * angle(t) + angle(t - h)) / (h * h);
    EXPECT_NEAR(acceleration + 0.1 * velocity + 9.81 * angle(t), 0, tolerance) << t;
  }
  // Integrated step by step, apart from this code.
  EXPECT_NEAR(angle(7), -7.0221764905, 1e-9);
}

TEST(Laws, tide_turns_by_the_speeds_of_its_constituents) {
  // 28.9841042 and 30 degrees an hour.
  EXPECT_NEAR(at("tide", {0})[0], 4 + 2.05 + 0.75 * std::cos(40 * pi / 180), 1e-12);
  EXPECT_NEAR(at("tide", {200})[0], 4.936283080588, 1e-6);
}

TEST(Laws, parcel_steps_up_behind_each_whole_kilogram) {
  EXPECT_NEAR(at("parcel", {12})[0], 4.5 + 12 * 1.2 + 12 * 0.15, 1e-12);
  EXPECT_NEAR(at("parcel", {12.001})[0] - at("parcel", {12})[0], 1.2 + 0.001 * 0.15, 1e-12);
  EXPECT_NEAR(at("parcel", {13})[0] - at("parcel", {12.001})[0], 0.999 * 0.15, 1e-12);
}

TEST(Laws, yeast_grows_in_proportion_to_what_is_there_and_what_is_left) {
  const auto amount = [](double t) { return at("yeast", {t})[0]; };
  EXPECT_NEAR(amount(0), 10.21952420090824, 1e-9);
  const double h = 1e-4;
  for (double t = 0; t <= 18; t += 1.3) {
    const double growth = (amount(t + h) - amount(t - h)) / (2 * h);
    EXPECT_NEAR(growth, 0.531 * amount(t) * (1 - amount(t) / 665), 1e-5) << t;
  }
}

TEST(Laws, braking_is_the_integral_of_speed_over_deceleration) {
  const double v = 100 / 3.6;
  const size_t parts = 20000;
  double way = v * 1.0;
  for (size_t i = 0; i < parts; ++i) {
    const double u = (static_cast<double>(i) + 0.5) * v / parts;
    way += u / (0.7 * 9.81 + 0.42 / 1500 * u * u) * v / parts;
  }
  EXPECT_NEAR(at("braking", {100})[0], way, 1e-6);
  EXPECT_NEAR(at("braking", {100})[0], 83.0941869, 1e-6);
  EXPECT_EQ(at("braking", {0})[0], 0);
}

TEST(Laws, pump_follows_the_affinity_laws) {
  const std::vector<double> one = at("pump", {50, 1600, 260});
  EXPECT_NEAR(one[0], 29.469887976646845, 1e-9);
  EXPECT_NEAR(one[1], 5.5739535615107805, 1e-9);
  const std::vector<double> faster = at("pump", {100, 3200, 260}), larger = at("pump", {400, 1600, 520});
  EXPECT_NEAR(faster[0] / one[0], 4, 1e-9);
  EXPECT_NEAR(faster[1] / one[1], 8, 1e-9);
  EXPECT_NEAR(larger[0] / one[0], 4, 1e-9);
  EXPECT_NEAR(larger[1] / one[1], 32, 1e-9);
}

TEST(Laws, pump_never_gives_more_power_than_it_takes) {
  for (Split split : {Split::train, Split::oos}) {
    const Table table = find_domain("pump").sample(split, 2000, 1);
    for (size_t row = 0; row < table.rows(); ++row) {
      const double flow = table.column("flow").values[row] / 3600, head = table.column("head").values[row];
      EXPECT_GT(head, 0);
      EXPECT_LT(1000 * gravity * flow * head, 1000 * table.column("power").values[row]) << row;
    }
  }
}

TEST(Laws, arm_reaches_its_lengths_stretched_and_no_farther) {
  EXPECT_NEAR(at("arm", {0, 0, 0.4, 0.3})[0], 0.7, 1e-12);
  EXPECT_NEAR(at("arm", {pi / 2, 0, 0.4, 0.3})[1], 0.7, 1e-12);
  EXPECT_NEAR(at("arm", {0, pi, 0.4, 0.3})[0], 0.1, 1e-12);
  EXPECT_NEAR(at("arm", {0, pi / 2, 0.4, 0.3})[0], 0.4, 1e-12);
  EXPECT_NEAR(at("arm", {0, pi / 2, 0.4, 0.3})[1], 0.3, 1e-12);
  const Law& law = find_law("arm");
  const Table table = find_domain("arm").sample(Split::oos, 2000, 1);
  const Matrix<double> x = table.matrix(table.names(Role::input));
  for (size_t row = 0; row < x.rows(); ++row) {
    const std::vector<double> tip = law.value(x.row(row));
    const double theta2 = x(row, 1), l1 = x(row, 2), l2 = x(row, 3), distance = std::hypot(tip[0], tip[1]);
    EXPECT_LE(distance, l1 + l2 + 1e-12);
    EXPECT_GE(distance, std::abs(l1 - l2) - 1e-12);
    // Law of cosines.
    EXPECT_NEAR(distance * distance, l1 * l1 + l2 * l2 + 2 * l1 * l2 * std::cos(theta2), 1e-12);
  }
}

TEST(Laws, arm_declares_both_joints_as_angles) {
  const Domain& domain = find_domain("arm");
  const Space space = Space::parse(domain.space, domain.sample(Split::train, 1, 0).names(Role::input));
  std::vector<GroupKind> kinds;
  for (const Group& group : space.groups()) kinds.push_back(group.kind);
  EXPECT_EQ(kinds, (std::vector{GroupKind::angle, GroupKind::angle, GroupKind::vector, GroupKind::vector}));
}

TEST(Laws, reaction_gives_its_activation_energy_back) {
  EXPECT_NEAR(at("reaction", {340, 50, 1.2, 0.8})[0], 99.9600612627553, 1e-8);
  EXPECT_NEAR(at("reaction", {340, 50, 2.4, 0.8})[0], 2 * 99.9600612627553, 1e-8);
  EXPECT_NEAR(at("reaction", {340, 50, 1.2, 1.6})[0], 2 * 99.9600612627553, 1e-8);
  const double ratio = at("reaction", {360, 50, 1, 1})[0] / at("reaction", {320, 50, 1, 1})[0];
  EXPECT_NEAR(std::log(ratio) * 8.314462618e-3 / (1 / 320.0 - 1 / 360.0), 50, 1e-9);
}

TEST(Laws, projectile_without_drag_is_the_parabola) {
  for (double speed : {10.0, 30.0, 50.0})
    for (double degrees : {15.0, 45.0, 75.0}) {
      const double angle = degrees * pi / 180;
      const Flight flight = fly(speed, angle, 0);
      EXPECT_NEAR(flight.range, speed * speed * std::sin(2 * angle) / 9.81, 1e-9);
      EXPECT_NEAR(flight.apex, std::pow(speed * std::sin(angle), 2) / (2 * 9.81), 1e-9);
      EXPECT_NEAR(flight.time, 2 * speed * std::sin(angle) / 9.81, 1e-9);
    }
}

TEST(Laws, projectile_with_drag_agrees_with_other_integrations) {
  // Midpoint method with steps of 0.02 ms, apart from this code.
  const std::vector<double> flight = at("projectile", {30, 45, 0.15, 35, 0.4, 1.2});
  EXPECT_NEAR(flight[0], 66.6930118, 1e-5);
  EXPECT_NEAR(flight[1], 19.1193192, 1e-5);
  EXPECT_NEAR(flight[2], 3.94250871, 1e-6);
  // Straight up the equation has a solution: apex ln(1 + k v^2 / g) / (2 k).
  const double k = 0.01, speed = 40, nearly_up = pi / 2 - 1e-6;
  EXPECT_NEAR(fly(speed, nearly_up, k).apex, std::log1p(k * speed * speed / 9.81) / (2 * k), 1e-6);
}

TEST(Laws, projectile_depends_on_area_drag_density_and_mass_through_their_quotient_only) {
  const std::vector<double> one = at("projectile", {30, 45, 0.15, 35, 0.4, 1.2});
  for (const std::vector<double>& same : {std::vector<double>{30, 45, 0.3, 70, 0.4, 1.2},
                                          {30, 45, 0.15, 17.5, 0.8, 1.2},
                                          {30, 45, 0.15, 70, 0.4, 0.6}}) {
    const std::vector<double> other = find_law("projectile").value(same);
    for (size_t k = 0; k < one.size(); ++k) EXPECT_NEAR(other[k], one[k], 1e-9);
  }
}

TEST(Laws, beam_agrees_with_the_work_of_a_unit_load) {
  // Integral of M m / (E I) over the span, m the moment of a unit load at midspan; apart from this code.
  const std::vector<double> one = at("beam", {5, 130, 300, 12, 2, 3, 4, 1.5, 0.2, 0.4, 0.65, 0.8});
  EXPECT_NEAR(one[0], 6.183226495604, 1e-6);
  EXPECT_NEAR(one[1], 8.25, 1e-12);
  // One load at midspan: P L^3 / (48 E I) and P L / 4.
  const std::vector<double> middle = at("beam", {6, 120, 300, 10, 0, 3, 0, 0, 0.2, 0.5, 0.65, 0.8});
  EXPECT_NEAR(middle[0], 1e3 * 3e3 * 216 / (48 * 10e9 * 0.12 * 0.027 / 12), 1e-9);
  EXPECT_NEAR(middle[1], 4.5, 1e-12);
}

TEST(Laws, are_five_of_one_input_and_five_of_several_up_to_twelve) {
  std::map<std::string, size_t> inputs;
  for (const Law& law : all_laws()) inputs[law.name] = law.inputs.size();
  EXPECT_EQ(inputs, (std::map<std::string, size_t>{{"swing", 1},
                                                   {"tide", 1},
                                                   {"parcel", 1},
                                                   {"yeast", 1},
                                                   {"braking", 1},
                                                   {"pump", 3},
                                                   {"arm", 4},
                                                   {"reaction", 4},
                                                   {"projectile", 6},
                                                   {"beam", 12}}));
  EXPECT_EQ(curve_laws().size(), 5u);
  EXPECT_EQ(table_laws().size(), 5u);
  EXPECT_THROW(find_law("ohm"), Error);
}

TEST(Laws, are_the_last_domains_and_the_only_fresh_ones) {
  const std::vector<Domain>& domains = all_domains();
  const std::vector<Domain> laws = law_domains();
  ASSERT_GT(domains.size(), laws.size());
  const size_t others = domains.size() - laws.size();
  for (size_t d = 0; d < domains.size(); ++d) {
    EXPECT_EQ(domains[d].fresh, d >= others) << domains[d].name;
  }
  for (size_t d = 0; d < laws.size(); ++d) EXPECT_EQ(domains[others + d].name, laws[d].name);
}

TEST(Laws, a_range_goes_out_by_half_of_its_width_on_the_sides_it_says) {
  EXPECT_EQ((LawInput{"x", 2, 4, Beyond::both}.oos_low()), 1);
  EXPECT_EQ((LawInput{"x", 2, 4, Beyond::both}.oos_high()), 5);
  EXPECT_EQ((LawInput{"x", 2, 4, Beyond::above}.oos_low()), 2);
  EXPECT_EQ((LawInput{"x", 2, 4, Beyond::above}.oos_high()), 5);
  EXPECT_EQ((LawInput{"x", 2, 4}.oos_low()), 2);
  EXPECT_EQ((LawInput{"x", 2, 4}.oos_high()), 4);
}

TEST(Laws, rows_of_support_fill_their_box_and_rows_out_of_it_only_the_rest_of_the_larger_one) {
  const size_t rows = 2000;
  const double near_the_end = 0.02;
  for (const Law& law : all_laws())
    for (Split split : {Split::train, Split::in, Split::oos}) {
      SCOPED_TRACE(law.name);
      const Table table = find_domain(law.name).sample(split, rows, 3);
      const Matrix<double> x = table.matrix(table.names(Role::input));
      ASSERT_EQ(x.cols(), law.inputs.size());
      for (size_t row = 0; row < rows; ++row) {
        bool inside = true;
        for (size_t k = 0; k < x.cols(); ++k)
          inside = inside && x(row, k) >= law.inputs[k].low && x(row, k) <= law.inputs[k].high;
        EXPECT_EQ(inside, split != Split::oos) << row;
      }
      for (size_t k = 0; k < x.cols(); ++k) {
        const LawInput& input = law.inputs[k];
        const double low = split == Split::oos ? input.oos_low() : input.low;
        const double high = split == Split::oos ? input.oos_high() : input.high;
        const std::vector<double>& values = table.column(input.name).values;
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        EXPECT_GE(*least, low);
        EXPECT_LE(*most, high);
        EXPECT_NEAR(*least, low, near_the_end * (high - low)) << input.name;
        EXPECT_NEAR(*most, high, near_the_end * (high - low)) << input.name;
      }
    }
}

TEST(Laws, functions_have_no_noise_and_tables_one_percent_of_the_deviation_in_support) {
  const size_t rows = 4000;
  const double sampling = 0.06;  // five deviations of a deviation found from so many rows
  for (const Law& law : all_laws())
    for (Split split : {Split::train, Split::in, Split::oos}) {
      const Table table = find_domain(law.name).sample(split, rows, 4);
      const Matrix<double> x = table.matrix(table.names(Role::input));
      std::vector<std::vector<double>> truth(law.outputs.size());
      for (size_t row = 0; row < rows; ++row) {
        const std::vector<double> y = law.value(x.row(row));
        for (size_t k = 0; k < y.size(); ++k) truth[k].push_back(y[k]);
      }
      for (size_t k = 0; k < truth.size(); ++k) {
        SCOPED_TRACE(law.name + " " + law.outputs[k].name);
        std::vector<double> noise = table.column(law.outputs[k].name).values;
        for (size_t row = 0; row < rows; ++row) noise[row] -= truth[k][row];
        if (law.inputs.size() == 1) {
          EXPECT_EQ(root_mean_square(noise), 0);
          continue;
        }
        const double stated = law.outputs[k].noise;
        EXPECT_NEAR(root_mean_square(noise), stated, sampling * stated);
        if (split == Split::oos) continue;
        EXPECT_NEAR(stated, 0.01 * deviation(truth[k]), sampling * stated);
      }
    }
}

TEST(Laws, a_shorter_table_is_the_start_of_a_longer_one) {
  for (const Domain& domain : law_domains())
    for (Split split : {Split::train, Split::in, Split::oos}) {
      const Table some = domain.sample(split, 5, 2), more = domain.sample(split, 9, 2);
      for (const Column& column : some.columns()) {
        const std::vector<double>& longer = more.column(column.name).values;
        EXPECT_TRUE(std::equal(column.values.begin(), column.values.end(), longer.begin())) << domain.name;
      }
    }
}

TEST(Laws, outputs_are_finite_and_every_input_changes_some) {
  for (const Law& law : all_laws()) {
    const std::vector<double> middle = law.value(midpoint(law));
    ASSERT_EQ(middle.size(), law.outputs.size()) << law.name;
    for (size_t k = 0; k < law.inputs.size(); ++k) {
      std::vector<double> x = midpoint(law);
      x[k] += 0.3 * (law.inputs[k].high - law.inputs[k].low);
      const std::vector<double> moved = law.value(x);
      for (double y : moved) EXPECT_TRUE(std::isfinite(y)) << law.name;
      EXPECT_NE(moved, middle) << law.name << " " << law.inputs[k].name;
    }
    for (double y : middle) EXPECT_TRUE(std::isfinite(y)) << law.name;
  }
}

}  // namespace
}  // namespace kedge
