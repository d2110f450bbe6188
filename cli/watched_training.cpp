#include "cli/watched_training.h"

#include <cstdio>
#include <utility>
#include <vector>

#include "kedge/core/files.h"
#include "kedge/core/format.h"

namespace kedge {

WatchedTraining::WatchedTraining(std::string command, std::string thing, const FitFlags& flags)
    : command_(std::move(command)),
      thing_(std::move(thing)),
      flags_(flags),
      bar_(command_, 0,
           {.surface = flags.quiet ? ProgressSurface::hidden : ProgressSurface::detect,
            .delay = shortest_watched}) {}

RunOptions WatchedTraining::run_options() {
  return {.progress =
              [this](const Progress& progress) {
                bar_.update(progress);
                return !interrupt_.requested();
              },
          .threads = flags_.threads,
          .device = device_of(flags_)};
}

std::string WatchedTraining::harm_text(const TrainingErrors& errors) const {
  return fmt::format(
      "the {} is worse than a constant: error {:.3g} against {:.3g}; take a smaller "
      "--learning-rate, more --steps or a larger --width",
      thing_, errors.model, errors.constant);
}

WatchedTraining::Kept WatchedTraining::keep(const TrainingEnd& end, const std::function<void()>& save) const {
  const bool stopped = end.outcome.status == TrainStatus::stopped;
  const bool did_harm = end.errors && end.errors->is_worse_than_constant();
  const bool ended_early = stopped || end.calibration_stopped;
  const bool saves = flags_.keep_partial || (!did_harm && (!ended_early || interrupt_.is_from_terminal()));
  if (saves) save();
  std::vector<std::string> said;
  if (stopped)
    said.push_back(end.outcome.steps < end.steps
                       ? fmt::format("stopped at step {} of {}", end.outcome.steps, end.steps)
                       : "stopped before all replicas were trained");
  if (end.calibration_stopped)
    said.push_back("stopped after the training, before expected errors were learned");
  if (did_harm) said.push_back(harm_text(*end.errors));
  const std::string hint =
      flags_.if_unsaved.empty() ? fmt::format("--keep-partial keeps the {}", thing_) : flags_.if_unsaved;
  said.push_back(!saves    ? fmt::format("nothing was written; {}", hint)
                 : stopped ? fmt::format("the best {} so far is in {}", thing_, flags_.output)
                           : fmt::format("the {} is in {} all the same", thing_, flags_.output));
  const Error fault(command_, fmt::format("{}", fmt::join(said, "; ")));
  if (ended_early || !saves) return {saves, fault};
  if (did_harm) std::fputs(fmt::format("kedge: warning: {}\n", one_line(fault.what())).c_str(), stderr);
  return {.is_saved = true};
}

}  // namespace kedge
