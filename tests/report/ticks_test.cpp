#include "kedge/report/ticks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

constexpr double relative_tolerance = 1e-9;

void expect_laws(double low, double high, const AxisTicks& ticks, AxisEnds ends) {
  SCOPED_TRACE(testing::Message() << low << " to " << high);
  ASSERT_GE(ticks.values.size(), 1u);
  ASSERT_EQ(ticks.labels.size(), ticks.values.size());
  EXPECT_LT(ticks.low, ticks.high);
  const double slack = 1e-5 * (ticks.high - ticks.low);
  EXPECT_LE(ticks.low, low + slack);
  EXPECT_GE(ticks.high, high - slack);
  EXPECT_GE(ticks.values.front(), ticks.low - slack);
  EXPECT_LE(ticks.values.back(), ticks.high + slack);
  if (ends == AxisEnds::rounded) {
    EXPECT_NEAR(ticks.values.front(), ticks.low, slack);
    EXPECT_NEAR(ticks.values.back(), ticks.high, slack);
  }
  EXPECT_EQ(std::set<std::string>(ticks.labels.begin(), ticks.labels.end()).size(), ticks.labels.size());
  if (ticks.values.size() < 2) return;
  const double step = ticks.values[1] - ticks.values[0];
  const double exponent = std::floor(std::log10(step) + relative_tolerance);
  const double digit = step / std::pow(10.0, exponent);
  const double nearest = digit < 1.5 ? 1 : digit < 3 ? 2 : 5;
  EXPECT_NEAR(digit, nearest, 1e-3) << "step " << step;
}

TEST(Ticks, are_round_distinct_and_cover_the_data_for_random_ranges) {
  Rng rng(1, Stream::noise);
  for (int trial = 0; trial < 3000; ++trial) {
    const double scale = std::pow(10.0, rng.uniform(-12, 12));
    const double low = scale * rng.uniform(-1, 1);
    const double high = low + scale * rng.uniform(1e-4, 1);
    const int about = 1 + static_cast<int>(rng.below(12));
    for (AxisEnds ends : {AxisEnds::exact, AxisEnds::rounded}) {
      const AxisTicks ticks = make_ticks(low, high, about, ends);
      expect_laws(low, high, ticks, ends);
      EXPECT_LE(ticks.values.size(), static_cast<size_t>(2 * about + 5));
    }
  }
}

TEST(Ticks, of_familiar_ranges_are_those_one_would_write_by_hand) {
  using Labels = std::vector<std::string>;
  EXPECT_EQ(make_ticks(10, 50, 4, AxisEnds::exact).labels, (Labels{"10", "20", "30", "40", "50"}));
  EXPECT_EQ(make_ticks(-0.48, 1.45, 4, AxisEnds::rounded).labels,
            (Labels{"−0.5", "0.0", "0.5", "1.0", "1.5"}));
  EXPECT_EQ(make_ticks(0, 0.3, 3, AxisEnds::exact).values, (std::vector<double>{0, 0.1, 0.2, 0.3}));
  EXPECT_EQ(make_ticks(0, 20000, 2, AxisEnds::exact).labels, (Labels{"0", "10,000", "20,000"}));
  EXPECT_EQ(make_ticks(0, 3e6, 3, AxisEnds::exact).labels, (Labels{"0", "1×10⁶", "2×10⁶", "3×10⁶"}));
  EXPECT_EQ(make_ticks(0, 2e-5, 2, AxisEnds::exact).labels, (Labels{"0", "1×10⁻⁵", "2×10⁻⁵"}));
}

TEST(Ticks, of_ratios_are_powers_of_ten_or_one_two_and_five_times_them) {
  using Labels = std::vector<std::string>;
  EXPECT_EQ(make_log_ticks(0.004, 0.6, 6).labels,
            (Labels{"0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5"}));
  EXPECT_EQ(make_log_ticks(0.004, 0.6, 3).labels, (Labels{"0.01", "0.1"}));
  EXPECT_EQ(make_log_ticks(1e-6, 1e6, 5).labels, (Labels{"1×10⁻⁶", "0.001", "1", "1000", "1×10⁶"}));
  EXPECT_EQ(make_log_ticks(60, 130, 4).labels, (Labels{"60", "80", "100", "120"})) << "no two are within";
  Rng rng(2, Stream::noise);
  for (int trial = 0; trial < 1000; ++trial) {
    const double low = std::pow(10, rng.uniform(-280, 280)), high = low * std::pow(10, rng.uniform(0, 20));
    const AxisTicks ticks = make_log_ticks(low, high, 5);
    ASSERT_GE(ticks.values.size(), 1u);
    ASSERT_LE(ticks.values.size(), 12u);
    EXPECT_LT(ticks.low, ticks.high);
    EXPECT_GE(ticks.values.front(), ticks.low * (1 - 1e-5));
    EXPECT_LE(ticks.values.back(), ticks.high * (1 + 1e-5));
    EXPECT_EQ(std::set<std::string>(ticks.labels.begin(), ticks.labels.end()).size(), ticks.values.size());
  }
  EXPECT_GE(make_log_ticks(3, 3, 5).values.size(), 2u);
}

TEST(Ticks, numbers_have_as_many_digits_as_asked_and_no_needless_zeros) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(0.02), "0.02");
  EXPECT_EQ(number_text(0.019849), "0.0198");
  EXPECT_EQ(number_text(0.019849, 2), "0.02");
  EXPECT_EQ(number_text(9.999), "10");
  EXPECT_EQ(number_text(-123.4), "−123");
  EXPECT_EQ(number_text(45678), "45,678");
  EXPECT_EQ(number_text(1.5e-7), "1.5×10⁻⁷");
  EXPECT_EQ(number_text(std::nan("")), "–");
}

TEST(Ticks, of_a_constant_or_extreme_range_still_make_an_axis) {
  for (AxisEnds ends : {AxisEnds::exact, AxisEnds::rounded}) {
    for (double value : {0.0, 5.0, -3e-7, 1e17, 1e300, -1e308, 1e-320}) {
      const AxisTicks ticks = make_ticks(value, value, 5, ends);
      EXPECT_LT(ticks.low, ticks.high) << value;
      EXPECT_GE(ticks.values.size(), 2u) << value;
    }
    EXPECT_GE(make_ticks(-1e308, 1e308, 5, ends).values.size(), 2u);
    EXPECT_GE(make_ticks(1.04, 1.06, 1, ends).values.size(), 1u);
  }
}

}  // namespace
}  // namespace kedge
