#include "cli/watched_training.h"

#include <utility>

#include "kedge/core/format.h"

namespace kedge {

WatchedTraining::WatchedTraining(std::string command, std::string thing, const FitFlags& flags)
    : command_(std::move(command)),
      thing_(std::move(thing)),
      flags_(flags),
      bar_(command_, 0, {.surface = flags.quiet ? ProgressSurface::hidden : ProgressSurface::detect}) {}

RunOptions WatchedTraining::run_options() {
  return {.progress =
              [this](const Progress& progress) {
                bar_.update(progress.step, progress.steps, progress.loss);
                return !interrupt_.requested();
              },
          .threads = flags_.threads};
}

WatchedTraining::Kept WatchedTraining::keep(const TrainingEnd& end, const std::function<void()>& save) const {
  const bool stopped = end.outcome.status == TrainStatus::stopped;
  const bool is_worse = !stopped && end.errors && end.errors->is_worse_than_constant();
  if (!stopped && !is_worse && !end.calibration_stopped) {
    save();
    return {.is_saved = true};
  }
  const bool saves = flags_.keep_partial || (!is_worse && interrupt_.is_from_terminal());
  if (saves) save();
  const std::string what =
      stopped    ? fmt::format("stopped at step {} of {}", end.outcome.steps, end.steps)
      : is_worse ? fmt::format(
                       "the {} is worse than the mean of the outputs: error {:.3g} against {:.3g}; take a "
                       "smaller --learning-rate or more --steps",
                       thing_, end.errors->model, end.errors->constant)
                 : "stopped after the training, before expected errors were learned";
  const std::string kept = !saves    ? fmt::format("nothing was written; --keep-partial keeps the {}", thing_)
                           : stopped ? fmt::format("the best {} so far is in {}", thing_, flags_.output)
                                     : fmt::format("the {} is in {} all the same", thing_, flags_.output);
  return {saves, Error(command_, what + "; " + kept)};
}

}  // namespace kedge
