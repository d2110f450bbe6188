#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "kedge/core/error.h"
#include "kedge/demonstrations/rollout.h"
#include "kedge/domains/slider/rolling.h"
#include "kedge/domains/slider/slider.h"
#include "kedge/domains/slider/strike.h"
#include "kedge/domains/slider/strike_search.h"

namespace kedge {
namespace {

double mean_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

/// The first `count` masses of the authors in a split.
Matrix<double> some_goals(Split split, size_t count) {
  std::vector<double> masses = slider_domain().published_goals(split).values();
  masses.resize(count);
  return {count, 1, std::move(masses)};
}

StrikeSearch tiny(int threads) {
  return {.search = {.seed = 5, .threads = threads}, .population = 4, .generations = 2, .balls = 2};
}

TEST(SliderExperts, ReachTheErrorsThatTheirNumbersWereCommittedWith) {
  struct Golden {
    std::string name;
    double train, oos;
  };
  // Of the authors' 50 + 50 masses, with the numbers of experts.json as `kedge expert slider` made them.
  const std::array<Golden, 4> golden = {{
      {"mechanics", 0.0067, 0.0577},
      {"smooth", 0.0009, 0.1891},
      {"strike", 0.0294, 0.4864},
      {"saturating", 0.0518, 0.3267},
  }};
  const SimulatedDomain domain = slider_domain();
  ASSERT_EQ(domain.experts.size(), golden.size());
  constexpr double tolerance = 0.001;
  for (size_t e = 0; e < golden.size(); ++e) {
    const Expert& expert = domain.experts[e];
    EXPECT_EQ(expert.name, golden[e].name);
    const auto error = [&](Split split) {
      return mean_of(roll_out(domain.simulation, expert.make, domain.published_goals(split)).errors);
    };
    EXPECT_NEAR(error(Split::in), golden[e].train, tolerance) << expert.name;
    EXPECT_NEAR(error(Split::oos), golden[e].oos, tolerance) << expert.name;
  }
}

TEST(SliderExperts, APushThatWatchesTheBallBeatsAStrikeThatDoesNot) {
  const SimulatedDomain domain = slider_domain();
  const Matrix<double> goals = domain.goals(Split::in, 12, 9);
  const auto error = [&](size_t expert) {
    return mean_of(roll_out(domain.simulation, domain.experts[expert].make, goals).errors);
  };
  ASSERT_EQ(domain.experts[1].name, "smooth");
  ASSERT_EQ(domain.experts[2].name, "strike");
  EXPECT_LT(5 * error(1), error(2));
}

TEST(SliderExperts, TheirActionsDependOnTheEpisodeAlone) {
  const SimulatedDomain domain = slider_domain();
  for (const Expert& expert : domain.experts) {
    const Rollouts together =
        roll_out(domain.simulation, expert.make, some_goals(Split::oos, 4), {.threads = 2});
    const Rollouts alone =
        roll_out(domain.simulation, expert.make, some_goals(Split::oos, 4), {.threads = 1});
    for (size_t i = 0; i < 4; ++i)
      EXPECT_EQ(together.episodes[i].actions, alone.episodes[i].actions) << expert.name;
  }
}

TEST(SliderExperts, TheSaturatingOneBeginsAtFullForceAndStaysWithinTheMotor) {
  const SimulatedDomain domain = slider_domain();
  const Matrix<double> goals = some_goals(Split::in, 3);
  const auto& saturating = domain.experts.back();
  ASSERT_EQ(saturating.name, "saturating");
  const Rollouts rollouts = roll_out(domain.simulation, saturating.make, goals);
  for (const Episode& episode : rollouts.episodes.episodes()) {
    EXPECT_EQ(episode.actions(0, 0), -1) << "full force at first";
    EXPECT_LE(std::ranges::max(episode.actions.values()), 1);
  }
}

TEST(SliderExperts, ABallWithTheNeededVelocityEndsAtTheTarget) {
  for (const double mass : {5.0, 60.0, 130.0}) {
    const double velocity = slider::needed_velocity(mass, 3, -0.02);
    EXPECT_NEAR(-0.02 + velocity * slider::roll(mass, slider::end - 3), slider::target, 1e-12);
  }
  EXPECT_LT(slider::needed_velocity(5, 3, 0), slider::needed_velocity(60, 3, 0))
      << "light balls begin faster";
}

TEST(SliderExperts, DamagedNumbersAreAnErrorOfOneLine) {
  const auto fault = [](const std::string& text) -> std::string {
    try {
      slider_experts(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  const std::string smooth =
      R"({"smooth": {"strike_time": 99, "speed_at_zero": 0.1, "speed_per_kg": 0.005, "push_time": 1,
          "catch_up": 0.2, "hold_rate": 1}})";
  for (const std::string& text : {std::string("{"), std::string("{}"), std::string("[1]"), smooth,
                                  std::string(R"({"smooth": {"strike_time": "soon"}})")}) {
    const std::string message = fault(text);
    EXPECT_TRUE(message.starts_with("[slider] ")) << text << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  EXPECT_NE(fault(smooth).find("smooth.strike_time"), std::string::npos) << fault(smooth);
}

TEST(SliderExperts, ASearchGivesTheSameNumbersForAnyNumberOfThreads) {
  const SimulationSpec simulation = slider_domain().simulation;
  const std::string one = search_slider_experts(simulation, tiny(1));
  EXPECT_EQ(one, search_slider_experts(simulation, tiny(2)));
  EXPECT_EQ(slider_experts(one).size(), strike_kinds().size()) << "what it writes can be read";
  StrikeSearch other = tiny(1);
  other.search.seed = 6;
  EXPECT_NE(one, search_slider_experts(simulation, other));
}

TEST(SliderExperts, ASearchCanBeStoppedAndCountsItsTrials) {
  const SimulationSpec simulation = slider_domain().simulation;
  StrikeSearch options = tiny(1);
  size_t calls = 0, last_total = 0;
  options.search.progress = [&](size_t done, size_t total) {
    EXPECT_EQ(done, ++calls);
    last_total = total;
    return true;
  };
  search_strike(simulation, strike_kinds()[0], options);
  EXPECT_EQ(calls, 8u);
  EXPECT_EQ(last_total, 8u);
  options.search.progress = [](size_t done, size_t) { return done < 3; };
  EXPECT_THROW(search_strike(simulation, strike_kinds()[0], options), Error);
  EXPECT_THROW(
      slider_domain().search_expert({.threads = 1, .progress = [](size_t, size_t) { return false; }}), Error);
}

TEST(SliderExperts, ASearchWithNothingToTryIsAnError) {
  StrikeSearch options = tiny(1);
  options.population = 1;
  EXPECT_THROW(search_strike(slider_domain().simulation, strike_kinds()[0], options), Error);
}

}  // namespace
}  // namespace kedge
