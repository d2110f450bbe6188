#include "kedge/imitation/options.h"

#include "kedge/core/error.h"
#include "kedge/core/find_named.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/nn/train.h"

namespace kedge {

const std::vector<PolicyModel>& policy_models() {
  static const std::vector<PolicyModel> models = [] {
    std::vector<PolicyModel> list;
    for (const char* name : {"bilinear", "concat", "equivariant", "bilinear-direct", "deepsets", "mlp",
                             "linear", "ridge", "quadratic"})
      list.push_back({.name = name, .title = find_model(name).title, .fit = name});
    list.push_back({.name = "mlp-time",
                    .title = "a network that is given the time beside the observation",
                    .fit = "mlp",
                    .reads_time = true});
    list.push_back({.name = "ridge-by-step",
                    .title = "a ridge regression for each time step",
                    .fit = "",
                    .anchors = AnchorRule::none});
    list.push_back({.name = "replay",
                    .title = "the actions of the demonstration whose goal is nearest",
                    .fit = "nearest",
                    .anchors = AnchorRule::neighbour});
    return list;
  }();
  return models;
}

bool PolicyModel::is_trained() const { return !fit.empty() && find_model(fit).is_trained(); }

const PolicyModel& find_policy_model(const std::string& name) {
  return find_named(policy_models(), name, "model", "a model of policies");
}

PolicyOptions policy_options(const std::string& preset, const std::string& model) {
  const PolicyModel& found = find_policy_model(model);
  PolicyOptions options{found.name, preset_options(preset, found.fit.empty() ? "ridge" : found.fit)};
  FitOptions& fit = options.fit;
  fit.pairs = PairRule::same_time;
  fit.calibration = Calibration::none;
  if (preset == "default") {
    // Fewer demonstrations are trained on for fewer steps: the slider's 100 come out worse the longer they
    // are learned. DESIGN.md has the figures.
    fit.architecture = {.layers = 3, .width = 64, .embedding = 32};
    fit.epochs = 2000;
    fit.training.loss = Loss::l2;
    fit.anchors = {.rule = AnchorRule::many, .count = 5};
    fit.replicas = 1;
  } else {
    fit.architecture.layers = 2;
    fit.pool = 500500;  // N (N + 1) / 2 pairs of 1000 demonstrations
    if (preset == "paper") fit.anchors = {.rule = AnchorRule::percentile, .percentile = 10};
  }
  return options;
}

uint64_t training_steps(const PolicyOptions& options, size_t demonstrations) {
  return steps_of(options.fit.training, options.fit.epochs, demonstrations);
}

void check(const PolicyOptions& options) {
  find_policy_model(options.model);
  check(options.fit);
  if (!options.fit.space.empty())
    throw Error("options", "policies need observations that are plain numbers; found a space; leave it out");
  if (options.fit.pool > PolicyOptions::most_pool)
    throw Error("options", fmt::format("policies need a pool of at most {} differences of goals; found {}",
                                       size_t{PolicyOptions::most_pool}, options.fit.pool));
  if (goes_by_weight(options.fit.anchors.rule) || options.fit.weights.source != WeightSource::none)
    throw Error("options", "policies have no weights of pairs; take another rule for anchors");
}

std::string to_json(const PolicyOptions& options) {
  return Json{{"model", options.model}, {"fit", Json::parse(to_json(options.fit))}}.dump();
}

PolicyOptions policy_options_from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    PolicyOptions options{exactly<std::string>(json.at("model"), "model"),
                          options_from_json(json.at("fit").dump())};
    check(options);
    return options;
  } catch (const JsonError& error) {
    throw Error("options", "needs the options of a policy; " + error.fault());
  }
}

}  // namespace kedge
