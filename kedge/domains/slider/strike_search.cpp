#include "kedge/domains/slider/strike_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kedge/core/error.h"
#include "kedge/core/rng.h"
#include "kedge/core/thread_pool.h"
#include "kedge/domains/search_counter.h"
#include "kedge/domains/slider/rolling.h"
#include "kedge/domains/slider/slider.h"

namespace kedge {
namespace {

constexpr double simulation_step = 0.01;  // seconds; within it a collision's time is chance
constexpr double excess_cost = 0.002;  // metres of error that an action of twice the motor's force is worth
constexpr double out_of_reach = -0.1;  // the pusher's rail ends before

struct Ball {
  double mass, phase;
};

struct Played {
  double error, largest_action;
};

/// Plays until the ball is out of reach and nothing but rolling is left.
Played play(Simulation& simulation, Controller& controller, const Ball& ball, size_t columns) {
  std::vector<double> observation(columns);
  double action = 0, largest = 0;
  simulation.reset({&ball.mass, 1});
  controller.begin({&ball.mass, 1});
  for (size_t t = 0; t < slider::steps; ++t) {
    simulation.observe(observation);
    const double left = slider::end - static_cast<double>(t) * slider::step_seconds;
    if (observation[slider::ball_x] < out_of_reach) {
      const double last =
          observation[slider::ball_x] + observation[slider::ball_vx] * slider::roll(ball.mass, left);
      return {std::abs(last - slider::target), largest};
    }
    controller.act(observation, {&action, 1});
    largest = std::max(largest, std::abs(action));
    simulation.act({&action, 1});
  }
  return {simulation.error(), largest};
}

double cost(const SimulationSpec& spec, const StrikeKind& kind, const StrikeNumbers& numbers,
            const std::vector<Ball>& balls) {
  const std::unique_ptr<Simulation> simulation = spec.make();
  double sum = 0;
  for (const Ball& ball : balls) {
    StrikeNumbers shifted = numbers;
    shifted.strike_time += ball.phase;
    StrikeController controller(kind, shifted);
    const Played played = play(*simulation, controller, ball, spec.columns.observations.size());
    sum += played.error + excess_cost * std::max(0.0, played.largest_action - 1);
  }
  return sum / static_cast<double>(balls.size());
}

/// Masses spread evenly over the range, each at a random place of its share.
std::vector<Ball> draw_balls(Rng& rng, size_t count) {
  std::vector<Ball> balls(count);
  for (size_t i = 0; i < count; ++i) {
    const double share = (static_cast<double>(i) + rng.uniform()) / static_cast<double>(count);
    const auto [low, high] = slider_train_mass;
    balls[i] = {.mass = low + (high - low) * share, .phase = rng.uniform(0, simulation_step)};
  }
  return balls;
}

/// Where the next generation is drawn.
struct Cloud {
  std::vector<double> mean, spread;
};

StrikeNumbers numbers_at(const StrikeKind& kind, const std::vector<double>& place) {
  StrikeNumbers numbers;
  for (size_t i = 0; i < kind.dials.size(); ++i)
    numbers.*kind.dials[i].number = std::clamp(place[i], kind.dials[i].low, kind.dials[i].high);
  return numbers;
}

/// Moves the cloud to the numbers that cost least.
void gather(Cloud& cloud, const StrikeKind& kind, const std::vector<StrikeNumbers>& drawn,
            const std::vector<double>& costs) {
  constexpr size_t one_of = 5;         // is kept
  constexpr double spread_kept = 0.1;  // so that the cloud does not shrink to a point by chance
  std::vector<size_t> order(drawn.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t k) { return costs[k]; });
  order.resize(std::max<size_t>(2, drawn.size() / one_of));
  const double share = 1 / static_cast<double>(order.size());
  for (size_t i = 0; i < kind.dials.size(); ++i) {
    double mean = 0, square = 0;
    for (const size_t k : order) mean += share * drawn[k].*kind.dials[i].number;
    for (const size_t k : order) square += share * std::pow(drawn[k].*kind.dials[i].number - mean, 2);
    cloud.mean[i] = mean;
    cloud.spread[i] = std::sqrt(square) + spread_kept * cloud.spread[i];
  }
}

StrikeNumbers search_kind(const SimulationSpec& simulation, const StrikeKind& kind,
                          const StrikeSearch& options, ThreadPool& pool, SearchCounter& counter) {
  if (options.population < 2 || options.generations < 1 || options.balls < 1)
    throw Error("expert", "needs a population of 2 or more, a generation and a ball");
  Cloud cloud;
  for (const StrikeDial& dial : kind.dials) {
    cloud.mean.push_back(dial.mean);
    cloud.spread.push_back(dial.spread);
  }
  std::vector<StrikeNumbers> drawn(options.population);
  std::vector<double> costs(options.population);
  for (size_t generation = 0; generation < options.generations; ++generation) {
    Rng rng(options.search.seed, Stream::slider, generation);
    const std::vector<Ball> balls = draw_balls(rng, options.balls);
    for (StrikeNumbers& numbers : drawn) {
      std::vector<double> place = cloud.mean;
      for (size_t i = 0; i < place.size(); ++i) place[i] += cloud.spread[i] * rng.normal();
      numbers = numbers_at(kind, place);
    }
    pool.run(drawn.size(), [&](size_t k) {
      if (counter.stopped()) return;
      costs[k] = cost(simulation, kind, drawn[k], balls);
      counter.count();
    });
    counter.require_going();
    gather(cloud, kind, drawn, costs);
  }
  return numbers_at(kind, cloud.mean);
}

}  // namespace

StrikeNumbers search_strike(const SimulationSpec& simulation, const StrikeKind& kind,
                            const StrikeSearch& options) {
  ThreadPool pool(options.search.threads);
  SearchCounter counter(options.search, options.population * options.generations);
  return search_kind(simulation, kind, options, pool, counter);
}

std::string search_slider_experts(const SimulationSpec& simulation, const StrikeSearch& options) {
  ThreadPool pool(options.search.threads);
  SearchCounter counter(options.search, strike_kinds().size() * options.population * options.generations);
  Json json{{"made_by", "kedge expert slider -o kedge/domains/slider/experts.json"},
            {"kedge", KEDGE_VERSION},
            {"seed", options.search.seed},
            {"population", options.population},
            {"generations", options.generations},
            {"balls", options.balls}};
  for (const StrikeKind& kind : strike_kinds())
    json[kind.name] = strike_json(kind, search_kind(simulation, kind, options, pool, counter));
  return json.dump(JsonText::lines) + "\n";
}

}  // namespace kedge
