#include "kedge/predictor/answer_summary.h"

#include <algorithm>
#include <cmath>

namespace kedge {

AnswerSummary::AnswerSummary(const OutputScaling& scaling, std::span<double> mean, std::span<double> squares)
    : scaling_(scaling), mean_(mean), squares_(squares) {
  std::fill(mean_.begin(), mean_.end(), 0.0);
  std::fill(squares_.begin(), squares_.end(), 0.0);
}

void AnswerSummary::add_to_mean(MatrixView<const float> answers) {
  for (size_t r = 0; r < answers.rows(); ++r)
    for (size_t k = 0; k < mean_.size(); ++k)
      mean_[k] += scaling_.standard.undo(k, static_cast<double>(answers(r, k)));
  count_ += answers.rows();
}

void AnswerSummary::finish_mean() {
  for (double& sum : mean_) sum /= static_cast<double>(count_);
}

void AnswerSummary::add_to_spread(MatrixView<const float> answers) {
  for (size_t r = 0; r < answers.rows(); ++r) {
    for (size_t k = 0; k < mean_.size(); ++k) {
      const double e = scaling_.standard.undo(k, static_cast<double>(answers(r, k))) - mean_[k];
      squares_[k] += e * e;
    }
  }
}

double AnswerSummary::finish() {
  double variance_sum = 0;
  for (size_t k = 0; k < mean_.size(); ++k) {
    mean_[k] = scaling_.space.value(k, mean_[k]);
    const double slope = scaling_.space.slope(k, mean_[k]);
    variance_sum += slope * slope * squares_[k] / static_cast<double>(count_);
  }
  return std::sqrt(variance_sum);
}

double summarize(const std::vector<Matrix<float>>& by_replica, size_t first, size_t count,
                 AnswerSummary summary) {
  for (const Matrix<float>& y : by_replica) summary.add_to_mean(rows_of(y, first, count));
  summary.finish_mean();
  for (const Matrix<float>& y : by_replica) summary.add_to_spread(rows_of(y, first, count));
  return summary.finish();
}

}  // namespace kedge
