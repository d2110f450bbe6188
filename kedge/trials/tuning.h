#pragma once

// Tuning: what of a fit can be settled on the answers of its rehearsals, without another training: which
// anchors are averaged, how much of what was learned over a base is added, and what becomes of answers near
// the ends of the training outputs (kedge/predictor/outward.h).
//
// Three errors are weighed, by what the user is after: inside (rows held out at random), beyond in inputs and
// beyond in outputs (rows of such shells). Each is a mean absolute error in deviations of the outputs, and
// the geometric mean over rehearsals: a few rows far out, or one hard shell, should not decide alone.

#include <optional>
#include <span>
#include <vector>

#include "kedge/trials/rehearsal.h"

namespace kedge {

/// What a user is after: rows beyond the table in their inputs, in their outputs, or either.
enum class Beyond { inputs, outputs, both };
constexpr auto names_of(Beyond) {
  return std::to_array<Named<Beyond>>(
      {{Beyond::inputs, "inputs"}, {Beyond::outputs, "outputs"}, {Beyond::both, "both"}});
}

/// NaN where no rehearsal tells.
struct TrialErrors {
  double inside = std::numeric_limits<double>::quiet_NaN();
  double inputs = std::numeric_limits<double>::quiet_NaN();
  double outputs = std::numeric_limits<double>::quiet_NaN();
};

/// One number of these, the smaller the better: the logarithm of their weighted geometric mean. What no
/// rehearsal tells does not count. Errors inside count down to a quarter of those beyond in inputs.
double weighed(const TrialErrors& errors, Beyond beyond);

/// A rehearsal of the fit that is tuned.
struct TunedTrial {
  Shell shell = Shell::around;
  const Rehearsal& rehearsal;
  const Matrix<double>* base = nullptr;  ///< what the base alone answers; null without one
};

/// Mean absolute errors of one rehearsal, in deviations of the outputs; NaN where it has no such row.
struct ShellErrors {
  Shell shell = Shell::around;
  double inside = std::numeric_limits<double>::quiet_NaN();
  double outside = std::numeric_limits<double>::quiet_NaN();
};

/// Of these answers in one trial. `scale` as for errors_of.
ShellErrors errors_of(const TunedTrial& trial, const Matrix<double>& answers, std::span<const double> scale);

/// The geometric means over rehearsals.
TrialErrors joined(std::span<const ShellErrors> shells);

/// Of these answers, one matrix for each trial. `scale` has the deviation of each output in the whole table.
TrialErrors errors_of(std::span<const TunedTrial> trials, const std::vector<Matrix<double>>& answers,
                      std::span<const double> scale);

struct Tuning {
  AnchorOptions anchors;
  std::optional<AnchorOptions> inside_anchors = {};
  double share = 1;
  Outward outward = {};
  std::vector<Matrix<double>> answers = {};  ///< by trial, so tuned
};

/// Rules worth trying beside the one of the options.
const std::vector<AnchorOptions>& tried_rules();

/// Settles what `options` leave to it; the rehearsals answered by tried_rules too. `scale` as for errors_of.
/// A rule or share that gains less than 0.5 % is not taken, nor a way outward that gains less than 2 %.
Tuning tune(std::span<const TunedTrial> trials, const FitOptions& options, const OutputSpace& space,
            std::span<const double> scale, Beyond beyond);

}  // namespace kedge
