#include <algorithm>
#include <limits>

#include "kedge/models/layers.h"
#include "kedge/models/pair_terms.h"

namespace kedge {
namespace {

constexpr int most_cubed = 10;  // features; of more of them there are too many products of three
constexpr int64_t most_parameters = 100000;

/// Products of so many inputs at most, for which there are parameters enough.
int degree_of(const Shape& shape) {
  const int64_t inputs = shape.features, products = inputs * (inputs + 3) / 2,
                cubes = products + inputs * (inputs + 1) * (inputs + 2) / 6;
  if (shape.features <= most_cubed && cubes * (products + 1) * shape.outputs <= most_parameters) return 3;
  return products * (inputs + 1) * shape.outputs <= most_parameters ? 2 : 1;
}

/// The difference and its products, each once. It is that of features: those of angles and rotations lie in a
/// plane space, where no difference is no change.
int embedded_delta(Program& p, int degree) {
  const int delta = p.subtract(Program::input(Input::query), Program::input(Input::anchor));
  if (degree == 1) return delta;
  if (degree == 2) return p.quadratic(delta);
  const int powers = p.quadratic(p.quadratic(delta));
  return p.select(powers, distinct_products(p, powers, 3));
}

// h(x) = y' + <phi(x - x'), W (1, psi(x'))>, phi and psi inputs and products of them.
Program bilinear_ridge(const Shape& shape, const Architecture&) {
  Program p(shape.features, shape.outputs);
  const int degree = degree_of(shape), phi = embedded_delta(p, degree),
            anchor = Program::input(Input::anchor);
  const int64_t width = int64_t{p.width(phi)} * shape.outputs, widest = std::numeric_limits<int>::max();
  const int w = p.dense(degree == 3 ? p.quadratic(anchor) : anchor, static_cast<int>(std::min(width, widest)),
                        Activation::none);
  std::vector<int> for_each_output;
  if (width <= ProgramLimits::width)  // else the dense op is refused
    for (int i = 0; i < width; ++i) for_each_output.push_back(i % p.width(phi));
  p.add(p.bilinear(p.select(phi, for_each_output), w, shape.outputs), Program::input(Input::anchor_output));
  return p;
}

}  // namespace

Model bilinear_ridge_model() {
  return {.name = "bilinear-ridge",
          .title = "bilinear transduction in closed form: ridge regression of changes on pairs",
          .complexity = 5,
          .solver = Solver::pair_ridge,
          .program = bilinear_ridge};
}

}  // namespace kedge
