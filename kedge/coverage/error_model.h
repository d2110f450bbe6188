#pragma once

// ErrorModel: the error to expect of a prediction, from where its query lies and how far its replicas and
// anchors disagree. With S the deviation of the outputs,
//
//   error = S ( b0 + b1 [out] + b2 [out] s + b6 [out] s^2 + b3 r + b4 [beyond] + b5 [beyond] d
//               + b7 e + b8 [above] )                                                                  b >= 0
//
// where [out] is 1 for every verdict but interpolation and [beyond] for edge and unreachable, s is the
// distance to the support, d that of the difference, and r the spread over the model's usual spread on its
// own rows; e is how far the answer itself lies beyond all training outputs (OutputRange::excess), and
// [above] is 1 where it does. The coefficients come from errors seen in rehearsals
// (kedge/trials/rehearsal.h) by maximum Poisson likelihood, whose fitted means add up to the observed ones.
// It is an expectation, not a bound or a confidence interval.

#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "kedge/coverage/verdict.h"

namespace kedge {

/// What an expectation is made of.
struct ErrorEvidence {
  Verdict verdict = Verdict::undetermined;
  double support_distance = 0;
  double delta_distance = 0;  ///< read only beyond the differences seen
  double relative_spread = 0;
  double output_excess = 0;
  bool outside_outputs = false;
};

/// A rehearsed error over the deviation of the outputs. The model at hand is trained better than the
/// rehearsal was: by `improvement`, its loss over the rehearsal's, at most 1. b0, b1 and b3 shrink with it;
/// the others, which more training does not help, do not. And it is fitted on rows that reach farther: the
/// rehearsal's reached `extent` of that, at most 1. Its errors out of support count as extent^p times those
/// of the whole table.
struct ObservedError {
  ErrorEvidence evidence;
  double error = 0;
  double improvement = 1;
  double extent = 1;
};

struct ErrorModel {
  static constexpr size_t terms = 9;

  std::array<double, terms> coefficients{};                        ///< b0, b1, ...
  double output_scale = std::numeric_limits<double>::quiet_NaN();  ///< S; NaN when nothing is known
  double usual_spread = 0;                                         ///< what r is relative to
  /// Over S, how far outputs beyond all that were seen lie past the low and the high end of those: the error
  /// there less the way from the answer to that end, as a mean. NaN where it was not rehearsed.
  double past_low = std::numeric_limits<double>::quiet_NaN();
  double past_high = std::numeric_limits<double>::quiet_NaN();
  bool knows_beyond = false;  ///< whether errors beyond the differences seen were rehearsed at all

  bool is_known() const { return std::isfinite(output_scale); }
  double relative_spread(double spread) const { return usual_spread > 0 ? spread / usual_spread : 0; }
  /// In units of the outputs; NaN when nothing is known of such a query.
  double expected(const ErrorEvidence& evidence) const;
};

/// The coefficients that fit the observations best; all 0 when there are none. Of the powers p = 0, 1/2, ...
/// `most_power` the likeliest is taken. Against a smooth function a straight line has p = 1, a parabola 2.
std::array<double, ErrorModel::terms> fit_error_model(std::span<const ObservedError> observed,
                                                      double most_power = 0);

}  // namespace kedge
