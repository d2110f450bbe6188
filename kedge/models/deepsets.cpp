#include "kedge/models/layers.h"

namespace kedge {
namespace {

// The context (a goal, a mass) and the rest are embedded apart, summed, and read by a head with one hidden
// layer.
Program deepsets(const Shape& shape, const Architecture& a) {
  Program p(shape.features, shape.outputs);
  const int query = Program::input(Input::query);
  const int rest = network(p, p.select(query, rest_of(shape)), a.layers, a.width, a, Init::uniform);
  const int context = network(p, p.select(query, shape.context), a.layers, a.width, a, Init::uniform);
  Architecture head = a;
  head.fourier = Fourier::off;
  network(p, p.add(rest, context), 2, shape.outputs, head, Init::uniform);
  return p;
}

}  // namespace

Model deepsets_model() {
  return {.name = "deepsets",
          .title = "embeds the context columns apart from the rest and sums the two",
          .complexity = 8,
          .needs_context = true,
          .program = deepsets};
}

}  // namespace kedge
