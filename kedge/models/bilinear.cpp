#include "kedge/models/layers.h"

namespace kedge {
namespace {

// h(x) = <f(x - x'), g(x')> (paper, equation 3.5), or the change from the anchor's own output.
Program bilinear(const Shape& shape, const Architecture& a) {
  Program p(shape.features, shape.outputs);
  const int size = shape.outputs * a.embedding;
  const int f = network(p, Program::input(Input::delta), a.layers, size, a, Init::uniform);
  const int g = network(p, Program::input(Input::anchor), a.layers, size, a, Init::uniform);
  const int y = p.bilinear(f, g, shape.outputs);
  if (a.predicts == Predicts::change) p.add(y, Program::input(Input::anchor_output));
  return p;
}

// The same product on the raw input, split by column: no anchor, no difference.
Program bilinear_direct(const Shape& shape, const Architecture& a) {
  Program p(shape.features, shape.outputs);
  const int size = shape.outputs * a.embedding;
  const int query = Program::input(Input::query);
  const int f = network(p, p.select(query, rest_of(shape)), a.layers, size, a, Init::uniform);
  const int g = network(p, p.select(query, shape.context), a.layers, size, a, Init::uniform);
  p.bilinear(f, g, shape.outputs);
  return p;
}

}  // namespace

Model bilinear_model() {
  return {.name = "bilinear",
          .title = "bilinear transduction, <f(x - x'), g(x')>: the method",
          .complexity = 11,
          .program = bilinear};
}

Model bilinear_direct_model() {
  return {.name = "bilinear-direct",
          .title = "the same product on the raw input, context columns against the rest",
          .complexity = 10,
          .needs_context = true,
          .program = bilinear_direct};
}

}  // namespace kedge
