#include "kedge/nn/train.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace kedge {
namespace {

// However wide the program, whoever wants to stop it waits for no more than this. The work of a step is
// counted in products of a parameter and a pair; 1e9 take a core a quarter of a second.
constexpr double most_work_between_reports = 1e9;
// What a pair costs beside its products and a parameter beside its pairs: drawing and encoding, Adam.
constexpr double parameters_of_a_draw = 100, pairs_of_an_update = 8;
// Measuring costs as much as three steps.
constexpr uint64_t checkpoints = 20, least_steps_between_checkpoints = 250;

uint64_t checkpoint_steps(uint64_t steps) {
  return std::max(steps / checkpoints, least_steps_between_checkpoints);
}

uint64_t steps_between_reports(const TrainOptions& options, size_t parameters) {
  const double work = (static_cast<double>(parameters) + parameters_of_a_draw) *
                      (static_cast<double>(options.batch) + pairs_of_an_update);
  return std::max<uint64_t>(1, static_cast<uint64_t>(most_work_between_reports / work));
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
    const auto runs = std::span(fleet.runs).subspan(part.first, part.count);
    const auto outcomes = std::span(fleet.outcomes).subspan(part.first, part.count);
    // Runs that a stop finds waiting do not begin.
    if (report(0, {.steps = runs[0].options.steps, .loss = std::numeric_limits<double>::quiet_NaN()}))
      fleet.engine->train(part.first, runs, report, outcomes);
    else
      std::fill(outcomes.begin(), outcomes.end(), TrainOutcome{.status = TrainStatus::stopped, .losses = {}});
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

TrainingRecord::TrainingRecord(const TrainOptions& options, size_t parameters)
    : steps_(options.steps),
      chunk_(std::clamp<uint64_t>(options.steps / 200, 1, most_steps_between_reports)),
      part_(steps_between_reports(options, parameters)),
      next_checkpoint_(checkpoint_steps(steps_)) {}

uint64_t TrainingRecord::next() const {
  return over_ ? 0 : std::min({part_, chunk_ - steps_of_chunk_, steps_ - done()});
}

uint64_t TrainingRecord::next_on_device() const {
  if (is_over()) return 0;
  assert(done() < next_checkpoint_);
  const uint64_t to_checkpoint = (next_checkpoint_ - done() + chunk_ - 1) / chunk_ * chunk_;
  return std::min({most_steps_between_reports / chunk_ * chunk_, to_checkpoint, steps_ - done()});
}

void TrainingRecord::add(std::span<const double> losses) {
  while (!losses.empty() && !has_diverged()) {
    const size_t count = std::min<size_t>(losses.size(), chunk_ - steps_of_chunk_);
    add_to_chunk(losses.first(count));
    losses = losses.subspan(count);
  }
}

void TrainingRecord::add_to_chunk(std::span<const double> losses) {
  // One sum for the whole chunk: its rounding does not depend on the parts.
  for (double loss : losses) sum_of_chunk_ += loss;
  if (!std::isfinite(sum_of_chunk_)) return diverge();
  outcome_.steps += losses.size();
  steps_of_chunk_ += losses.size();
  loss_ = sum_of_chunk_ / static_cast<double>(steps_of_chunk_);
  if (steps_of_chunk_ < chunk_ && done() < steps_) return;
  outcome_.losses.push_back(loss_);
  outcome_.loss = loss_;
  steps_of_chunk_ = 0;
  sum_of_chunk_ = 0;
}

bool TrainingRecord::is_checkpoint() const {
  return !over_ && steps_of_chunk_ == 0 && done() >= next_checkpoint_;
}

bool TrainingRecord::measure(double loss, bool is_finite) {
  next_checkpoint_ = done() + checkpoint_steps(steps_);
  // A finite loss can have a gradient that overflows: the parameters show it before the loss does.
  if (!is_finite) {
    diverge();
    return false;
  }
  if (!(loss < best_)) return false;
  best_ = loss;
  return true;
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

Progress TrainingRecord::progress() const { return {outcome_.steps, steps_, loss_}; }

TrainOutcome TrainingRecord::finish(bool is_finite) {
  if (outcome_.status == TrainStatus::finished) {
    if (is_finite) return outcome_;
    diverge();
  }
  outcome_.loss = std::isfinite(best_) ? best_ : std::numeric_limits<double>::quiet_NaN();
  return outcome_;
}

}  // namespace kedge
