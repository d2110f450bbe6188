#include "kedge/predictor/options.h"

#include <algorithm>

#include "kedge/core/error.h"
#include "kedge/core/find_named.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/nearest_name.h"
#include "kedge/core/rng.h"
#include "kedge/models/base.h"
#include "kedge/nn/train.h"

namespace kedge {

namespace {

// The paper's text (appendix D.2.4).
FitOptions paper() {
  FitOptions o;
  o.preset = "paper";
  o.architecture = {.layers = 3, .width = 32, .embedding = 32};
  o.training = {.adam = {.learning_rate = 1e-4}, .loss = Loss::l2, .batch = 32};
  o.epochs = 5000;
  o.inputs = o.outputs = Scaling::none;
  o.self = SelfPairs::exclude;
  o.anchors = {.rule = AnchorRule::radius};
  o.calibration = Calibration::shells;
  o.weights.training = {.adam = {.learning_rate = 1e-4}, .loss = Loss::mse, .batch = 16};
  o.weights.epochs = 5000;
  o.weights.cut = 0;
  return o;
}

// What the released code does where it differs from the text.
FitOptions released() {
  FitOptions o = paper();
  o.preset = "released";
  o.training.adam.learning_rate = 1e-3;
  o.self = SelfPairs::allow;
  o.anchors = {.rule = AnchorRule::nearest};
  o.architecture.init = Init::orthogonal;
  return o;
}

// What measured best out of support over the built-in problems; docs/presets.md has the figures.
FitOptions best() {
  FitOptions o;
  o.preset = "default";
  o.architecture = {.layers = 3,
                    .width = 64,
                    .embedding = 64,
                    .fourier = Fourier::automatic,
                    .fourier_scale = 20,
                    .predicts = Predicts::change};
  o.training = {.adam = {.learning_rate = 1e-3, .schedule = Schedule::cosine},
                .loss = Loss::mse,
                .batch = 32,
                .steps = 60000};
  o.anchors = {.rule = AnchorRule::many, .count = 20};
  o.replicas = 2;
  o.open = {.width = true,
            .batch = true,
            .steps = true,
            .replicas = true,
            .learning_rate = true,
            .loss = true,
            .predicts = true};
  o.calibration = Calibration::shells;
  return o;
}

Json weights_json(const WeightOptions& w) {
  return {{"source", w.source},
          {"layers", w.architecture.layers},
          {"width", w.architecture.width},
          {"embedding", w.architecture.embedding},
          {"fourier", w.architecture.fourier},
          {"fourier_scale", w.architecture.fourier_scale},
          {"learning_rate", w.training.adam.learning_rate},
          {"schedule", w.training.adam.schedule},
          {"batch", w.training.batch},
          {"steps", w.training.steps},
          {"epochs", w.epochs},
          {"cut", w.cut},
          {"rounds", w.rounds},
          {"effort", w.effort},
          {"tolerance", w.tolerance}};
}

void check_inside(const AnchorOptions& rule) {
  check(rule);
  if (!goes_by_distance(rule.rule))
    throw Error("options",
                fmt::format("anchors of queries in support need a rule that searches by distance; found {}; "
                            "take all=200, near=20 or many=20",
                            to_text(rule)),
                "inside-anchors");
}

void check_base(const FitOptions& o) {
  if (!can_be_base(o.base))
    throw Error("options",
                fmt::format("a base needs a closed form of the query; found {}; take {}", o.base,
                            fmt::join(base_models(), ", ")),
                "base");
  if (!find_model(o.model).is_trained() || o.weights.source != WeightSource::none)
    throw Error("options",
                fmt::format("a base needs a trained model without weights of pairs over it; found {}; take "
                            "another model, or no base",
                            o.weights.source == WeightSource::none ? o.model : "weights of pairs"),
                "base");
}

// The named part of a JSON object; empty when it is missing.
Json part(const Json& json, const char* key) {
  const Json* found = json.find(key);
  if (!found) return Json::object();
  found->as_object(key);
  return *found;
}

// Keeps `value` when the key is missing.
template <class T>
void read(const Json& object, const char* key, T& value) {
  if (const Json* found = object.find(key)) value = exactly<T>(*found, key);
}

void read_weights(const Json& object, WeightOptions& w) {
  read(object, "source", w.source);
  read(object, "layers", w.architecture.layers);
  read(object, "width", w.architecture.width);
  read(object, "embedding", w.architecture.embedding);
  read(object, "fourier", w.architecture.fourier);
  read(object, "fourier_scale", w.architecture.fourier_scale);
  read(object, "learning_rate", w.training.adam.learning_rate);
  read(object, "schedule", w.training.adam.schedule);
  read(object, "batch", w.training.batch);
  read(object, "steps", w.training.steps);
  read(object, "epochs", w.epochs);
  read(object, "cut", w.cut);
  read(object, "rounds", w.rounds);
  read(object, "effort", w.effort);
  read(object, "tolerance", w.tolerance);
}

}  // namespace

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> presets = {
      {"default", "our own settings, chosen on the built-in problems", best()},
      {"paper", "the paper's text: raw inputs, Adam 1e-4, 5000 epochs, uniform draw within the radius",
       paper()},
      {"released", "the released code: raw inputs, Adam 1e-3, 5000 epochs, nearest difference", released()},
  };
  return presets;
}

