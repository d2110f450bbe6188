#pragma once

// The two passes of the CPU engine over a program: forward, and backward with Adam behind it. Values are
// feature-major, as the plan has them; see plan.h.

#include "kedge/core/aligned.h"
#include "kedge/nn/ops.h"
#include "kedge/nn/plan.h"
#include "kedge/nn/program.h"

namespace kedge {

using AlignedFloats = AlignedVector<float>;

/// What a forward pass writes.
struct Workspace {
  explicit Workspace(const Plan& plan) : values(plan.value_floats), transposed(plan.transposed_floats) {}
  AlignedFloats values, transposed;
};

/// What a training step writes.
struct TrainingWorkspace : Workspace {
  explicit TrainingWorkspace(const Plan& plan);
  AlignedFloats gradients, slopes, weight_update, bias_update, shared_updates;
  size_t target_row;  ///< numbers from one target to the next
  AlignedFloats target, target_columns, pair_weight;
};

/// Parameters in training with Adam's moments, padded as the plan has them.
struct AdamState {
  AdamState(AlignedFloats& parameters_)
      : parameters(parameters_), first(parameters_.size()), second(parameters_.size()) {}
  AlignedFloats& parameters;
  AlignedFloats first, second;
};

/// From inputs that stand batch-major in `space.transposed` to the values of all ops. Training and prediction
/// compute the same numbers; a training workspace also keeps what the backward pass reads.
void forward_pass(const Program& program, const Plan& plan, const float* parameters, Workspace& space);
void forward_pass(const Program& program, const Plan& plan, const float* parameters,
                  TrainingWorkspace& space);

/// From the gradient of the last value, which stands in its place in `space.gradients`, to updated
/// parameters. A block of weights, its moments and its gradient are touched once, while they are in the
/// cache.
void backward_pass(const Program& program, const Plan& plan, AdamState& state, TrainingWorkspace& space,
                   const AdamStep& step);

}  // namespace kedge
