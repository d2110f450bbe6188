#include "kedge/nn/train.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kedge {
namespace {

// However long the run, whoever wants to stop it waits for no more than this.
constexpr uint64_t most_steps_between_reports = 500;
// Measuring costs as much as three steps.
constexpr uint64_t checkpoints = 20, least_steps_between_checkpoints = 250;

uint64_t checkpoint_steps(uint64_t steps) {
  return std::max(steps / checkpoints, least_steps_between_checkpoints);
}

bool is_finite(const std::vector<float>& parameters) {
  return std::all_of(parameters.begin(), parameters.end(), [](float p) { return std::isfinite(p); });
}

}  // namespace

uint64_t steps_of(const TrainOptions& options, double epochs, size_t rows) {
  if (!(epochs > 0)) return options.steps;
  return static_cast<uint64_t>(
      std::ceil(epochs * static_cast<double>(std::max<size_t>(1, rows / options.batch))));
}

void train(std::span<Fleet> fleets, ThreadPool& pool, const FleetWatch& watch) {
  struct Part {
    size_t fleet, first, count;
  };
  std::vector<Part> parts;
  for (size_t f = 0; f < fleets.size(); ++f) {
    fleets[f].outcomes.resize(fleets[f].runs.size());
    const size_t at_once = fleets[f].engine->replicas_at_once();
    for (size_t first = 0; first < fleets[f].runs.size(); first += at_once)
      parts.push_back({f, first, std::min(at_once, fleets[f].runs.size() - first)});
  }
  pool.run(parts.size(), [&](size_t p) {
    const Part part = parts[p];
    Fleet& fleet = fleets[part.fleet];
    const RunReport report = [&](size_t run, const Progress& progress) {
      return !watch.progress || watch.progress(part.fleet, part.first + run, progress);
    };
    fleet.engine->train(part.first, std::span(fleet.runs).subspan(part.first, part.count), report,
                        std::span(fleet.outcomes).subspan(part.first, part.count));
    for (size_t run = part.first; watch.ended && run < part.first + part.count; ++run)
      watch.ended(part.fleet, run);
  });
}

TrainOutcome train(Engine& engine, size_t replica, const TrainingRun& run, const ProgressFn& progress) {
  TrainOutcome outcome;
  const RunReport report = [&](size_t, const Progress& p) { return !progress || progress(p); };
  engine.train(replica, {&run, 1}, report, {&outcome, 1});
  return outcome;
}

TrainingRecord::TrainingRecord(const TrainOptions& options, std::vector<float> start)
    : steps_(options.steps),
      chunk_(std::clamp<uint64_t>(options.steps / 200, 1, most_steps_between_reports)),
      next_checkpoint_(checkpoint_steps(steps_)),
      kept_(std::move(start)) {}

uint64_t TrainingRecord::next() const { return over_ ? 0 : std::min(chunk_, steps_ - done()); }

void TrainingRecord::add(double loss) {
  const uint64_t count = next();
  if (!std::isfinite(loss)) return diverge();
  outcome_.steps += count;
  outcome_.losses.push_back(loss);
  outcome_.loss = loss;
}

bool TrainingRecord::is_checkpoint() const { return !over_ && done() >= next_checkpoint_; }

void TrainingRecord::measure(std::vector<float> parameters, double loss) {
  next_checkpoint_ = done() + checkpoint_steps(steps_);
  // A finite loss can have a gradient that overflows: the parameters show it before the loss does.
  if (!is_finite(parameters)) return diverge();
  if (!(loss < best_)) return;
  best_ = loss;
  kept_ = std::move(parameters);
}

void TrainingRecord::diverge() {
  over_ = true;
  outcome_.status = TrainStatus::diverged;
}

void TrainingRecord::stop() {
  if (over_) return;
  over_ = true;
  outcome_.status = TrainStatus::stopped;
}

Progress TrainingRecord::progress() const { return {outcome_.steps, steps_, outcome_.loss}; }

TrainOutcome TrainingRecord::finish(const std::vector<float>& last) {
  if (outcome_.status == TrainStatus::finished) {
    if (is_finite(last)) {
      kept_ = last;
      return outcome_;
    }
    diverge();
  }
  outcome_.loss = std::isfinite(best_) ? best_ : std::numeric_limits<double>::quiet_NaN();
  return outcome_;
}

}  // namespace kedge
