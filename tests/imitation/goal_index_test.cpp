#include "kedge/imitation/goal_index.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "kedge/core/rng.h"
#include "kedge/table/standardizer.h"

namespace kedge {
namespace {

const std::vector<std::string> names = {"x", "y"};
constexpr AnchorOptions nearest{.rule = AnchorRule::nearest};

Matrix<double> goals_in(double low, double high, size_t count, uint64_t seed) {
  Rng rng(seed, Stream::goals);
  Matrix<double> goals(count, 2);
  for (size_t g = 0; g < count; ++g) {
    goals(g, 0) = rng.uniform(low, high);
    goals(g, 1) = rng.uniform(0, 0.1);
  }
  return goals;
}

TEST(GoalIndex, finds_the_anchor_that_brute_force_over_all_demonstrations_finds) {
  const Matrix<double> goals = goals_in(0, 1, 40, 1), tried = goals_in(-1, 0, 25, 2);
  for (Scaling scaling : {Scaling::standard, Scaling::none}) {
    const GoalIndex::Options options{.scaling = scaling, .pool = 300, .seed = 5};
    const GoalIndex index(goals, names, options);
    const std::vector<Pair> pool = draw_pool(PairSampler(goals.rows(), options.self), 300, 5);
    const std::vector<double> scale =
        scaling == Scaling::standard ? Standardizer::fit(goals).scale : std::vector<double>{1, 1};
    for (size_t q = 0; q < tried.rows(); ++q) {
      double least = std::numeric_limits<double>::infinity();
      size_t best = 0;
      for (size_t a = 0; a < goals.rows(); ++a)
        for (const Pair& pair : pool) {
          double squares = 0;
          for (size_t c = 0; c < 2; ++c) {
            const double d = tried(q, c) - goals(a, c) - (goals(pair.query, c) - goals(pair.anchor, c));
            squares += d * d / (scale[c] * scale[c]);
          }
          if (std::sqrt(squares) < least) {
            least = std::sqrt(squares);
            best = a;
          }
        }
      const GoalAnswer answer = index.answer(tried.row(q), nearest);
      ASSERT_EQ(answer.anchors, std::vector<uint32_t>{static_cast<uint32_t>(best)});
      EXPECT_NEAR(answer.delta_distance, least, 1e-12);
    }
  }
}

TEST(GoalIndex, judges_goals_as_coverage_judges_queries) {
  const GoalIndex index(goals_in(0, 1, 200, 1), names, {});
  const auto verdict = [&](double x, double y, AnchorRule rule = AnchorRule::nearest) {
    const std::vector<double> goal = {x, y};
    return index.answer(goal, {.rule = rule}).verdict;
  };
  EXPECT_EQ(verdict(0.5, 0.05), Verdict::interpolation);
  EXPECT_EQ(verdict(-0.5, 0.05), Verdict::reachable);
  EXPECT_EQ(verdict(-9, 0.05), Verdict::unreachable);
  // A nearest goal vouches for nothing outside.
  EXPECT_EQ(verdict(0.5, 0.05, AnchorRule::neighbour), Verdict::interpolation);
  EXPECT_NE(verdict(-0.5, 0.05, AnchorRule::neighbour), Verdict::reachable);
  EXPECT_NE(verdict(-0.5, 0.05, AnchorRule::none), Verdict::reachable);
}

TEST(GoalIndex, gives_the_same_answer_whoever_asks_and_whatever_was_asked_before) {
  const Matrix<double> tried = goals_in(-1, 1, 8, 3);
  for (AnchorRule rule : {AnchorRule::nearest, AnchorRule::percentile, AnchorRule::many}) {
    const GoalIndex index(goals_in(0, 1, 60, 1), names, {}), other(goals_in(0, 1, 60, 1), names, {});
    std::vector<GoalAnswer> forward(tried.rows()), backward(tried.rows());
    std::thread asker([&] {
      for (size_t q = 0; q < tried.rows(); ++q) forward[q] = index.answer(tried.row(q), {.rule = rule});
    });
    for (size_t q = tried.rows(); q-- > 0;) backward[q] = other.answer(tried.row(q), {.rule = rule});
    asker.join();
    for (size_t q = 0; q < tried.rows(); ++q) {
      EXPECT_EQ(forward[q].anchors, backward[q].anchors);
      EXPECT_EQ(forward[q].support_distance, backward[q].support_distance);
      EXPECT_EQ(forward[q].delta_distance, backward[q].delta_distance);
      EXPECT_EQ(forward[q].verdict, backward[q].verdict);
    }
  }
}

TEST(GoalIndex, answers_the_same_with_the_coverage_that_a_file_kept) {
  const Matrix<double> goals = goals_in(0, 1, 60, 1), tried = goals_in(-1, 1, 8, 3);
  const GoalIndex index(goals, names, {}), again(goals, names, {}, index.coverage());
  for (size_t q = 0; q < tried.rows(); ++q) {
    const GoalAnswer a = index.answer(tried.row(q), nearest), b = again.answer(tried.row(q), nearest);
    EXPECT_EQ(a.verdict, b.verdict);
    EXPECT_EQ(a.anchors, b.anchors);
    EXPECT_TRUE(std::isnan(a.expected_error) && std::isnan(b.expected_error));
  }
}

}  // namespace
}  // namespace kedge
