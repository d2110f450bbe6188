#include <algorithm>
#include <limits>

#include "kedge/models/layers.h"
#include "kedge/models/pair_terms.h"

namespace kedge {
namespace {

constexpr int most_cubed = 5;  // features; of more of them there are too many products of three
constexpr int64_t most_parameters = 100000;

/// What a table of this shape can afford: differences alone, with their products, or with those of three.
/// Each product comes once.
int embedded_delta(Program& p, const Shape& shape) {
  // Of features: those of angles and rotations lie in a plane space, where no change is no difference.
  const int delta = p.subtract(Program::input(Input::query), Program::input(Input::anchor));
  const int64_t products = int64_t{shape.features} * (int64_t{shape.features} + 3) / 2;
  if (products * shape.outputs * (shape.features + int64_t{1}) > most_parameters) return delta;
  if (shape.features > most_cubed) return p.quadratic(delta);
  const int powers = p.quadratic(p.quadratic(delta));
  return p.select(powers, distinct_products(p, powers, 3));
}

// h(x) = y' + <phi(x - x'), W (1, psi(x'))>, phi and psi inputs and products of them.
Program bilinear_ridge(const Shape& shape, const Architecture&) {
  Program p(shape.features, shape.outputs);
  const int phi = embedded_delta(p, shape), anchor = Program::input(Input::anchor);
  const int64_t width = int64_t{p.width(phi)} * shape.outputs, widest = std::numeric_limits<int>::max();
  const int w = p.dense(shape.features > most_cubed ? anchor : p.quadratic(anchor),
                        static_cast<int>(std::min(width, widest)), Activation::none);
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
