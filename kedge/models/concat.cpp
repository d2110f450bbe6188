#include "kedge/models/layers.h"

namespace kedge {
namespace {

Program concat(const Shape& shape, const Architecture& a) {
  Program p(shape.features, shape.outputs);
  const int joined = p.concat(Program::input(Input::anchor), Program::input(Input::delta));
  const int y = network(p, joined, a.layers, shape.outputs, a, Init::uniform);
  if (a.predicts == Predicts::change) p.add(y, Program::input(Input::anchor_output));
  return p;
}

}  // namespace

Model concat_model() {
  return {.name = "concat",
          .title = "transduction without structure: one network of (anchor, delta)",
          .complexity = 7,
          .is_unstructured = true,
          .program = concat};
}

}  // namespace kedge
