#include "kedge/demonstrations/rollout.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/thread_pool.h"

namespace kedge {
namespace {

bool is_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

/// Simulations and controllers of the threads, each made when it is first needed.
class Workers {
 public:
  struct Worker {
    std::unique_ptr<Simulation> simulation;
    std::unique_ptr<Controller> controller;
  };

  Workers(const SimulationMaker& simulation, const ControllerMaker& controller)
      : simulation_(simulation), controller_(controller) {}

  Worker take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        Worker worker = std::move(idle_.back());
        idle_.pop_back();
        return worker;
      }
    }
    return {simulation_(), controller_()};
  }
  void give_back(Worker worker) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  const SimulationMaker& simulation_;
  const ControllerMaker& controller_;
  std::mutex mutex_;
  std::vector<Worker> idle_;
};

struct Ending {
  double error = std::numeric_limits<double>::infinity();
  std::optional<bool> held;
};

/// Observations from row `first_unseen` on repeat the one before, actions from row `first_undone` on are
/// zero.
void fill_up(Episode& episode, size_t first_unseen, size_t first_undone) {
  const size_t width = episode.observations.cols();
  for (size_t t = first_unseen; t < episode.steps(); ++t)
    std::copy_n(episode.observations.row(t - 1).data(), width, episode.observations.row(t).data());
  for (size_t t = first_undone; t < episode.steps(); ++t)
    std::fill_n(episode.actions.row(t).data(), episode.actions.cols(), 0.0);
}

/// Fills the episode; rows after a breakdown repeat the last finite ones.
Ending run_episode(Workers::Worker& worker, std::span<const double> goal, Episode& episode) {
  worker.simulation->reset(goal);
  worker.controller->begin(goal);
  for (size_t t = 0; t < episode.steps(); ++t) {
    worker.simulation->observe(episode.observations.row(t));
    const bool is_seen = is_finite(episode.observations.row(t));
    if (!is_seen && t == 0)
      throw Error("rollout", fmt::format("needs a simulation that starts with finite observations; with the "
                                         "goal ({}) it does not",
                                         fmt::join(goal, ", ")));
    if (is_seen) worker.controller->act(episode.observations.row(t), episode.actions.row(t));
    if (!is_seen || !is_finite(episode.actions.row(t))) {
      fill_up(episode, is_seen ? t + 1 : t, t);
      return {.held = worker.simulation->is_held()};
    }
    worker.simulation->act(episode.actions.row(t));
  }
  const double error = worker.simulation->error();
  return {std::isfinite(error) ? error : std::numeric_limits<double>::infinity(),
          worker.simulation->is_held()};
}

}  // namespace

Rollouts Rollouts::finished() const {
  std::vector<size_t> kept;
  for (size_t e = 0; e < errors.size(); ++e)
    if (std::isfinite(errors[e])) kept.push_back(e);
  Rollouts result;
  result.episodes = episodes.select(kept);
  for (size_t e : kept) {
    result.errors.push_back(errors[e]);
    result.held.push_back(held[e]);
  }
  return result;
}

std::optional<double> Rollouts::held_share() const {
  size_t asked = 0, yes = 0;
  for (const std::optional<bool>& one : held) {
    if (!one) continue;
    ++asked;
    yes += *one;
  }
  if (asked == 0) return {};
  return static_cast<double>(yes) / static_cast<double>(asked);
}

Rollouts roll_out(const SimulationSpec& simulation, const ControllerMaker& controller,
                  MatrixView<const double> goals, const RolloutOptions& options) {
  const size_t count = goals.rows();
  if (goals.cols() != simulation.columns.goals.size())
    throw Error("rollout",
                fmt::format("needs goals of {} numbers ({}); found {}", simulation.columns.goals.size(),
                            fmt::join(simulation.columns.goals, ", "), goals.cols()));
  std::vector<Episode> episodes(count);
  std::vector<Ending> endings(count);
  Workers workers(simulation.make, controller);
  std::mutex report;
  size_t done = 0;
  std::atomic<bool> stopped = false;
  ThreadPool pool(count > 1 ? options.threads : 1);
  pool.run(count, [&](size_t e) {
    if (stopped) return;
    Workers::Worker worker = workers.take();
    episodes[e] = {Matrix<double>(simulation.steps, simulation.columns.observations.size()),
                   Matrix<double>(simulation.steps, simulation.columns.actions.size())};
    endings[e] = run_episode(worker, goals.row(e), episodes[e]);
    workers.give_back(std::move(worker));
    if (!options.progress) return;
    const std::lock_guard lock(report);
    if (!options.progress(++done, count)) stopped = true;
  });
  if (stopped) throw Error("rollout", "stopped before all episodes were run");
  Rollouts result;
  result.episodes = Demonstrations(simulation.columns, "rollouts");
  for (Episode& episode : episodes) result.episodes.add(std::move(episode));
  for (const Ending& ending : endings) {
    result.errors.push_back(ending.error);
    result.held.push_back(ending.held);
  }
  return result;
}

}  // namespace kedge
