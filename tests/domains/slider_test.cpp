#include "kedge/domains/slider/slider.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/demonstrations/rollout.h"
#include "kedge/domains/slider/rolling.h"

namespace kedge {
namespace {

/// Does the same at every step.
class Steady : public Controller {
 public:
  explicit Steady(double action) : action_(action) {}
  void begin(std::span<const double>) override {}
  void act(std::span<const double>, std::span<double> action) override { action[0] = action_; }

 private:
  double action_;
};

Rollouts steady(double action, std::vector<double> masses, int threads = 1) {
  const size_t count = masses.size();
  return roll_out(slider_domain().simulation, [action] { return std::make_unique<Steady>(action); },
                  Matrix<double>(count, 1, std::move(masses)), {.threads = threads});
}

size_t column(const std::string& name) {
  const std::vector<std::string> names = slider_domain().simulation.columns.observations;
  return static_cast<size_t>(std::ranges::find(names, name) - names.begin());
}

TEST(Slider, ObservesNinePlacesEightSpeedsAndTheMass) {
  const SimulatedDomain domain = slider_domain();
  const EpisodeColumns& columns = domain.simulation.columns;
  ASSERT_EQ(columns.observations.size(), 18u);
  EXPECT_EQ(columns.observations.back(), "mass");
  EXPECT_EQ(columns.goals, std::vector<std::string>{"mass"});
  EXPECT_EQ(columns.actions.size(), 1u);
  EXPECT_EQ(column("ball_x"), slider::ball_x);
  EXPECT_EQ(column("ball_vx"), slider::ball_vx);
  EXPECT_EQ(column("pusher_x"), slider::pusher_x);
  EXPECT_EQ(column("pusher_vx"), slider::pusher_vx);
  for (const std::string& name : domain.path) EXPECT_LT(column(name), 18u) << name;
  const auto simulation = domain.simulation.make();
  std::vector<double> observation(18, -7);
  const double mass = 77;
  simulation->reset({&mass, 1});
  simulation->observe(observation);
  const std::vector<double> start = {0, 0, 0, 0, 0.02, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, mass};
  EXPECT_EQ(observation, start);
  EXPECT_EQ(simulation->error(), 1);
  EXPECT_FALSE(simulation->is_held());
}

TEST(Slider, HasGoalsInItsTwoRangesAndFiftyOfTheAuthorsInEach) {
  const SimulatedDomain domain = slider_domain();
  EXPECT_EQ(domain.simulation.steps, 200u);
  EXPECT_EQ(domain.demonstrations, 100u);
  for (const Split split : {Split::train, Split::in, Split::oos}) {
    const auto& [low, high] = split == Split::oos ? slider_oos_mass : slider_train_mass;
    for (const Matrix<double>& goals : {domain.goals(split, 80, 3), domain.published_goals(split)}) {
      ASSERT_EQ(goals.cols(), 1u);
      for (const double mass : goals.values()) {
        EXPECT_GE(mass, low);
        EXPECT_LE(mass, high);
      }
    }
    EXPECT_EQ(domain.published_goals(split).rows(), 50u);
  }
  EXPECT_FALSE(domain.goals(Split::train, 5, 3) == domain.goals(Split::in, 5, 3));
}

TEST(Slider, ABallThatIsNotTouchedStaysWhereItRests) {
  const Rollouts rollouts = steady(0, {5, 130});
  for (const Episode& episode : rollouts.episodes.episodes()) {
    const std::span<const double> last = episode.observations.row(199);
    EXPECT_NEAR(last[slider::ball_x], 0, 1e-9);
    EXPECT_NEAR(last[column("ball_y")], 0, 1e-9);
    EXPECT_NEAR(last[column("ball_z")], 0.02 - 0.00037, 1e-5);
  }
  EXPECT_NEAR(rollouts.errors[0], 1, 1e-9);
}

TEST(Slider, ThePusherMovesAsItsMassDampingAndMotorSay) {
  const Rollouts rollouts = steady(0.1, {60});
  const Episode& episode = rollouts.episodes[0];
  // 10 v' = 1 - 0.5 v from rest, away from the ball.
  const double seconds = 1, speed = 2 * -std::expm1(-seconds / 20);
  EXPECT_NEAR(episode.observations(10, slider::pusher_vx), speed, 1e-3);
  EXPECT_NEAR(episode.observations(10, slider::pusher_x), 2 * (seconds - 20 * -std::expm1(-seconds / 20)),
              1e-3);
  // More than the motor's range is as much as its range.
  EXPECT_EQ(steady(7, {60}).episodes[0].observations(3, slider::pusher_x),
            steady(1, {60}).episodes[0].observations(3, slider::pusher_x));
  EXPECT_NEAR(episode.observations(199, slider::pusher_x), 0.5, 0.01) << "the end of the rail";
}

TEST(Slider, HeavyAndLightBallsRollOnAsMechanicsSay) {
  const std::vector<double> masses = {5, 15, 60, 130};
  const Rollouts rollouts = steady(-0.3, masses);
  for (size_t i = 0; i < masses.size(); ++i) {
    const Matrix<double>& seen = rollouts.episodes[i].observations;
    size_t t = 0;
    while (t < 200 && seen(t, slider::ball_x) > -0.1) ++t;
    ASSERT_LT(t, 150u) << "the pusher strikes the ball";
    const double left = (199 - static_cast<double>(t)) * slider::step_seconds;
    const double last = seen(t, slider::ball_x) + seen(t, slider::ball_vx) * slider::roll(masses[i], left);
    EXPECT_NEAR(seen(199, slider::ball_x), last, 2e-3) << masses[i] << " kg";
  }
}

TEST(Slider, AnEpisodeForgetsTheMassesBeforeIt) {
  const Rollouts after_others = steady(-0.3, {7, 61.7, 129, 99.9});
  EXPECT_EQ(after_others.episodes[3].observations, steady(-0.3, {99.9}).episodes[0].observations);
  EXPECT_EQ(after_others.episodes[3].observations, steady(-0.3, {5, 5, 5, 99.9}, 2).episodes[3].observations);
}

TEST(Slider, AMassThatIsNoneIsAnError) {
  EXPECT_THROW(steady(0, {0}), Error);
  EXPECT_THROW(steady(0, {-5}), Error);
  EXPECT_THROW(steady(0, {std::nan("")}), Error);
}

}  // namespace
}  // namespace kedge
