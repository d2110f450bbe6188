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

// As many rows as a vector of the forward pass holds: fewer would cost a wide network as much.
constexpr size_t most_side_by_side = 16;

/// One controller as a batch of one.
class Alone : public BatchController {
 public:
  explicit Alone(std::unique_ptr<Controller> controller) : controller_(std::move(controller)) {}
  void begin(MatrixView<const double> goals) override { controller_->begin(goals.row(0)); }
  void act(std::span<const size_t>, MatrixView<const double> observations,
           MatrixView<double> actions) override {
    controller_->act(observations.row(0), actions.row(0));
  }

 private:
  std::unique_ptr<Controller> controller_;
};

/// Simulations and controllers of the threads, each made when it is first needed.
class Workers {
 public:
  struct Worker {
    std::vector<std::unique_ptr<Simulation>> simulations;  // one for each episode side by side
    std::unique_ptr<BatchController> controller;
  };

  Workers(const SimulationMaker& simulation, const BatchControllerMaker& controller, size_t side_by_side)
      : simulation_(simulation), controller_(controller), side_by_side_(side_by_side) {}

  Worker take(size_t episodes) {
    Worker worker = idle();
    while (worker.simulations.size() < episodes) worker.simulations.push_back(simulation_());
    if (!worker.controller) worker.controller = controller_(side_by_side_);
    return worker;
  }
  void give_back(Worker worker) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  Worker idle() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return {};
    Worker worker = std::move(idle_.back());
    idle_.pop_back();
    return worker;
  }

  const SimulationMaker& simulation_;
  const BatchControllerMaker& controller_;
  const size_t side_by_side_;
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

/// Episodes that go in step, one for each goal.
class SideBySide {
 public:
  SideBySide(Workers::Worker& worker, MatrixView<const double> goals, std::span<Episode> episodes,
             std::span<Ending> endings)
      : worker_(worker),
        goals_(goals),
        episodes_(episodes),
        endings_(endings),
        seen_(goals.rows(), episodes[0].observations.cols()),
        done_(goals.rows(), episodes[0].actions.cols()) {}

  /// Fills the episodes; rows after a breakdown repeat the last finite ones. Ends where `goes_on` says no.
  template <class GoesOn>
  void run(const GoesOn& goes_on) {
    for (size_t e = 0; e < goals_.rows(); ++e) {
      worker_.simulations[e]->reset(goals_.row(e));
      running_.push_back(e);
    }
    worker_.controller->begin(goals_);
    for (size_t t = 0; t < episodes_[0].steps() && !running_.empty() && goes_on(); ++t) {
      std::erase_if(running_, [&](size_t e) { return !is_seen(e, t); });
      if (running_.empty()) return;
      choose_actions(t);
      std::erase_if(running_, [&](size_t e) { return !is_done(e, t); });
    }
    for (size_t e : running_) {
      const double error = worker_.simulations[e]->error();
      if (std::isfinite(error)) endings_[e].error = error;
      endings_[e].held = worker_.simulations[e]->is_held();
    }
  }

 private:
  /// Observes; where that is not finite the episode has ended.
  bool is_seen(size_t e, size_t t) {
    worker_.simulations[e]->observe(episodes_[e].observations.row(t));
    if (is_finite(episodes_[e].observations.row(t))) return true;
    if (t == 0)
      throw Error("rollout", fmt::format("needs a simulation that starts with finite observations; with the "
                                         "goal ({}) it does not",
                                         fmt::join(goals_.row(e), ", ")));
    break_down(e, t, t);
    return false;
  }

  void choose_actions(size_t t) {
    for (size_t i = 0; i < running_.size(); ++i)
      std::copy_n(episodes_[running_[i]].observations.row(t).data(), seen_.cols(), seen_.row(i).data());
    worker_.controller->act(running_, MatrixView<const double>(seen_.data(), running_.size(), seen_.cols()),
                            MatrixView<double>(done_.data(), running_.size(), done_.cols()));
    for (size_t i = 0; i < running_.size(); ++i)
      std::copy_n(done_.row(i).data(), done_.cols(), episodes_[running_[i]].actions.row(t).data());
  }

