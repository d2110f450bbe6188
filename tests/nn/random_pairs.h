#pragma once

// Training data for tests of engines: every number is drawn, so that a mixed-up input, row or column shows.

#include <utility>
#include <vector>

#include "kedge/core/rng.h"
#include "kedge/nn/train.h"
#include "kedge/pairs/pair_features.h"

namespace kedge {

enum class LossWeights { equal, drawn };

/// Random rows and a list of random pairs of them, `batch` of which make a step.
class RandomData {
 public:
  RandomData(size_t features, size_t outputs, size_t batch, LossWeights weights, uint64_t seed = 3)
      : points_(rows, 1), features_(rows, features), outputs_(rows, outputs) {
    Rng rng(seed, Stream::pairs);
    for (Matrix<float>* matrix : {&features_, &outputs_})
      for (size_t i = 0; i < matrix->rows() * matrix->cols(); ++i)
        matrix->data()[i] = static_cast<float>(rng.uniform(-1, 1));
    std::vector<Pair> list;
    for (size_t p = 0; p < listed; ++p) {
      const auto row = [&] { return static_cast<uint32_t>(rng.below(rows)); };
      list.push_back({row(), row()});
      if (weights == LossWeights::drawn) weights_.push_back(static_cast<float>(rng.uniform(0.2, 2)));
    }
    sampler_ = PairSampler::in_order(rows, std::move(list), batch);
  }

  TrainingData data() const {
    return {.rows = {.points = points_, .features = features_, .outputs = outputs_, .curved = {}},
            .pairs = sampler_.tables(),
            .pair_weights = weights_};
  }

  const Matrix<float>& features() const { return features_; }
  Matrix<float>& outputs() { return outputs_; }

 private:
  static constexpr size_t rows = 200, listed = 5003;
  Matrix<double> points_;
  Matrix<float> features_, outputs_;
  std::vector<float> weights_;
  PairSampler sampler_{1, SelfPairs::allow};
};

/// The pairs of one step as plain matrices.
struct DrawnPairs {
  DrawnPairs(const TrainingData& data, size_t pairs, uint64_t seed, uint64_t step)
      : query(pairs, data.rows.features.cols()),
        anchor(query),
        delta(query),
        anchor_output(pairs, data.rows.outputs.cols()),
        target(anchor_output),
        weight(pairs, 1.0f) {
    for (size_t p = 0; p < pairs; ++p) {
      const DrawnPair drawn = draw_pair(data.pairs, seed, Stream::pairs, step, static_cast<uint32_t>(p));
      for (size_t f = 0; f < query.cols(); ++f) {
        query(p, f) = data.rows.features(drawn.pair.query, f);
        anchor(p, f) = data.rows.features(drawn.pair.anchor, f);
        delta(p, f) = query(p, f) - anchor(p, f);
      }
      for (size_t k = 0; k < target.cols(); ++k) {
        target(p, k) = data.rows.outputs(drawn.pair.query, k);
        anchor_output(p, k) = data.rows.outputs(drawn.pair.anchor, k);
      }
      if (!data.pair_weights.empty()) weight[p] = data.pair_weights[drawn.entry];
    }
  }
  Matrix<float> query, anchor, delta, anchor_output, target;
  std::vector<float> weight;
};

/// An engine with the starting parameters of these seeds.
inline std::unique_ptr<Engine> seeded_engine(const Program& program, const std::vector<uint64_t>& seeds) {
  program.check();
  std::vector<std::vector<float>> parameters;
  for (uint64_t seed : seeds) parameters.push_back(initial_parameters(program, seed));
  return make_engine(program, parameters);
}

}  // namespace kedge
