// Simulated domains: the expert's episodes held to each other on one thread and on all, then steps and
// episodes a second.
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
    cases.push_back({{"domain", domain.name},
                     {"steps", domain.simulation.steps},
                     {"episodes_per_s", one},
                     {"steps_per_s", one * steps},
                     {"all_threads_episodes_per_s", all},
                     {"all_threads_steps_per_s", all * steps}});
  }
  if (cases.empty())
    throw Error("bench", "needs simulated domains; this build has none; install libmujoco-dev");
  const std::string path =
      write_result("simulation", fmt::format("build/release/bench/simulation {}", seconds),
                   {{"threads", threads}, {"reading_seconds", seconds}, {"cases", cases}});
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
