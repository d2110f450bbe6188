#pragma once

// Budget: a time that a whole fit may take - choice, training and calibration - and the sizes that fill it.
//
// How long sizes take is estimated (kedge/predictor/workload.h); a short training corrects the estimate for
// the machine. What a fit gives depends on its options alone, so the same sizes without a budget give the
// same model.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kedge/predictor/fit.h"

namespace kedge {

/// Seconds of a time as users write it: "90s", "5m", "1.5h". Throws Error.
double parse_duration(const std::string& text);

/// How fast work is done: seconds that one core takes for a second of estimated work, and how many cores.
struct Pace {
  double seconds = 1;
  int threads = 1;
};

/// Trains for a moment, about a fiftieth of the budget and a second at most, and looks at the clock.
Pace measured_pace(const FitRequest& request, double budget, const RunOptions& run = {});

/// About how long `fit` takes, all sizes settled.
double seconds_of_fit(const FitRequest& request, const Pace& pace);

/// The least steps of a budget, however short.
inline constexpr uint64_t fewest_budget_steps = 500;

/// The options with the sizes that fill so many seconds, trials of plan_budget included. Steps fill them.
/// Where there is more time than the table's own sizes take, cores that would wait train replicas, up to
/// eight. Sizes that are not open stay.
FitOptions options_within(const FitRequest& request, double seconds, const Pace& pace);

/// The error inside of a trial with so many steps.
struct InsideError {
  double steps = 0, error = 0;
};

/// Error after twice the steps over the error before, by a power law through the trials; at most 1. Nothing
/// with fewer than two trials of positive error.
std::optional<double> error_of_twice(std::span<const InsideError> trials);

struct BudgetPlan {
  FitOptions options;  ///< no size is open
  double seconds = 0;  ///< that plan and fit take, by the estimate
  std::vector<InsideError> trials =
      {};  ///< in deviations of the outputs; none where there are few rows or steps
};

struct BudgetedFit {
  BudgetPlan plan;
  FitResult result;
};

/// Measures the pace, chooses the sizes, and fits. Trials of a sixteenth, an eighth and a quarter of the
/// steps say before how the error falls on rows that are held out at random. The device `automatic` is the
/// CPU. Throws Error as `fit` does, and where the model has no steps.
BudgetedFit fit_within(const FitRequest& request, double seconds, const RunOptions& run = {});

}  // namespace kedge
