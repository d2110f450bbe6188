#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "kedge/anchors/anchors.h"
#include "kedge/core/error.h"
#include "kedge/core/rng.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

constexpr size_t rows = 60, columns = 3;

Matrix<double> random_points(size_t count, uint64_t seed) {
  Rng rng(seed, Stream::domain);
  Matrix<double> points(count, columns);
  for (size_t r = 0; r < count; ++r)
    for (double& x : points.row(r)) x = rng.uniform(-3, 3);
  return points;
}

AnchorIndex index_of_random_points() {
  const std::vector<std::string> names = {"a", "b", "c"};
  return {Space::parse("", names),
          random_points(rows, 1),
          {1, 2, 0.5},
          draw_pool({rows, SelfPairs::exclude}, 200, 5)};
}

// In twenties, so that some are exactly at the limit.
std::vector<float> coarse_weights(uint64_t seed) {
  Rng rng(seed, Stream::noise);
  std::vector<float> weights(rows);
  for (float& weight : weights) weight = static_cast<float>(rng.below(21)) / 20.0f;
  return weights;
}

bool same(const std::vector<AnchorMatch>& a, const std::vector<AnchorMatch>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const AnchorMatch& p, const AnchorMatch& q) {
    return p.anchor == q.anchor && p.analog == q.analog && p.distance == q.distance;
  });
}

TEST(WeightRules, are_the_closest_of_those_whose_weight_is_almost_the_greatest) {
  const AnchorIndex index = index_of_random_points();
  const Matrix<double> queries = random_points(20, 2);
  for (size_t q = 0; q < queries.rows(); ++q) {
    const std::vector<float> weights = coarse_weights(q);
    const float least = trusted_share * *std::max_element(weights.begin(), weights.end());
    std::vector<AnchorMatch> expected;
    for (const AnchorMatch& match : index.match_all(queries.row(q)))
      if (weights[match.anchor] >= least) expected.push_back(match);
    std::sort(expected.begin(), expected.end(), [&](const AnchorMatch& a, const AnchorMatch& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.anchor < b.anchor;
    });
    for (size_t count : {size_t{1}, size_t{2}, size_t{5}, size_t{1000}}) {
      const auto found = index.find(queries.row(q), {.rule = AnchorRule::weight, .count = count}, weights);
      const size_t most = std::min(count, expected.size());
      EXPECT_TRUE(same(found, {expected.begin(), expected.begin() + static_cast<long>(most)})) << count;
    }
  }
}

TEST(WeightRules, of_greatest_weight_is_one_row_and_of_several_the_closest) {
  const AnchorIndex index = index_of_random_points();
  std::vector<float> weights(rows, 0.79f);
  weights[3] = weights[40] = 0.8f;
  const Matrix<double> queries = random_points(50, 3);
  for (size_t q = 0; q < queries.rows(); ++q) {
    const auto found = index.find(queries.row(q), {.rule = AnchorRule::weight_greatest}, weights);
    const AnchorMatch third = index.match(queries.row(q), 3), fortieth = index.match(queries.row(q), 40);
    EXPECT_TRUE(same(found, {third.distance <= fortieth.distance ? third : fortieth}));
  }
}

TEST(WeightRules, are_drawn_in_proportion_to_their_weights_and_by_the_query_alone) {
  const AnchorIndex index = index_of_random_points();
  std::vector<float> weights(rows, 0.0f);
  weights[3] = 0.2f;
  weights[40] = 0.6f;
  weights[59] = 0.2f;
  const Matrix<double> queries = random_points(3000, 3);
  const AnchorOptions rule{.rule = AnchorRule::weight_sample};
  std::map<uint32_t, double> share;
  for (size_t q = 0; q < queries.rows(); ++q) {
    const auto once = index.find(queries.row(q), rule, weights);
    ASSERT_EQ(once.size(), 1u);
    EXPECT_TRUE(same(once, index.find(queries.row(q), rule, weights)));
    EXPECT_TRUE(same(once, {index.match(queries.row(q), once[0].anchor)}));
    share[once[0].anchor] += 1.0 / static_cast<double>(queries.rows());
  }
  const double six_deviations = 6 * std::sqrt(0.25 / static_cast<double>(queries.rows()));
  EXPECT_NEAR(share[3], 0.2, six_deviations);
  EXPECT_NEAR(share[40], 0.6, six_deviations);
  EXPECT_NEAR(share[59], 0.2, six_deviations);
}

TEST(WeightRules, are_the_closest_where_nothing_has_a_weight) {
  const AnchorIndex index = index_of_random_points();
  const std::vector<float> weights(rows, 0.0f);
  const std::vector<double> point = {0.1, 4, -2};
  const auto closest = index.find(point, {.rule = AnchorRule::many, .count = 5});
  EXPECT_TRUE(same(index.find(point, {.rule = AnchorRule::weight, .count = 5}, weights), closest));
  EXPECT_TRUE(same(index.find(point, {.rule = AnchorRule::weight_sample}, weights), {closest[0]}));
}

TEST(WeightRules, have_rules_that_are_written_as_they_are_read) {
  for (const char* text : {"weight", "weight=20", "weight=greatest", "weight=sample"})
    EXPECT_EQ(to_text(parse_anchors(text)), text);
  EXPECT_EQ(to_text(parse_anchors("weight=1")), "weight");
  for (const char* text : {"weight=0", "weight=1.5", "weight=many", "weight=", "weight=-2"})
    EXPECT_THROW(parse_anchors(text), Error) << text;
}

TEST(WeightRules, need_one_weight_for_each_row_and_say_so_in_one_line) {
  const AnchorIndex index = index_of_random_points();
  const std::vector<double> point = {0, 0, 0};
  for (const char* text : {"weight", "weight=greatest", "weight=sample"}) {
    for (const size_t count : {size_t{0}, rows - 1}) {
      const std::string error =
          error_text([&] { index.find(point, parse_anchors(text), std::vector<float>(count, 0.5f)); });
      EXPECT_NE(error.find("each of the 60 training rows"), std::string::npos) << error;
      EXPECT_EQ(error.find("--"), std::string::npos) << error;
    }
  }
}

TEST(WeightRules, ignore_weights_where_the_rule_does_not_go_by_them) {
  const AnchorIndex index = index_of_random_points();
  const std::vector<double> point = {0.1, 4, -2};
  EXPECT_TRUE(same(index.find(point, {.rule = AnchorRule::many}, coarse_weights(1)),
                   index.find(point, {.rule = AnchorRule::many})));
}

}  // namespace
}  // namespace kedge
