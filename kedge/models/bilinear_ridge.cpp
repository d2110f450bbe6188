#include <algorithm>
#include <limits>

#include "kedge/models/layers.h"
#include "kedge/models/pair_terms.h"

namespace kedge {
namespace {

constexpr int64_t most_parameters = 100000;

/// Products of so many features are taken where there are at most `most` of them.
struct Products {
  int degree, most;
};
constexpr Products affordable[] = {{4, 3}, {3, 10}, {2, 100}};

/// How many different products there are of one to `degree` features.
int64_t products(int64_t features, int64_t degree) {
  int64_t count = 0, of_degree = 1;
  for (int64_t d = 1; d <= degree; ++d) {
    of_degree = of_degree * (features + d - 1) / d;
    count += of_degree;
  }
  return count;
}

/// The longest products that a table of this shape affords.
int degree_of(const Shape& shape) {
  for (const auto& [degree, most] : affordable) {
    if (shape.features > most) continue;
    const int64_t phi = products(shape.features, degree), psi = products(shape.features, degree - 1);
    if (shape.outputs * phi * (psi + 1) <= most_parameters) return degree;
  }
  return 1;
}

/// Products of up to `degree` features of a value, each once.
int powers(Program& p, int value, int degree) {
  if (degree == 1) return value;
  if (degree == 2) return p.quadratic(value);
  const int all = p.quadratic(p.quadratic(value));
  return p.select(all, distinct_products(p, all, static_cast<size_t>(degree)));
}

// h(x) = y' + <phi(x - x'), W (1, psi(x'))>, phi and psi inputs and products of them. The difference is that
// of features: those of angles and rotations lie in a flat space, where no difference is no change.
Program bilinear_ridge(const Shape& shape, const Architecture&) {
  Program p(shape.features, shape.outputs);
  const int degree = degree_of(shape), anchor = Program::input(Input::anchor);
  const int phi = powers(p, p.subtract(Program::input(Input::query), anchor), degree);
  const int64_t width = int64_t{p.width(phi)} * shape.outputs, widest = std::numeric_limits<int>::max();
  const int w = p.dense(powers(p, anchor, std::max(degree - 1, 1)), static_cast<int>(std::min(width, widest)),
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
