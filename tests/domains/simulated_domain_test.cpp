#include "kedge/domains/simulated_domain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "kedge/core/error.h"
#include "kedge/demonstrations/rollout.h"

// What every simulated domain keeps; none is there in a build without MuJoCo.

namespace kedge {
namespace {

class Idle : public Controller {
 public:
  void begin(std::span<const double>) override {}
  void act(std::span<const double>, std::span<double> action) override {
    std::fill(action.begin(), action.end(), 0.0);
  }
};

Matrix<double> rows_of(const Matrix<double>& matrix, const std::vector<size_t>& rows) {
  Matrix<double> result(rows.size(), matrix.cols());
  for (size_t r = 0; r < rows.size(); ++r)
    std::copy_n(matrix.row(rows[r]).data(), matrix.cols(), result.row(r).data());
  return result;
}

double mean(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

void expect_same(const Rollouts& a, size_t i, const Rollouts& b, size_t j, const std::string& name) {
  EXPECT_EQ(a.episodes[i].observations, b.episodes[j].observations) << name;
  EXPECT_EQ(a.episodes[i].actions, b.episodes[j].actions) << name;
  EXPECT_EQ(a.errors[i], b.errors[j]) << name;
}

TEST(SimulatedDomain, names_are_unique_and_found) {
  std::set<std::string> names;
  for (const SimulatedDomain& domain : simulated_domains()) {
    EXPECT_TRUE(names.insert(domain.name).second) << domain.name;
    EXPECT_EQ(&find_simulated_domain(domain.name), &domain);
    EXPECT_FALSE(domain.title.empty());
    EXPECT_FALSE(domain.source.empty());
    ASSERT_FALSE(domain.experts.empty()) << domain.name;
    std::set<std::string> experts;
    for (const Expert& expert : domain.experts)
      EXPECT_TRUE(experts.insert(expert.name).second) << expert.name;
    const EpisodeColumns& columns = domain.simulation.columns;
    for (const std::string& column : domain.path)
      EXPECT_EQ(std::count(columns.observations.begin(), columns.observations.end(), column), 1) << column;
    EXPECT_FALSE(domain.path.empty());
  }
}

TEST(SimulatedDomain, an_unknown_name_is_an_error) { EXPECT_THROW(find_simulated_domain("shove"), Error); }

TEST(SimulatedDomain, goals_are_a_function_of_split_count_and_seed) {
  for (const SimulatedDomain& domain : simulated_domains()) {
    for (Split split : {Split::train, Split::in, Split::oos}) {
      const Matrix<double> goals = domain.goals(split, 7, 5);
      EXPECT_EQ(goals.rows(), 7u);
      EXPECT_EQ(goals.cols(), domain.simulation.columns.goals.size());
      EXPECT_EQ(goals, domain.goals(split, 7, 5)) << domain.name;
      EXPECT_NE(goals, domain.goals(split, 7, 6)) << domain.name;
    }
    EXPECT_NE(domain.goals(Split::train, 7, 5), domain.goals(Split::in, 7, 5)) << domain.name;
  }
}

/// Least and greatest of each column.
std::vector<std::pair<double, double>> ranges(const Matrix<double>& goals) {
  std::vector<std::pair<double, double>> result;
  for (size_t c = 0; c < goals.cols(); ++c) {
    result.emplace_back(goals(0, c), goals(0, c));
    for (size_t g = 0; g < goals.rows(); ++g)
      result[c] = {std::min(result[c].first, goals(g, c)), std::max(result[c].second, goals(g, c))};
  }
  return result;
}

TEST(SimulatedDomain, goals_out_of_support_share_no_place_with_those_in_it) {
  for (const SimulatedDomain& domain : simulated_domains()) {
    const auto train = ranges(domain.goals(Split::train, 1000, 1)),
               oos = ranges(domain.goals(Split::oos, 1000, 1));
    bool apart = false;
    for (size_t c = 0; c < train.size(); ++c)
      apart |= train[c].first >= oos[c].second || oos[c].first >= train[c].second;
    EXPECT_TRUE(apart) << domain.name;
  }
}

TEST(SimulatedDomain, the_published_goals_lie_where_fresh_ones_do) {
  for (const SimulatedDomain& domain : simulated_domains())
    for (Split split : {Split::in, Split::oos}) {
      const Matrix<double> published = domain.published_goals(split);
      EXPECT_EQ(published.rows(), 50u);
      const auto found = ranges(published), fresh = ranges(domain.goals(split, 1000, 1));
      ASSERT_EQ(found.size(), fresh.size()) << domain.name;
      for (size_t c = 0; c < found.size(); ++c) {
        const double slack = 0.02 * (fresh[c].second - fresh[c].first) + 1e-9;
        EXPECT_GE(found[c].first, fresh[c].first - slack) << domain.name;
        EXPECT_LE(found[c].second, fresh[c].second + slack) << domain.name;
      }
      EXPECT_EQ(domain.published_goals(Split::train), domain.published_goals(Split::in)) << domain.name;
    }
}

TEST(SimulatedDomain, an_episode_depends_on_its_goal_alone) {
  for (const SimulatedDomain& domain : simulated_domains()) {
    const ControllerMaker& expert = domain.experts.front().make;
    const Matrix<double> goals = domain.published_goals(Split::oos);
    const Rollouts in_turn =
        roll_out(domain.simulation, expert, rows_of(goals, {0, 0, 1, 0, 2}), {.threads = 1});
    expect_same(in_turn, 0, in_turn, 1, domain.name + " twice");
    expect_same(in_turn, 0, in_turn, 3, domain.name + " after another goal");
    EXPECT_NE(in_turn.episodes[0].observations, in_turn.episodes[2].observations) << domain.name;
    const Rollouts at_once = roll_out(domain.simulation, expert, rows_of(goals, {2, 1, 0}), {.threads = 2});
    expect_same(in_turn, 0, at_once, 2, domain.name + " on two threads");
    expect_same(in_turn, 2, at_once, 1, domain.name + " on two threads");
    expect_same(in_turn, 4, at_once, 0, domain.name + " on two threads");
  }
}

TEST(SimulatedDomain, the_goal_is_seen_as_it_was_given) {
  for (const SimulatedDomain& domain : simulated_domains()) {
    const Matrix<double> goals = domain.goals(Split::train, 2, 1);
    const Rollouts rollouts = roll_out(domain.simulation, domain.experts.front().make, goals);
    EXPECT_EQ(rollouts.episodes.goals(), goals) << domain.name;
    EXPECT_EQ(rollouts.episodes.common_steps(), domain.simulation.steps) << domain.name;
  }
}

TEST(SimulatedDomain, every_expert_does_better_than_doing_nothing) {
  for (const SimulatedDomain& domain : simulated_domains())
    for (Split split : {Split::in, Split::oos}) {
      const Matrix<double> goals = domain.goals(split, 3, 1);
      const double idle = mean(roll_out(
                                   domain.simulation, [] { return std::make_unique<Idle>(); }, goals)
                                   .errors);
      EXPECT_TRUE(std::isfinite(idle)) << domain.name;
      for (const Expert& expert : domain.experts)
        EXPECT_LT(mean(roll_out(domain.simulation, expert.make, goals).errors), 0.8 * idle)
            << domain.name << ", " << expert.name;
    }
}

TEST(SimulatedDomain, an_action_that_is_not_finite_is_a_breakdown_that_a_reset_mends) {
  for (const SimulatedDomain& domain : simulated_domains()) {
    const std::unique_ptr<Simulation> simulation = domain.simulation.make();
    const Matrix<double> goals = domain.goals(Split::train, 1, 1);
    const size_t width = domain.simulation.columns.observations.size();
    std::vector<double> start(width), broken(width), again(width);
    simulation->reset(goals.row(0));
    simulation->observe(start);
    const std::vector<double> action(domain.simulation.columns.actions.size(), std::nan(""));
    simulation->act(action);
    simulation->observe(broken);
    EXPECT_FALSE(std::all_of(broken.begin(), broken.end(), [](double x) { return std::isfinite(x); }))
        << domain.name;
    EXPECT_FALSE(std::isfinite(simulation->error())) << domain.name;
    simulation->reset(goals.row(0));
    simulation->observe(again);
    EXPECT_EQ(start, again) << domain.name;
  }
}

TEST(SimulatedDomain, experts_that_are_searched_for_can_be_read_and_scripted_ones_cannot) {
  for (const SimulatedDomain& domain : simulated_domains()) {
    EXPECT_EQ(domain.search_expert != nullptr, domain.read_experts != nullptr) << domain.name;
    if (domain.read_experts) {
      EXPECT_THROW(domain.read_experts("{}"), Error) << domain.name;
    }
  }
}

}  // namespace
}  // namespace kedge
