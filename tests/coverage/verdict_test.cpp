#include "kedge/coverage/verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace kedge {
namespace {

constexpr Thresholds thresholds{.support_radius = 1, .delta_radius = 0.5, .edge_factor = 2};

Position at(double support, double delta, bool in_range, size_t admissible) {
  return {.support_distance = support,
          .delta_distance = delta,
          .columns_in_range = in_range,
          .admissible_anchors = admissible};
}

TEST(Verdict, is_interpolation_only_within_the_radius_and_the_ranges) {
  EXPECT_EQ(judge(at(1, 9, true, 0), thresholds), Verdict::interpolation);
  EXPECT_NE(judge(at(1.001, 9, true, 0), thresholds), Verdict::interpolation);
  EXPECT_NE(judge(at(0, 0, false, 3), thresholds), Verdict::interpolation);
}

TEST(Verdict, outside_depends_on_the_difference_alone) {
  EXPECT_EQ(judge(at(100, 0.1, false, 1), thresholds), Verdict::reachable);
  EXPECT_EQ(judge(at(2, 0.1, false, 0), thresholds), Verdict::edge);
  EXPECT_EQ(judge(at(2, 1.0, false, 0), thresholds), Verdict::edge);
  EXPECT_EQ(judge(at(2, 1.001, false, 0), thresholds), Verdict::unreachable);
}

TEST(Verdict, is_undetermined_whenever_a_threshold_or_a_distance_means_nothing) {
  const double nan = std::nan("");
  for (double bad : {nan, 0.0, -1.0, HUGE_VAL}) {
    Thresholds t = thresholds;
    t.support_radius = bad;
    EXPECT_EQ(judge(at(0, 0, true, 20), t), Verdict::undetermined) << bad;
    t = thresholds;
    t.delta_radius = bad;
    EXPECT_EQ(judge(at(0, 0, true, 20), t), Verdict::undetermined) << bad;
  }
  Thresholds narrow = thresholds;
  narrow.edge_factor = 0.5;
  EXPECT_EQ(judge(at(0, 0, true, 20), narrow), Verdict::undetermined);
  EXPECT_EQ(judge(at(0, 0, true, 20), Thresholds{}), Verdict::undetermined);
  EXPECT_EQ(judge(at(nan, 0, true, 20), thresholds), Verdict::undetermined);
  EXPECT_EQ(judge(at(2, nan, false, 0), thresholds), Verdict::undetermined);
}

TEST(Verdict, of_each_kind_has_a_name_of_its_own) {
  std::set<std::string> names;
  for (Verdict verdict : all_verdicts) names.insert(to_text(verdict));
  EXPECT_EQ(names.size(), all_verdicts.size());
  EXPECT_EQ(names.count(""), 0u);
}

}  // namespace
}  // namespace kedge
