#include "kedge/models/models.h"

#include <algorithm>

#include "kedge/core/find_named.h"
#include "kedge/models/layers.h"

namespace kedge {

int network(Program& program, int from, int layers, int outputs, const Architecture& architecture,
            Init init) {
  int value = from;
  if (architecture.fourier == Fourier::on)
    value = program.dense(value, 40 * program.width(from), Activation::sin_pi, Init::uniform,
                          architecture.fourier_scale);
  for (int layer = 1; layer < layers; ++layer)
    value = program.dense(value, architecture.width, Activation::relu, init);
  return program.dense(value, outputs, Activation::none, init);
}

std::vector<int> rest_of(const Shape& shape) {
  std::vector<int> rest;
  for (int f = 0; f < shape.features; ++f) {
    if (std::find(shape.context.begin(), shape.context.end(), f) == shape.context.end()) rest.push_back(f);
  }
  return rest;
}

const std::vector<Model>& all_models() {
  static const std::vector<Model> models = {bilinear_model(),        concat_model(),   equivariant_model(),
                                            bilinear_direct_model(), deepsets_model(), mlp_model(),
                                            linear_model(),          ridge_model(),    quadratic_model(),
                                            bilinear_ridge_model(),  nearest_model(),  extreme_model()};
  return models;
}

const Model& find_model(const std::string& name) {
  return find_named(all_models(), name, "model", "a model");
}

}  // namespace kedge
