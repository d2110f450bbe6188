#pragma once

// The training problem that is timed here and in PyTorch: 1000 rows, 12 inputs, 3 outputs, the bilinear model
// with embedding 32, batches of 32 pairs, the L2 loss and Adam. bench/peers/torch_step.py has its formulas.

#include <functional>
#include <memory>
#include <vector>

#include "kedge/models/models.h"
#include "kedge/nn/train.h"
#include "kedge/pairs/encoder.h"

namespace kedge {

class Problem {
 public:
  static constexpr size_t rows = 1000, inputs = 12, outputs = 3, batch = 32;

  Problem();

  /// Random pairs, as training draws them; shows what this problem holds.
  TrainingData data() const;

 private:
  Matrix<double> x_, y_;
  Encoder encoder_;
  Matrix<float> features_, outputs_;
  PairSampler sampler_;
};

struct Network {
  int width = 32, layers = 3;
};

Program bilinear_program(const Network& network);

/// Floating-point operations of one step in its dense layers: two for each weight and pair forward, four
/// back, less the gradients of the inputs themselves, which nobody asks for.
double step_flops(const Network& network);

TrainOptions step_options(uint64_t steps);

using EngineMaker =
    std::function<std::unique_ptr<Engine>(const Program&, const std::vector<std::vector<float>>&)>;

/// Losses of the first steps from the fixed weights on the fixed pairs.
std::vector<double> checked_losses(const Network& network, size_t steps, const EngineMaker& make);

}  // namespace kedge
