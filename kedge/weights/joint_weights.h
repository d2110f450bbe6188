#pragma once

// Joint training: weights of pairs learned from a model's own errors (the paper's algorithm 2 without an
// example for every kind of pair, or with a few to begin from).
//
// The loss is sum over pairs of w e + t (sqrt(w) - 1)^2, e the error of a pair and t the tolerance; the
// second term is the regularizer that keeps weights from vanishing. It is minimized by turns: a trial model
// is trained on pairs drawn by weight; the weights that are best for its errors are w = (t / (t + e))^2, and
// the weight network is trained towards them. The model itself is trained afterwards, with the weights
// frozen.

#include "kedge/weights/pair_weights.h"

namespace kedge {

struct JointTraining {
  Program program{0, 0};  ///< of the model
  TrainOptions training;  ///< of the model
  uint64_t seed = 0;
};

/// `examples` may be empty; a pair that has an example keeps its weight. Progress counts weight_steps. Throws
/// Error when no pair keeps a weight, and weights_stopped when progress asks to stop.
PairWeights learn_jointly(const EncodedRows& rows, const PairSampler& sampler, const JointTraining& model,
                          const PairExamples& examples, const WeightOptions& options,
                          const ProgressFn& progress);

/// Steps in which weights are learned for a model that is itself trained for `steps`: those of the trial
/// models and of the weights' own network.
uint64_t weight_steps(const WeightOptions& options, uint64_t steps, size_t examples);

}  // namespace kedge
