#pragma once

// Pieces that several models are built of.

#include "kedge/models/models.h"

namespace kedge {

/// `layers` linear layers with ReLU between them, `outputs` numbers at the end; the Fourier layer in front of
/// them when the architecture has it. Returns the value's number.
int network(Program& program, int from, int layers, int outputs, const Architecture& architecture, Init init);

/// Features that are not context.
std::vector<int> rest_of(const Shape& shape);

// The models, one file each; models.cpp lists them.
Model extreme_model();
Model nearest_model();
Model linear_model();
Model ridge_model();
Model quadratic_model();
Model mlp_model();
Model deepsets_model();
Model concat_model();
Model equivariant_model();
Model bilinear_direct_model();
Model bilinear_ridge_model();
Model bilinear_model();

}  // namespace kedge
