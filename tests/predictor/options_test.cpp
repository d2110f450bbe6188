#include "kedge/predictor/options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/table/broken_files.h"

namespace kedge {
namespace {

// Every option differs from its default.
FitOptions unusual() {
  FitOptions o;
  o.preset = "paper";
  o.model = "deepsets";
  o.architecture = {.layers = 5,
                    .width = 17,
                    .embedding = 9,
                    .fourier = Fourier::on,
                    .fourier_scale = 0.3,
                    .predicts = Predicts::change,
                    .init = Init::orthogonal};
  o.training = {.adam = {.learning_rate = 0.1,
                         .beta1 = 0.8,
                         .beta2 = 0.95,
                         .epsilon = 1e-7,
                         .weight_decay = 0.25,
                         .schedule = Schedule::cosine},
                .loss = Loss::mse,
                .batch = 77,
                .steps = 123456789012};
  o.epochs = 2.5;
  o.inputs = o.outputs = Scaling::none;
  o.pairs = PairRule::same_time;
  o.self = SelfPairs::allow;
  o.anchors = {.rule = AnchorRule::radius, .radius = 0.1};
  o.pool = 321;
  o.seed = std::numeric_limits<uint64_t>::max();
  o.replicas = 4;
  o.space = "a=angle,\"b\"=log";
  o.context = {"mass", "über"};
  o.constants = ConstantInputs::keep;
  o.calibration = Calibration::shells;
  return o;
}

TEST(Options, come_back_from_their_json_unchanged) {
  const FitOptions o = unusual(), r = options_from_json(to_json(o));
  EXPECT_EQ(to_json(r), to_json(o));
  EXPECT_NE(to_json(o), to_json(FitOptions()));
  EXPECT_EQ(r.preset, o.preset);
  EXPECT_EQ(r.model, o.model);
  EXPECT_EQ(r.architecture.layers, o.architecture.layers);
  EXPECT_EQ(r.architecture.width, o.architecture.width);
  EXPECT_EQ(r.architecture.embedding, o.architecture.embedding);
  EXPECT_EQ(r.architecture.fourier, o.architecture.fourier);
  EXPECT_EQ(r.architecture.fourier_scale, o.architecture.fourier_scale);
  EXPECT_EQ(r.architecture.predicts, o.architecture.predicts);
  EXPECT_EQ(r.architecture.init, o.architecture.init);
  EXPECT_EQ(r.training.adam.learning_rate, o.training.adam.learning_rate);
  EXPECT_EQ(r.training.adam.beta1, o.training.adam.beta1);
  EXPECT_EQ(r.training.adam.beta2, o.training.adam.beta2);
  EXPECT_EQ(r.training.adam.epsilon, o.training.adam.epsilon);
  EXPECT_EQ(r.training.adam.weight_decay, o.training.adam.weight_decay);
  EXPECT_EQ(r.training.adam.schedule, o.training.adam.schedule);
  EXPECT_EQ(r.training.loss, o.training.loss);
  EXPECT_EQ(r.training.batch, o.training.batch);
  EXPECT_EQ(r.training.steps, o.training.steps);
  EXPECT_EQ(r.epochs, o.epochs);
  EXPECT_EQ(r.inputs, o.inputs);
  EXPECT_EQ(r.outputs, o.outputs);
  EXPECT_EQ(r.pairs, o.pairs);
  EXPECT_EQ(r.self, o.self);
  EXPECT_EQ(r.anchors.rule, o.anchors.rule);
  EXPECT_EQ(r.anchors.radius, o.anchors.radius);
  EXPECT_EQ(r.pool, o.pool);
  EXPECT_EQ(r.seed, o.seed);
  EXPECT_EQ(r.replicas, o.replicas);
  EXPECT_EQ(r.space, o.space);
  EXPECT_EQ(r.context, o.context);
  EXPECT_EQ(r.constants, o.constants);
}

TEST(Options, of_weights_and_units_come_back_from_their_json_unchanged) {
  FitOptions o = preset_options("default", "bilinear");
  o.same_unit = "x+y,\\+a+b";
  weigh_pairs(o, WeightSource::joint);
  o.weights.architecture = {
      .layers = 5, .width = 7, .embedding = 3, .fourier = Fourier::on, .fourier_scale = 2};
  o.weights.training = {.adam = {.learning_rate = 0.25}, .loss = Loss::mse, .batch = 11, .steps = 13};
  o.weights.epochs = 17;
  o.weights.cut = 0.125;
  o.weights.rounds = 19;
  o.weights.effort = 0.75;
  o.weights.tolerance = 23;
  const FitOptions r = options_from_json(to_json(o));
  EXPECT_EQ(to_json(r), to_json(o));
  EXPECT_EQ(r.same_unit, o.same_unit);
  EXPECT_EQ(r.anchors.rule, AnchorRule::weight);
  EXPECT_EQ(r.training.loss, Loss::l2);
  EXPECT_EQ(r.weights.source, WeightSource::joint);
  EXPECT_EQ(r.weights.architecture.width, 7);
  EXPECT_EQ(r.weights.architecture.fourier_scale, 2);
  EXPECT_EQ(r.weights.training.adam.learning_rate, 0.25);
  EXPECT_EQ(r.weights.training.steps, 13u);
  EXPECT_EQ(r.weights.epochs, 17);
  EXPECT_EQ(r.weights.cut, 0.125);
  EXPECT_EQ(r.weights.rounds, 19);
  EXPECT_EQ(r.weights.effort, 0.75);
  EXPECT_EQ(r.weights.tolerance, 23);
}

TEST(Options, replicas_of_different_seeds_share_no_network) {
  std::set<uint64_t> seeds;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(replica_seed(seed, 0), seed);
    for (size_t replica = 0; replica < 8; ++replica) seeds.insert(replica_seed(seed, replica));
  }
  EXPECT_EQ(seeds.size(), 50u * 8u);
}

TEST(Options, that_are_missing_keep_their_defaults) {
  EXPECT_EQ(to_json(options_from_json("{}")), to_json(FitOptions()));
  EXPECT_EQ(options_from_json(R"({"training":{"batch":9}})").training.batch, 9u);
}

TEST(Options, unknown_names_and_numbers_of_another_kind_are_refused_and_not_misread) {
  const std::vector<std::pair<std::string, nlohmann::json>> faults = {
      {"/model", "perceptron"},
      {"/model", 3},
      {"/architecture/fourier", "maybe"},
      {"/architecture/predicts", "difference"},
      {"/architecture/init", "xavier"},
      {"/architecture/layers", 2.5},
      {"/architecture/layers", (int64_t{1} << 32) + 3},
      {"/architecture/width", 1e300},
      {"/architecture/width", "32"},
      {"/architecture/embedding", 0},
      {"/architecture/fourier_scale", -1},
      {"/architecture", 3},
      {"/training/schedule", "linear"},
      {"/training/loss", "huber"},
      {"/training/loss", true},
      {"/training/batch", -1},
      {"/training/batch", 0},
      {"/training/steps", -5},
      {"/training/steps", 1.5},
      {"/training/learning_rate", "fast"},
      {"/training/learning_rate", 0},
      {"/training/beta1", 1},
      {"/training/beta2", -0.5},
      {"/training/epsilon", -1},
      {"/training/epochs", -1},
      {"/training", nlohmann::json::array()},
      {"/scaling/inputs", "robust"},
      {"/scaling/outputs", nullptr},
      {"/pairs/rule", "same label"},
      {"/pairs/self", "Exclude"},
      {"/anchors", "closest"},
      {"/anchors", 4},
      {"/pool", 0},
      {"/pool", -3},
      {"/seed", -1},
      {"/seed", 0.5},
      {"/replicas", 0},
      {"/replicas", 1001},
      {"/space", 1},
      {"/context", "mass"},
      {"/context", nlohmann::json::array({1})},
      {"/constants", "drop"},
  };
  for (const auto& [pointer, value] : faults) {
    auto json = nlohmann::json::parse(to_json(unusual()));
    json[nlohmann::json::json_pointer(pointer)] = value;
    const std::string error = error_text([&] { options_from_json(json.dump()); });
    EXPECT_NE(error, "") << pointer << " " << value;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
  for (const char* text : {"", "[]", "{", "3", "null"})
    EXPECT_NE(error_text([&] { options_from_json(text); }), "") << text;
}

TEST(Options, numbers_out_of_range_are_refused_by_name) {
  const double nan = std::nan("");
  const auto error_of = [](auto change) {
    FitOptions options;
    change(options);
    return error_text([&] { check(options); });
  };
  using O = FitOptions;
  const std::vector<std::pair<std::string, std::string>> found = {
      {"layers", error_of([](O& o) { o.architecture.layers = 0; })},
      {"width", error_of([](O& o) { o.architecture.width = -1; })},
      {"embedding", error_of([](O& o) { o.architecture.embedding = 5000; })},
      {"fourier scale", error_of([&](O& o) { o.architecture.fourier_scale = nan; })},
      {"batch", error_of([](O& o) { o.training.batch = 0; })},
      {"steps", error_of([](O& o) { o.training.steps = 0; })},
      {"epochs", error_of([&](O& o) { o.epochs = nan; })},
      {"learning rate", error_of([&](O& o) { o.training.adam.learning_rate = nan; })},
      {"beta1", error_of([](O& o) { o.training.adam.beta1 = 1; })},
      {"beta2", error_of([](O& o) { o.training.adam.beta2 = -0.1; })},
      {"epsilon", error_of([&](O& o) { o.training.adam.epsilon = nan; })},
      {"weight decay", error_of([&](O& o) { o.training.adam.weight_decay = -1; })},
      {"pool", error_of([](O& o) { o.pool = 0; })},
      {"replicas", error_of([](O& o) { o.replicas = 0; })},
      {"many", error_of([](O& o) { o.anchors = {.rule = AnchorRule::many, .count = 0}; })},
      {"model", error_of([](O& o) { o.model = "tree"; })},
  };
  for (const auto& [name, error] : found) EXPECT_NE(error.find(name), std::string::npos) << error;
  check(FitOptions());
}

TEST(Options, every_preset_is_lawful_for_every_model_and_bears_its_name) {
  for (const Preset& preset : all_presets()) {
    for (const Model& model : all_models()) {
      const FitOptions options = preset_options(preset.name, model.name);
      check(options);
      EXPECT_EQ(options.preset, preset.name);
      EXPECT_EQ(options.model, model.name);
    }
  }
  EXPECT_NE(error_text([] { preset_options("fast", "mlp"); }).find("default, paper, released"),
            std::string::npos);
  EXPECT_NE(error_text([] { preset_options("paper", "tree"); }), "");
}

TEST(Options, rules_for_pairs_are_read_by_name) {
  EXPECT_EQ(parse_pair_rule("any"), PairRule::any);
  EXPECT_EQ(parse_pair_rule("same-label"), PairRule::same_label);
  EXPECT_EQ(parse_pair_rule("same-time"), PairRule::same_time);
  EXPECT_NE(error_text([] { parse_pair_rule("same"); }).find(pair_rule_names()), std::string::npos);
}

}  // namespace
}  // namespace kedge
