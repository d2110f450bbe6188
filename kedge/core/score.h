#pragma once

// Score: how far predictions are from the truth, and how scores spread over seeds.

#include <span>
#include <vector>

#include "kedge/core/matrix.h"

namespace kedge {

/// Root of the mean over rows of the squared Euclidean distance between two rows; for one output the usual
/// RMSE. Throws Error when the shapes differ or there are no rows.
double rmse(MatrixView<const double> predicted, MatrixView<const double> truth);

/// Of each row the Euclidean distance between the two. Throws as `rmse`.
std::vector<double> distances(MatrixView<const double> predicted, MatrixView<const double> truth);

/// The part of the truth's variance that predictions explain, from their `distances` to it: 1 is perfect, 0
/// what the truth's own mean would do. NaN where the truth does not vary. Throws Error when the lengths
/// differ.
double r_squared(std::span<const double> distances, MatrixView<const double> truth);

double root_mean_square(std::span<const double> values);

/// How well a score tells bad from good: the chance that a bad item scores above a good one, equal scores
/// counting half (area under the receiver operating characteristic). NaN when all are bad or none is.
/// Throws Error when the lengths differ or a score is NaN.
double auroc(std::span<const double> score, const std::vector<bool>& bad);

/// Spearman's rank correlation of two lists of the same length: the correlation of their ranks, equal values
/// sharing the mean of theirs. NaN where one of them is constant. Throws Error when the lengths differ or
/// there are no values.
double rank_correlation(std::span<const double> a, std::span<const double> b);

/// Of the wanted items, the share whose score is among the greatest as many; where equal scores leave a
/// choice, the mean over all choices. Throws Error when the lengths differ or nothing is wanted.
double found_share(std::span<const double> scores, const std::vector<bool>& wanted);

/// The same where the tenth of the items whose truth is greatest (at least one) is wanted; of equal ones the
/// earlier. Throws as rank_correlation.
double top_share(std::span<const double> predicted, std::span<const double> truth);

/// Throws Error on no values.
double mean(std::span<const double> values);

/// Standard deviation of a sample (divided by n - 1); 0 for one value. Throws Error on no values.
double deviation(std::span<const double> values);

bool all_finite(std::span<const double> numbers);

}  // namespace kedge
