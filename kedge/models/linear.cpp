#include "kedge/models/layers.h"

namespace kedge {
namespace {

Program linear(const Shape& shape, const Architecture&) {
  Program p(shape.features, shape.outputs);
  p.dense(Program::input(Input::query), shape.outputs, Activation::none);
  return p;
}

Program quadratic(const Shape& shape, const Architecture&) {
  Program p(shape.features, shape.outputs);
  p.dense(p.quadratic(Program::input(Input::query)), shape.outputs, Activation::none);
  return p;
}

}  // namespace

Model linear_model() {
  return {.name = "linear",
          .title = "least squares on the inputs",
          .complexity = 2,
          .solver = Solver::least_squares,
          .program = linear};
}

Model ridge_model() {
  return {.name = "ridge",
          .title = "ridge regression on the inputs, penalty by generalized cross-validation",
          .complexity = 3,
          .solver = Solver::ridge,
          .program = linear};
}

Model quadratic_model() {
  return {.name = "quadratic",
          .title = "ridge regression on the inputs and all their products",
          .complexity = 4,
          .solver = Solver::ridge,
          .program = quadratic};
}

}  // namespace kedge
