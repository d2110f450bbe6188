// Simulated domains: the expert's episodes held to each other on one thread and on all, then steps and
// episodes a second; what a policy takes for an action, without the physics; and how long push takes from
// nothing to a policy of the released code's configuration.
//
// Usage: simulation [seconds a reading]

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "kedge/core/error.h"
#include "kedge/core/thread_pool.h"
#include "kedge/demonstrations/rollout.h"
#include "kedge/domains/simulated_domain.h"
#include "kedge/imitation/imitate.h"
#include "result.h"
#include "timing.h"

namespace kedge {
namespace {

Rollouts run_expert(const SimulatedDomain& domain, MatrixView<const double> goals, int threads) {
  return roll_out(domain.simulation, domain.experts.front().make, goals, {.threads = threads});
}

void check(const SimulatedDomain& domain, int threads) {
  const Matrix<double> goals = domain.goals(Split::train, 8, 0);
  const Rollouts one = run_expert(domain, goals, 1), all = run_expert(domain, goals, threads);
  for (size_t e = 0; e < goals.rows(); ++e)
    if (!std::isfinite(one.errors[e]) || one.errors[e] != all.errors[e] ||
        one.episodes[e].observations != all.episodes[e].observations)
      throw Error("bench", fmt::format("{}: episode {} depends on the number of threads", domain.name, e));
}

/// Episodes a second, over at least that many seconds.
double episodes_per_second(const SimulatedDomain& domain, int threads, double seconds) {
  const size_t batch = 16;
  size_t episodes = 0;
  const Stopwatch watch;
  while (watch.seconds() < seconds) {
    run_expert(domain, domain.goals(Split::train, batch, episodes), threads);
    episodes += batch;
  }
  return static_cast<double>(episodes) / watch.seconds();
}

/// Microseconds of one action of a bilinear policy. How well it is trained does not matter, so it hardly is.
double control_step(const SimulatedDomain& domain, const std::string& preset, double seconds) {
  const Rollouts shown = run_expert(domain, domain.goals(Split::train, 30, 0), 0);
  PolicyOptions options = policy_options(preset, "bilinear");
  options.fit.epochs = 0;
  options.fit.training.steps = 10;
  const Policy policy = imitate({shown.episodes, options}).policy;
  const auto controller = policy.controller();
  const Matrix<double> goals = shown.episodes.goals();
  const Episode& episode = shown.episodes[0];
  std::vector<double> action(episode.actions.cols());
  double spent = 0;
  size_t steps = 0;
  while (spent < seconds) {
    controller->begin(goals.row(0));  // the choice of the anchor is not timed: it happens once an episode
    const Stopwatch watch;
    for (size_t t = 0; t < episode.steps(); ++t) controller->act(episode.observations.row(t), action);
    spent += watch.seconds();
    steps += episode.steps();
  }
  return 1e6 * spent / static_cast<double>(steps);
}

/// Seconds of collecting the paper's demonstrations of push and of the released configuration's training.
nlohmann::ordered_json from_nothing(const SimulatedDomain& push) {
  const Stopwatch collecting;
  const Rollouts shown = run_expert(push, push.goals(Split::train, push.demonstrations, 0), 0);
  const double collected = collecting.seconds();
  const PolicyOptions options = policy_options("released", "bilinear");
  const Stopwatch training;
  const uint64_t steps = imitate({shown.episodes, options}).outcome.steps;
  const double trained = training.seconds();
  fmt::print("push from nothing: {} demonstrations in {:.1f} s, {} steps of training in {:.1f} s\n",
             shown.episodes.size(), collected, steps, trained);
  return {{"demonstrations", shown.episodes.size()},
          {"collect_s", collected},
          {"training_steps", steps},
          {"training_s", trained}};
}

void run(double seconds) {
  const int threads = ThreadPool().threads();
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (const SimulatedDomain& domain : simulated_domains()) {
    check(domain, threads);
    const double steps = static_cast<double>(domain.simulation.steps);
    const double one = episodes_per_second(domain, 1, seconds);
    const double all = episodes_per_second(domain, threads, seconds);
    fmt::print(
        "{}: one thread {:.1f} episodes/s, {:.0f} steps/s; {} threads {:.1f} episodes/s, {:.0f} steps/s\n",
        domain.name, one, one * steps, threads, all, all * steps);
    const double control = control_step(domain, "default", seconds),
                 released = control_step(domain, "released", seconds);
    fmt::print("{}: an action takes {:.1f} us (default preset), {:.1f} us (released)\n", domain.name, control,
               released);
    cases.push_back({{"domain", domain.name},
                     {"steps", domain.simulation.steps},
                     {"episodes_per_s", one},
                     {"steps_per_s", one * steps},
                     {"all_threads_episodes_per_s", all},
                     {"all_threads_steps_per_s", all * steps},
                     {"action_us_default", control},
                     {"action_us_released", released}});
  }
  if (cases.empty())
    throw Error("bench", "needs simulated domains; this build has none; install libmujoco-dev");
  const std::string path =
      write_result("simulation", fmt::format("build/release/bench/simulation {}", seconds),
                   {{"threads", threads},
                    {"reading_seconds", seconds},
                    {"cases", cases},
                    {"push_from_nothing", from_nothing(find_simulated_domain("push"))}});
  fmt::print("written: {}\n", path);
}

}  // namespace
}  // namespace kedge

int main(int count, char** arguments) {
  try {
    kedge::run(count > 1 ? std::max(0.1, std::atof(arguments[1])) : 5);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
