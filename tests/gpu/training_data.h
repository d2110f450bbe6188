#pragma once

// What the tests of devices train on.

#include <vector>

#include "kedge/core/rng.h"
#include "kedge/models/models.h"
#include "kedge/nn/engine.h"
#include "kedge/pairs/sampler.h"

namespace kedge {

/// Outputs are sums and products of inputs.
struct DrawnTable {
  DrawnTable(size_t rows, size_t features, size_t outputs)
      : x(rows, features), y(rows, outputs), points(rows, features), sampler(rows, SelfPairs::exclude) {
    Rng rng(1, Stream::domain);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t f = 0; f < features; ++f) {
        points(r, f) = rng.uniform(-1, 1);
        x(r, f) = static_cast<float>(points(r, f));
      }
      for (size_t k = 0; k < outputs; ++k)
        y(r, k) = x(r, k % features) * x(r, (k + 1) % features) + 0.3f * x(r, (k + 2) % features);
    }
  }
  TrainingData data() const { return {.rows = {points, x, y, {}}, .pairs = sampler.tables()}; }

  Matrix<float> x, y;
  Matrix<double> points;
  PairSampler sampler;
};

/// Of two small networks.
inline Program small_product(int outputs, int rank) {
  return find_model("bilinear").program({12, outputs, {}}, {.layers = 2, .width = 16, .embedding = rank});
}

inline std::vector<std::vector<float>> starts(const Program& program, size_t replicas) {
  std::vector<std::vector<float>> parameters;
  for (size_t r = 0; r < replicas; ++r) parameters.push_back(initial_parameters(program, 7 + r));
  return parameters;
}

inline std::vector<TrainOutcome> train_all(Engine& engine, const DrawnTable& data,
                                           const TrainOptions& options) {
  std::vector<TrainingRun> runs;
  for (size_t r = 0; r < engine.replicas(); ++r) runs.push_back({data.data(), options, r});
  std::vector<TrainOutcome> outcomes(runs.size());
  engine.train(
      0, runs, [](size_t, const Progress&) { return true; }, outcomes);
  return outcomes;
}

}  // namespace kedge