  /// Acts; where the action is not finite the episode has ended.
  bool is_done(size_t e, size_t t) {
    if (is_finite(episodes_[e].actions.row(t))) {
      worker_.simulations[e]->act(episodes_[e].actions.row(t));
      return true;
    }
    break_down(e, t + 1, t);
    return false;
  }

  void break_down(size_t e, size_t first_unseen, size_t first_undone) {
    fill_up(episodes_[e], first_unseen, first_undone);
    endings_[e].held = worker_.simulations[e]->is_held();
  }

  Workers::Worker& worker_;
  const MatrixView<const double> goals_;
  const std::span<Episode> episodes_;
  const std::span<Ending> endings_;
  std::vector<size_t> running_;
  Matrix<double> seen_, done_;  // observations and actions of those that run
};

/// Goals and what becomes of them.
class Run {
 public:
  Run(const SimulationSpec& simulation, MatrixView<const double> goals, const RolloutOptions& options)
      : simulation_(simulation),
        goals_(goals),
        options_(options),
        pool_(goals.rows() > 1 ? options.threads : 1),
        episodes_(goals.rows()),
        endings_(goals.rows()) {
    if (goals.cols() != simulation.columns.goals.size())
      throw Error("rollout",
                  fmt::format("needs goals of {} numbers ({}); found {}", simulation.columns.goals.size(),
                              fmt::join(simulation.columns.goals, ", "), goals.cols()));
  }

  /// Every thread is to have work.
  size_t side_by_side() const {
    const size_t threads = static_cast<size_t>(pool_.threads());
    return std::clamp<size_t>((goals_.rows() + threads - 1) / threads, 1, most_side_by_side);
  }

  Rollouts results(const BatchControllerMaker& controller, size_t side_by_side) {
    Workers workers(simulation_.make, controller, side_by_side);
    pool_.run((goals_.rows() + side_by_side - 1) / side_by_side, [&](size_t part) {
      const size_t first = part * side_by_side;
      run(workers, first, std::min(side_by_side, goals_.rows() - first));
    });
    if (stopped_) throw Error("rollout", "stopped before all episodes were run");
    Rollouts result;
    result.episodes = Demonstrations(simulation_.columns, "rollouts");
    for (Episode& episode : episodes_) result.episodes.add(std::move(episode));
    for (const Ending& ending : endings_) {
      result.errors.push_back(ending.error);
      result.held.push_back(ending.held);
    }
    return result;
  }

 private:
  void run(Workers& workers, size_t first, size_t count) {
    if (stopped_) return;
    Workers::Worker worker = workers.take(count);
    const auto episodes = std::span(episodes_).subspan(first, count);
    for (Episode& episode : episodes)
      episode = {Matrix<double>(simulation_.steps, simulation_.columns.observations.size()),
                 Matrix<double>(simulation_.steps, simulation_.columns.actions.size())};
    const MatrixView<const double> goals(goals_.data() + first * goals_.cols(), count, goals_.cols());
    SideBySide(worker, goals, episodes, std::span(endings_).subspan(first, count)).run([&] {
      return count == 1 || report(0);
    });
    workers.give_back(std::move(worker));
    report(count);
  }

  /// So many more episodes have ended. Returns whether others go on.
  bool report(size_t ended) {
    if (!options_.progress) return true;
    const std::lock_guard lock(mutex_);
    done_ += ended;
    if (!stopped_ && !options_.progress(done_, goals_.rows())) stopped_ = true;
    return !stopped_;
  }

  const SimulationSpec& simulation_;
  const MatrixView<const double> goals_;
  const RolloutOptions& options_;
  ThreadPool pool_;
  std::vector<Episode> episodes_;
  std::vector<Ending> endings_;
  std::mutex mutex_;
  size_t done_ = 0;
  std::atomic<bool> stopped_ = false;
};

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
  return Run(simulation, goals, options)
      .results([&](size_t) { return std::make_unique<Alone>(controller()); }, 1);
}

Rollouts roll_out(const SimulationSpec& simulation, const BatchControllerMaker& controller,
                  MatrixView<const double> goals, const RolloutOptions& options) {
  Run run(simulation, goals, options);
  return run.results(controller, run.side_by_side());
}

}  // namespace kedge
