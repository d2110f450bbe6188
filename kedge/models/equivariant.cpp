#include "kedge/models/layers.h"

namespace kedge {
namespace {

// y = y' + g(x - x'): the output of the anchor, and a change that the difference alone decides. Translation
// equivariance is baked in: query and anchor moved together by any c keep the change they had (paper, section
// 4.1, the baseline of figure 7, which the text names but does not write down).
//
// Right for functions whose change depends on the difference alone, which are the affine ones and no others.
// Of a function that is equivariant only to some shifts (f(x + 3) = f(x) + 3), g learns the mean change over
// all anchors, so it keeps the trend and loses the shape. Where the change depends on the anchor too, as in a
// shape that grows, it is wrong: that is what the product with g(x') of `bilinear` adds.
Program equivariant(const Shape& shape, const Architecture& a) {
  Program p(shape.features, shape.outputs);
  const int change = network(p, Program::input(Input::delta), a.layers, shape.outputs, a, Init::uniform);
  p.add(change, Program::input(Input::anchor_output));
  return p;
}

}  // namespace

Model equivariant_model() {
  return {.name = "equivariant",
          .title = "translation equivariance baked in: the anchor's output plus a network of the delta",
          .complexity = 9,
          .program = equivariant};
}

}  // namespace kedge
