#include "kedge/domains/sawyer/sawyer.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "kedge/demonstrations/rollout.h"
#include "kedge/domains/simulated_domain.h"

namespace kedge {
namespace {

constexpr Place hand_start = {0, 0.4, 0.08}, puck_start = {0, 0.4, 0.02};
using Action = std::array<double, Sawyer::actions>;

void act(Sawyer& sawyer, const Action& action, int steps) {
  for (int i = 0; i < steps; ++i) sawyer.act(action);
}

TEST(Sawyer, starts_where_it_was_told_to_with_open_fingers) {
  Sawyer sawyer(hand_start, puck_start);
  sawyer.reset();
  EXPECT_LT(distance(sawyer.hand(), hand_start), 0.01);
  EXPECT_LT(distance(sawyer.object(), puck_start), 1e-12);
  EXPECT_EQ(sawyer.opening(), 1);
}

TEST(Sawyer, an_action_of_one_moves_the_hand_a_centimetre_a_step) {
  Sawyer sawyer({0, 0.6, 0.2}, puck_start);
  sawyer.reset();
  act(sawyer, {1, 0.5, 0, 0}, 20);
  act(sawyer, {0, 0, 0, 0}, 50);
  EXPECT_LT(distance(sawyer.hand(), Place{0.2, 0.7, 0.2}), 0.015);
}

TEST(Sawyer, actions_beyond_one_count_as_one) {
  Sawyer sawyer({0, 0.6, 0.2}, puck_start);
  const auto end_of = [&](const Action& action) {
    sawyer.reset();
    act(sawyer, action, 10);
    return std::vector<double>(sawyer.hand().begin(), sawyer.hand().end());
  };
  EXPECT_EQ(end_of({7, -3, 0, 5}), end_of({1, -1, 0, 1}));
  EXPECT_NE(end_of({0.9, -1, 0, 1}), end_of({1, -1, 0, 1}));
}

TEST(Sawyer, the_hand_stays_within_its_bounds) {
  Sawyer sawyer({0, 0.6, 0.2}, {0.3, 0.8, 0.02});
  sawyer.reset();
  act(sawyer, {-1, 0, -1, 0}, 100);
  EXPECT_NEAR(sawyer.hand()[0], -0.5, 0.03);
  EXPECT_NEAR(sawyer.hand()[2], 0.05, 0.03);
}

TEST(Sawyer, the_fourth_number_closes_and_opens_the_fingers) {
  Sawyer sawyer({0, 0.6, 0.2}, puck_start);
  sawyer.reset();
  act(sawyer, {0, 0, 0, 1}, 60);
  const double closed = sawyer.opening();
  EXPECT_LT(closed, 0.5);
  act(sawyer, {0, 0, 0, -1}, 60);
  EXPECT_GT(sawyer.opening(), closed + 0.4);
}

TEST(Sawyer, goals_lie_in_the_boxes_of_the_paper) {
  struct Box {
    const char* domain;
    Split split;
    Place low, high;
  };
  for (const Box& box : {Box{"reach", Split::train, {0, 0.7, 0.05}, {0.4, 0.9, 0.3}},
                         Box{"reach", Split::in, {0, 0.7, 0.05}, {0.4, 0.9, 0.3}},
                         Box{"reach", Split::oos, {-0.4, 0.7, 0.05}, {0, 0.9, 0.3}},
                         Box{"push", Split::train, {0, 0.5, 0.01}, {0.3, 0.7, 0.01}},
                         Box{"push", Split::in, {0, 0.5, 0.01}, {0.3, 0.7, 0.01}},
                         Box{"push", Split::oos, {-0.3, 0.5, 0.01}, {0, 0.7, 0.01}}}) {
    const Matrix<double> goals = find_simulated_domain(box.domain).goals(box.split, 500, 4);
    for (size_t c = 0; c < 3; ++c) {
      double sum = 0;
      for (size_t g = 0; g < goals.rows(); ++g) {
        EXPECT_GE(goals(g, c), box.low[c]) << box.domain;
        EXPECT_LE(goals(g, c), box.high[c]) << box.domain;
        sum += goals(g, c);
      }
      const double side = box.high[c] - box.low[c];
      EXPECT_NEAR(sum / 500, (box.low[c] + box.high[c]) / 2, 0.06 * side + 1e-12) << box.domain;
    }
  }
}

TEST(Sawyer, experts_are_recorded_as_they_are_beyond_one_too) {
  const SimulatedDomain& reach = find_simulated_domain("reach");
  const Matrix<double> goal(1, 3, std::vector<double>{0.4, 0.8, 0.2});
  const Episode episode = roll_out(reach.simulation, reach.experts.front().make, goal).episodes[0];
  EXPECT_NEAR(episode.actions(0, 0), 5 * (0.4 - episode.observations(0, 0)), 1e-12);
  EXPECT_GT(episode.actions(0, 0), 1.5);
}

struct Spread {
  double mean = 0, deviation = 0;
};

Spread expert_errors(const SimulatedDomain& domain, MatrixView<const double> goals) {
  const std::vector<double> errors = roll_out(domain.simulation, domain.experts.front().make, goals).errors;
  const double count = static_cast<double>(errors.size());
  Spread result;
  for (double error : errors) result.mean += error / count;
  for (double error : errors) result.deviation += std::pow(error - result.mean, 2) / count;
  result.deviation = std::sqrt(result.deviation);
  return result;
}

struct Golden {
  const char* domain;
  Split split;
  Spread wanted;
  double tolerance;  ///< of mean and deviation, where it is used
};

// Measured here, with MuJoCo 2.2.2: they pin this model, they do not show that it is Meta-World's. Some goals
// of push out of support are at the edge of what the grip holds, so that its figure moves most with little
// things.
TEST(Sawyer, experts_have_known_errors_on_the_goals_of_the_authors) {
  for (const Golden& golden : {Golden{"reach", Split::in, {0.0048, 0.0053}, 0.0003},
                               Golden{"reach", Split::oos, {0.0071, 0.0068}, 0.0003},
                               Golden{"push", Split::in, {0.0120, 0.0014}, 0.0003},
                               Golden{"push", Split::oos, {0.0258, 0.0198}, 0.003}}) {
    const SimulatedDomain& domain = find_simulated_domain(golden.domain);
    const Spread found = expert_errors(domain, domain.published_goals(golden.split));
    EXPECT_NEAR(found.mean, golden.wanted.mean, golden.tolerance) << golden.domain;
    EXPECT_NEAR(found.deviation, golden.wanted.deviation, golden.tolerance) << golden.domain;
  }
}

// Figures of the same experts that were not made with this model, of 50 goals each. On the goals of the
// authors this model does not give them, see above; on fresh goals of the same boxes it does, as closely as
// two sets of 50 goals agree. Deviations are left out: the few large errors make them differ by a factor of
// two from one set to the next.
TEST(Sawyer, experts_err_on_fresh_goals_as_much_as_is_known_of_them) {
  const double goals = 50, standard_errors = 2.5;
  for (const Golden& golden :
       {Golden{"reach", Split::in, {0.0062, 0.0062}, 0}, Golden{"reach", Split::oos, {0.0067, 0.0085}, 0},
        Golden{"push", Split::in, {0.0118, 0.0014}, 0}, Golden{"push", Split::oos, {0.0188, 0.0120}, 0}}) {
    const SimulatedDomain& domain = find_simulated_domain(golden.domain);
    const Spread found = expert_errors(domain, domain.goals(golden.split, static_cast<size_t>(goals), 0));
    const double of_difference = std::sqrt(2 / goals) * golden.wanted.deviation;
    EXPECT_NEAR(found.mean, golden.wanted.mean, standard_errors * of_difference) << golden.domain;
  }
}

}  // namespace
}  // namespace kedge
