#pragma once

// A training that a user watches: its progress bar, the signals that stop it, and what is kept of it. What
// `kedge fit` and `kedge imitate` share.
//
// A training that was stopped, or that did harm, is no success: nothing is written, an older file stays, and
// the command ends with an error that says why. --keep-partial has it written all the same; so has Ctrl-C at
// a terminal, whose user sees what was stopped. Even then a stopped command ends with an error, and one whose
// training did harm says so.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/fit_flags.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "kedge/core/error.h"
#include "kedge/predictor/fit.h"

namespace kedge {

/// How a training ended.
struct TrainingEnd {
  const TrainOutcome& outcome;
  uint64_t steps = 0;  ///< that were planned
  const std::optional<TrainingErrors>& errors;
  bool calibration_stopped = false;
};

class WatchedTraining {
 public:
  /// `command` is "fit" or "imitate", `thing` what it makes.
  WatchedTraining(std::string command, std::string thing, const FitFlags& flags);

  /// What `train(RunOptions)` gives. Throws Error when a signal came before there was anything to keep.
  template <class Train>
  auto run(const Train& train) {
    try {
      auto result = train(run_options());
      bar_.clear();
      return result;
    } catch (const Error& error) {
      if (std::string_view(error.what()) != fit_stopped().what()) throw;
      bar_.clear();
      throw Error(command_, "stopped before there was anything to keep; nothing was written" +
                                (flags_.if_unsaved.empty() ? "" : "; " + flags_.if_unsaved));
    }
  }

  /// Calls `save` when the end is good or is to be kept all the same.
  struct Kept {
    bool is_saved = false;
    std::optional<Error> fault = {};  ///< what the command is to end with
  };
  Kept keep(const TrainingEnd& end, const std::function<void()>& save) const;

 private:
  RunOptions run_options();
  std::string harm_text(const TrainingErrors& errors) const;

  const std::string command_, thing_;
  const FitFlags& flags_;
  Interrupt interrupt_;
  ProgressBar bar_;
};

}  // namespace kedge
