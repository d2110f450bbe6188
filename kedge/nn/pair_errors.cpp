#include "kedge/nn/pair_errors.h"

#include <algorithm>
#include <cmath>

namespace kedge {
namespace {

// Pairs predicted at once: their features stay in the cache.
constexpr size_t block_pairs = 1024;

Matrix<float> mean_prediction(const Engine& engine, const ForwardInputs& inputs, size_t outputs) {
  Matrix<float> sum(inputs.rows, outputs), one(inputs.rows, outputs);
  for (size_t r = 0; r < engine.replicas(); ++r) {
    engine.forward(r, inputs, one);
    for (size_t p = 0; p < inputs.rows; ++p)
      for (size_t k = 0; k < outputs; ++k) sum(p, k) += one(p, k);
  }
  for (size_t p = 0; p < inputs.rows; ++p)
    for (size_t k = 0; k < outputs; ++k) sum(p, k) /= static_cast<float>(engine.replicas());
  return sum;
}

}  // namespace

std::vector<double> pair_errors(const Engine& engine, const EncodedRows& rows, std::span<const Pair> pairs,
                                const StopCheck& stop_check) {
  const size_t outputs = rows.outputs.cols();
  std::vector<double> errors;
  errors.reserve(pairs.size());
  for (size_t first = 0; first < pairs.size(); first += block_pairs) {
    check_stop(stop_check);
    const size_t count = std::min(block_pairs, pairs.size() - first);
    PairBatch batch(rows, count);
    for (size_t p = 0; p < count; ++p) batch.set(p, pairs[first + p]);
    const Matrix<float> y = mean_prediction(engine, batch.inputs(), outputs);
    for (size_t p = 0; p < count; ++p) {
      double squares = 0;
      for (size_t k = 0; k < outputs; ++k) {
        const double e = static_cast<double>(y(p, k) - rows.outputs(pairs[first + p].query, k));
        squares += e * e;
      }
      errors.push_back(std::sqrt(squares / static_cast<double>(outputs)));
    }
  }
  return errors;
}

}  // namespace kedge
