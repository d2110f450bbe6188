#pragma once

// Adam and its schedules (Kingma and Ba 2015, as PyTorch computes it).

#include <cstdint>

#include "kedge/nn/ops.h"

namespace kedge {

enum class Schedule { constant, cosine };

/// MSE: mean over pairs and outputs of the squared error. L2: mean over pairs of the error's Euclidean norm.
/// Both are weighted by the pair's weight.
enum class Loss { mse, l2 };

struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;  ///< decoupled: a step takes learning rate * weight_decay of every parameter away
  Schedule schedule = Schedule::constant;
  bool operator==(const AdamOptions&) const = default;
};

/// Rate of step t out of `steps`: cosine falls from the full rate to zero.
double learning_rate(const AdamOptions& options, uint64_t t, uint64_t steps);

/// The constants of step t out of `steps`.
AdamConstants<double> adam_constants(const AdamOptions& options, uint64_t t, uint64_t steps);

}  // namespace kedge