FitOptions preset_options(const std::string& preset, const std::string& model) {
  FitOptions options = find_named(all_presets(), preset, "preset", "a preset").options;
  options.model = find_model(model).name;
  return options;
}

void weigh_pairs(FitOptions& o, WeightSource source) {
  o.weights.source = source;
  if (o.anchors.rule != AnchorRule::many) o.anchors.count = 1;
  o.anchors.rule = AnchorRule::weight;
  o.training.loss = Loss::l2;
}

uint64_t replica_seed(uint64_t seed, size_t replica) {
  return replica == 0 ? seed : Rng(seed, Stream::replica, replica).bits64();
}

uint64_t training_steps(const FitOptions& o, size_t rows) { return steps_of(o.training, o.epochs, rows); }

void check(const FitOptions& o) {
  auto require = [](bool good, const std::string& name, const std::string& range, const auto& found) {
    if (good) return;
    // The option is named as users write it.
    std::string option = name;
    std::replace(option.begin(), option.end(), ' ', '-');
    throw Error("options",
                fmt::format("{} needs {}; found {}; take a number in that range", name, range, found),
                option);
  };
  const Architecture& a = o.architecture;
  find_model(o.model);
  require(a.layers >= 1 && a.layers <= 20, "layers", "1 to 20", a.layers);
  require(a.width >= 1 && a.width <= 16384, "width", "1 to 16384", a.width);
  require(a.embedding >= 1 && a.embedding <= 4096, "embedding", "1 to 4096", a.embedding);
  require(a.fourier_scale > 0 && a.fourier_scale <= 1e6, "fourier scale", "a positive number",
          a.fourier_scale);
  require(o.training.batch >= 1 && o.training.batch <= 65536, "batch", "1 to 65536", o.training.batch);
  require(o.training.steps >= 1 || o.epochs > 0, "steps", "at least 1", o.training.steps);
  require(o.epochs >= 0 && o.epochs <= 1e9, "epochs", "0 to 1e9", o.epochs);
  require(o.training.adam.learning_rate > 0 && o.training.adam.learning_rate < 100, "learning rate",
          "a positive number below 100", o.training.adam.learning_rate);
  const AdamOptions& adam = o.training.adam;
  require(adam.beta1 >= 0 && adam.beta1 < 1, "beta1", "0 to below 1", adam.beta1);
  require(adam.beta2 >= 0 && adam.beta2 < 1, "beta2", "0 to below 1", adam.beta2);
  require(adam.weight_decay >= 0 && adam.weight_decay <= 10, "weight decay", "0 to 10", adam.weight_decay);
  require(adam.epsilon > 0 && adam.epsilon <= 1, "epsilon", "a positive number up to 1", adam.epsilon);
  if (!o.same_unit.empty() && (o.inputs == Scaling::none || o.outputs == Scaling::none))
    throw Error("options", fmt::format("columns of the same unit are scaled together, which needs scaling; "
                                       "preset {} has none; take another preset",
                                       o.preset));
  check(o.anchors);
  if (o.inside_anchors) check_inside(*o.inside_anchors);
  check(o.weights);
  require(o.share >= 0 && o.share <= 1, "share", "0 to 1", o.share);
  if (!o.base.empty()) check_base(o);
  if (o.base.empty() && o.share != 1)
    throw Error("options",
                fmt::format("a share needs a base to be added to; found {} and no base; name one", o.share),
                "share");
  require(o.pool >= 1 && o.pool <= 100'000'000, "pool", "1 to 100000000", o.pool);
  require(o.anchor_rows <= 1'000'000'000, "anchor rows", "0 (all) to 1000000000", o.anchor_rows);
  require(o.replicas >= 1 && o.replicas <= 1000, "replicas", "1 to 1000", o.replicas);
}

std::string to_json(const FitOptions& o) {
  const Architecture& a = o.architecture;
  Json json{
      {"preset", o.preset},
      {"model", o.model},
      {"architecture",
       {{"layers", a.layers},
        {"width", a.width},
        {"embedding", a.embedding},
        {"fourier", a.fourier},
        {"fourier_scale", a.fourier_scale},
        {"predicts", a.predicts},
        {"init", a.init}}},
      {"training",
       {{"learning_rate", o.training.adam.learning_rate},
        {"beta1", o.training.adam.beta1},
        {"beta2", o.training.adam.beta2},
        {"epsilon", o.training.adam.epsilon},
        {"schedule", o.training.adam.schedule},
        {"loss", o.training.loss},
        {"batch", o.training.batch},
        {"steps", o.training.steps},
        {"epochs", o.epochs}}},
      {"scaling", {{"inputs", o.inputs}, {"outputs", o.outputs}}},
      {"pairs", {{"rule", o.pairs}, {"self", o.self}}},
      {"anchors", to_text(o.anchors)},
      {"pool", o.pool},
      {"seed", o.seed},
      {"replicas", o.replicas},
      {"space", o.space},
      {"context", o.context},
      {"constants", o.constants},
      {"calibration", o.calibration},
  };
  if (o.training.adam.weight_decay > 0) json["training"]["weight_decay"] = o.training.adam.weight_decay;
  if (o.anchor_rows != FitOptions().anchor_rows) json["anchor_rows"] = o.anchor_rows;
  if (!o.base.empty()) {
    json["base"] = o.base;
    json["share"] = o.share;
  }
  if (o.inside_anchors) json["inside_anchors"] = to_text(*o.inside_anchors);
  if (!o.outward.is_none()) json["outward"] = to_text(o.outward);
  if (!o.same_unit.empty()) json["same_unit"] = o.same_unit;
  if (o.weights.source != WeightSource::none) json["weights"] = weights_json(o.weights);
  return json.dump();
}

FitOptions options_from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    FitOptions o;
    read(json, "preset", o.preset);
    read(json, "model", o.model);
    const auto architecture = part(json, "architecture");
    Architecture& a = o.architecture;
    read(architecture, "layers", a.layers);
    read(architecture, "width", a.width);
    read(architecture, "embedding", a.embedding);
    read(architecture, "fourier", a.fourier);
    read(architecture, "fourier_scale", a.fourier_scale);
    read(architecture, "predicts", a.predicts);
    read(architecture, "init", a.init);
    const auto training = part(json, "training");
    TrainOptions& t = o.training;
    read(training, "learning_rate", t.adam.learning_rate);
    read(training, "beta1", t.adam.beta1);
    read(training, "beta2", t.adam.beta2);
    read(training, "epsilon", t.adam.epsilon);
    read(training, "weight_decay", t.adam.weight_decay);
    read(training, "schedule", t.adam.schedule);
    read(training, "loss", t.loss);
    read(training, "batch", t.batch);
    read(training, "steps", t.steps);
    read(training, "epochs", o.epochs);
    const auto scaling = part(json, "scaling");
    read(scaling, "inputs", o.inputs);
    read(scaling, "outputs", o.outputs);
    const auto pairs = part(json, "pairs");
    read(pairs, "rule", o.pairs);
    read(pairs, "self", o.self);
    std::string anchors = to_text(o.anchors);
    read(json, "anchors", anchors);
    o.anchors = parse_anchors(anchors);
    std::string inside;
    read(json, "inside_anchors", inside);
    if (!inside.empty()) o.inside_anchors = parse_anchors(inside);
    read(json, "base", o.base);
    read(json, "share", o.share);
    std::string outward;
    read(json, "outward", outward);
    o.outward = parse_outward(outward);
    read(json, "pool", o.pool);
    read(json, "anchor_rows", o.anchor_rows);
    read(json, "seed", o.seed);
    read(json, "replicas", o.replicas);
    read(json, "space", o.space);
    read(json, "same_unit", o.same_unit);
    read(json, "context", o.context);
    read(json, "constants", o.constants);
    read(json, "calibration", o.calibration);
    read_weights(part(json, "weights"), o.weights);
    check(o);
    return o;
  } catch (const JsonError& error) {
    throw Error("options", fmt::format("needs options of a fit; {}", error.fault()));
  }
}

std::string pair_rule_names() { return all_names<PairRule>(); }

PairRule parse_pair_rule(const std::string& text) {
  if (const auto rule = value_named<PairRule>(text)) return *rule;
  std::vector<std::string> names;
  for (const auto& [rule, name] : names_of(PairRule{})) names.emplace_back(name);
  throw Error("pairs",
              fmt::format("needs a rule for pairs; found '{}'; {}", text,
                          did_you_mean(text, names,
                                       fmt::format("take one of {} (example pairs are for learned weights)",
                                                   pair_rule_names()))));
}

}  // namespace kedge
