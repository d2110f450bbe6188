#pragma once

// Calibration: what errors to expect of a predictor, learned from rehearsals inside its training table.

#include <span>
#include <vector>

#include "kedge/coverage/error_model.h"
#include "kedge/predictor/fit.h"
#include "kedge/trials/rehearsal.h"

namespace kedge {

/// Which errors of a rehearsal count: all; only those of queries beyond all differences that were seen; or,
/// on a shell of outputs, those of answers that tell of it: who asks sees the answer, not the true output.
enum class Counted { all, beyond, told };

struct CalibrationTrial {
  RehearsalOptions rehearsal;
  Counted counted = Counted::all;
};

/// The rehearsals of a calibration: around and at both ends, for queries one known difference away; a deep
/// shell for what is farther; and the smallest and the largest outputs. Inside the deep one so few rows are
/// left that they may not show what repeats, so of its errors only those beyond all differences count.
std::span<const CalibrationTrial> calibration_trials();

/// Those of a closed form, which costs little: the same at more depths, to tell how errors grow.
std::span<const CalibrationTrial> closed_form_trials();

/// How much better trained a final model is than a trial of it: its loss over the trial's, at most 1.
double improvement_of(double final_loss, double trial_loss, Loss loss);

/// Whether an error is one to learn from.
bool counts(Counted counted, Verdict verdict, double error);

/// What the observed errors tell; unknown when there are none. `most_power` as for fit_error_model.
ErrorModel error_model_of(std::span<const ObservedError> observed, double output_scale, double usual_spread,
                          double most_power = 0);

/// A predictor and what was asked for. Choices that the request leaves open are made by each rehearsal anew.
struct CalibrationRequest {
  const FitRequest& request;
  const Predictor& predictor;
};

/// What is learned: errors to expect, and the rehearsals that they come from.
struct Calibrated {
  ErrorModel errors{};
  std::vector<RehearsedRows> rehearsed{};
};

/// What the rehearsals take that `calibrate` runs for a fit; nothing when there are too few rows or none are
/// wanted.
Workload calibration_load(const FitRequest& request);

/// Errors are unknown where there are too few rows, where the rehearsals fail, and after a stop. Progress
/// counts the sum of calibration_load.
std::vector<Calibrated> calibrate(std::span<const CalibrationRequest> requests, const RunOptions& run);

}  // namespace kedge
