#include "kedge/predictor/info.h"

namespace kedge {

std::string space_text(const Predictor& predictor) {
  const std::string inputs = predictor.encoder().space().text(predictor.inputs()),
                    outputs = predictor.encoder().output_scaling().space.text(predictor.outputs());
  return inputs + (inputs.empty() || outputs.empty() ? "" : ",") + outputs;
}

Json trained_steps_json(const Predictor& predictor) {
  return find_model(predictor.options().model).is_trained() ? Json(predictor.trained_steps()) : Json();
}

Json device_json(const std::optional<UsedDevice>& device) {
  if (!device) return nullptr;
  return {{"device", std::string(name_of(device->device))},
          {"name", device->name.empty() ? Json() : Json(device->name)},
          {"networks_at_once", device->at_once == 0 ? Json() : Json(device->at_once)}};
}

Json anchor_stretch_json(const Predictor& predictor) {
  const std::optional<double> stretch = predictor.anchor_stretch();
  return stretch ? Json(*stretch) : Json();
}

Json predictor_json(const Predictor& predictor) {
  return {{"kedge", predictor.written_by()},
          {"inputs", predictor.inputs()},
          {"outputs", predictor.outputs()},
          {"space", space_text(predictor)},
          {"rows", predictor.training_rows()},
          {"anchor_rows", predictor.anchor_rows()},
          {"anchor_stretch", anchor_stretch_json(predictor)},
          {"parameters", predictor.program().parameters()},
          {"trained_steps", trained_steps_json(predictor)},
          {"final_loss", predictor.final_loss()},
          {"intake", Json::parse(to_json(predictor.intake()))},
          {"options", Json::parse(to_json(predictor.options()))},
          {"coverage", Json::parse(to_json(predictor.coverage()))}};
}

}  // namespace kedge
