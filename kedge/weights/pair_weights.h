#pragma once

// PairWeights: a learned function w(query - anchor, anchor) in [0, 1] that says which pairs of rows may be
// transduced to each other (the paper's algorithm 2), a bilinear program with one output, clamped.
//
// It is learned from example pairs by squared error and then frozen. Training pairs are drawn in proportion
// to their weight: in expectation the weighted loss of the paper, and no step is spent on pairs of weight 0.
// At prediction the weight of every training row is computed: as many forward passes of a small network as
// there are rows, for each query.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kedge/anchors/anchors.h"
#include "kedge/core/error.h"
#include "kedge/core/stop_check.h"
#include "kedge/models/models.h"
#include "kedge/nn/engine.h"
#include "kedge/nn/train.h"
#include "kedge/pairs/encoder.h"
#include "kedge/weights/pair_examples.h"

namespace kedge {

/// Where weights come from: nowhere (all pairs count alike), example pairs, or the model's own errors, with
/// example pairs to begin from where there are some.
enum class WeightSource { none, examples, joint };

struct WeightOptions {
  WeightSource source = WeightSource::none;
  /// A Fourier layer that is `automatic` is there when the model has one.
  Architecture architecture = {
      .layers = 2, .width = 128, .embedding = 32, .fourier = Fourier::automatic, .fourier_scale = 10};
  TrainOptions training = {.adam = {.learning_rate = 1e-3, .schedule = Schedule::cosine},
                           .loss = Loss::mse,
                           .batch = 32,
                           .steps = 20000};
  double epochs = 0;  ///< when positive, steps = epochs * max(1, floor(example pairs / batch))
  double cut = 0.5;   ///< weights below it count as 0
  // Joint training only.
  int rounds = 4;          ///< of a trial model and of weights learned from its errors
  double effort = 0.2;     ///< of the model's training steps, spent on each trial
  double tolerance = 0.2;  ///< error at which a pair's weight falls to 1/4, in deviations of the outputs
};

/// Throws Error when a number is out of its range.
void check(const WeightOptions& options);

class PairWeights {
 public:
  PairWeights(const Program& program, const std::vector<float>& parameters);

  const Program& program() const { return engine_->program(); }
  std::vector<float> parameters() const { return engine_->read(0); }

  /// Of pairs of training rows.
  std::vector<float> weigh(const EncodedRows& rows, std::span<const Pair> pairs,
                           const StopCheck& stop_check = {}) const;
  /// Of every training row as the anchor of a query; 0 for rows that are none of `anchors`. Where those are
  /// empty, every row may serve.
  std::vector<float> weigh_anchors(const EncodedRows& rows, const QueryRow& query,
                                   std::span<const uint32_t> anchors = {}) const;

 private:
  /// Of `count` pairs, each written into its slot of a batch by `set(batch, slot, pair)`.
  template <class Set>
  std::vector<float> weigh_all(const EncodedRows& rows, size_t count, const Set& set,
                               const StopCheck& stop_check) const;

  std::unique_ptr<const Engine> engine_;
};

/// What is thrown when the learning of weights is stopped: weights that were cut short would spoil all that
/// is learned with them.
Error weights_stopped();

/// Learns from example pairs, at least one. Progress counts the steps of the weights' own network. Throws
/// weights_stopped when it asks to stop.
PairWeights learn_weights(const EncodedRows& rows, const PairExamples& examples, const WeightOptions& options,
                          uint64_t seed, const ProgressFn& progress);

/// The training pairs that a sampler draws, now in proportion to their weights: all of them, or a million
/// drawn at random when there are more. Throws Error when every weight is 0.
PairSampler weighted_sampler(const PairSampler& sampler, const PairWeights& weights, const EncodedRows& rows,
                             double cut, uint64_t seed, const StopCheck& stop_check = {});

}  // namespace kedge
