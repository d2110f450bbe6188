#pragma once

// A source of pairs for tests of engines: every number is drawn, none depends on another, so that a mixed-up
// input, row or column shows.

#include <algorithm>
#include <vector>

#include "kedge/core/rng.h"
#include "kedge/pairs/batch.h"

namespace kedge {

enum class PairWeights { equal, drawn };

class RandomPairs : public PairSource {
 public:
  RandomPairs(size_t features, size_t outputs, PairWeights weights)
      : features_(features), outputs_(outputs), weights_(weights) {}

  void fill(uint64_t seed, uint64_t step, const Batch& batch) const override {
    Rng rng(seed, Stream::pairs, step);
    for (size_t p = 0; p < batch.pairs; ++p) {
      draw(rng, batch.query, features_, p * batch.feature_stride);
      draw(rng, batch.anchor, features_, p * batch.feature_stride);
      draw(rng, batch.delta, features_, p * batch.feature_stride);
      draw(rng, batch.anchor_output, outputs_, p * batch.output_stride);
      draw(rng, batch.target, outputs_, p * batch.output_stride);
      const float weight = static_cast<float>(rng.uniform(0.2, 2));
      if (weights_ == PairWeights::drawn) batch.weight[p] = weight;
    }
  }

 private:
  // Numbers are drawn whether they are wanted or not: what a program reads does not change what it sees.
  static void draw(Rng& rng, float* to, size_t count, size_t at) {
    for (size_t i = 0; i < count; ++i) {
      const float number = static_cast<float>(rng.uniform(-1, 1));
      if (to) to[at + i] = number;
    }
  }

  size_t features_, outputs_;
  PairWeights weights_;
};

/// What a source gives, as plain matrices: the pairs of one step.
struct DrawnPairs {
  DrawnPairs(const PairSource& source, size_t features, size_t outputs, size_t pairs, uint64_t seed,
             uint64_t step)
      : query(pairs, features),
        anchor(pairs, features),
        delta(pairs, features),
        anchor_output(pairs, outputs),
        target(pairs, outputs),
        weight(pairs, 1.0f) {
    source.fill(seed, step,
                {.pairs = pairs,
                 .query = query.data(),
                 .anchor = anchor.data(),
                 .delta = delta.data(),
                 .feature_stride = features,
                 .anchor_output = anchor_output.data(),
                 .target = target.data(),
                 .output_stride = outputs,
                 .weight = weight.data()});
  }
  Matrix<float> query, anchor, delta, anchor_output, target;
  std::vector<float> weight;
};

}  // namespace kedge
