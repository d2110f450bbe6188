#pragma once

// AnswerSummary: mean and spread of the answers to one query, in the units of the table. Of outputs on a log
// scale the mean is geometric, and the spread that of the logarithms times the mean.
//
// The answers, one a row, come in any number of parts, and twice in the same order: once for the mean, once
// for the spread. Law: mean and spread do not depend on how the answers were cut into parts, bit for bit.

#include <cstddef>
#include <span>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/pairs/encoder.h"

namespace kedge {

class AnswerSummary {
 public:
  /// `mean` and `squares` have a number for each output; they are the memory of the summary, which allocates
  /// none of its own.
  AnswerSummary(const OutputScaling& scaling, std::span<double> mean, std::span<double> squares);

  void add_to_mean(MatrixView<const float> answers);
  void finish_mean();
  void add_to_spread(MatrixView<const float> answers);
  /// Gives the mean the units of the table and returns the spread: the norm over outputs of the deviation.
  double finish();

 private:
  const OutputScaling& scaling_;
  std::span<double> mean_, squares_;
  size_t count_ = 0;
};

/// Rows first ... first + count - 1 of a matrix.
template <class T>
MatrixView<const T> rows_of(const Matrix<T>& matrix, size_t first, size_t count) {
  return {matrix.data() + first * matrix.cols(), count, matrix.cols()};
}

/// The summary of rows first ... first + count - 1 of all replicas' answers; returns the spread.
double summarize(const std::vector<Matrix<float>>& by_replica, size_t first, size_t count,
                 AnswerSummary summary);

}  // namespace kedge
