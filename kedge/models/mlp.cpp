#include "kedge/models/layers.h"

namespace kedge {
namespace {

Program mlp(const Shape& shape, const Architecture& a) {
  Program p(shape.features, shape.outputs);
  network(p, Program::input(Input::query), a.layers, shape.outputs, a, a.init);
  return p;
}

}  // namespace

Model mlp_model() {
  return {.name = "mlp",
          .title = "a plain network of the query",
          .complexity = 6,
          .is_unstructured = true,
          .program = mlp};
}

}  // namespace kedge
