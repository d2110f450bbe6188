#include "kedge/models/extreme.h"

#include <algorithm>
#include <cassert>

#include "kedge/models/layers.h"
#include "kedge/table/split.h"

namespace kedge {

std::vector<float> solve_extreme(const Program& program, MatrixView<const float> features,
                                 MatrixView<const float> outputs) {
  assert(program.ops().size() == 1 && program.ops().front().kind == OpKind::dense);
  Matrix<double> points(features.rows(), features.cols());
  for (size_t r = 0; r < points.rows(); ++r)
    std::copy(features.row(r).begin(), features.row(r).end(), points.row(r).begin());
  const std::vector<size_t> outermost = outer_shell(points, extreme_shell).outside;

  std::vector<float> parameters(program.parameters(), 0.0f);
  float* bias = parameters.data() + (parameters.size() - outputs.cols());
  for (size_t k = 0; k < outputs.cols(); ++k) {
    float low = outputs(0, k), high = outputs(0, k);
    for (size_t r = 1; r < outputs.rows(); ++r) {
      low = std::min(low, outputs(r, k));
      high = std::max(high, outputs(r, k));
    }
    double sum = 0;
    for (size_t r : outermost) sum += static_cast<double>(outputs(r, k));
    const double mean = sum / static_cast<double>(outermost.size());
    bias[k] = static_cast<double>(high) - mean <= mean - static_cast<double>(low) ? high : low;
  }
  return parameters;
}

Model extreme_model() {
  return {.name = "extreme",
          .title = "a constant: the largest or smallest output, whichever the outermost rows are nearer to",
          .complexity = 0,
          .solver = Solver::extreme,
          .program = linear_model().program};
}

}  // namespace kedge
