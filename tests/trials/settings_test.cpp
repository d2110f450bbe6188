#include "kedge/trials/settings.h"

#include <gtest/gtest.h>

#include "kedge/core/json.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

TEST(FitSettings, nothing_said_is_the_preset) {
  for (const Preset& preset : all_presets()) {
    const FitOptions options = fit_options({.preset = preset.name});
    EXPECT_EQ(to_json(options), to_json(preset_options(preset.name, "bilinear"))) << preset.name;
    EXPECT_EQ(options.open.width, preset.options.open.width);
  }
}

TEST(FitSettings, every_setting_of_json_reaches_the_options) {
  const FitSettings s = settings_from_json(R"({"model": "concat", "preset": "paper", "space": "a=log",
      "anchors": "many=7", "inside_anchors": "all=9", "outward": "from=0.6,high=0.5", "fourier": "on",
      "schedule": "cosine", "loss": "mse", "calibration": "none", "context": ["a"], "layers": 5, "width": 6,
      "embedding": 8, "pool": 10, "batch": 11, "replicas": 12, "seed": 13, "steps": 14, "learning_rate": 0.15,
      "weight_decay": 0.16, "anchor_rows": 17, "base": "linear", "share": 0.18, "beyond": "inputs",
      "same_unit": null})")
                            .fit;
  const Json json = Json::parse(to_json(fit_options(s)));
  const auto at = [&](const char* part, const char* key) { return json.at(part).at(key).dump(); };
  EXPECT_EQ(json.at("model").dump(), "\"concat\"");
  EXPECT_EQ(json.at("preset").dump(), "\"paper\"");
  EXPECT_EQ(json.at("space").dump(), "\"a=log\"");
  EXPECT_EQ(json.at("anchors").dump(), "\"many=7\"");
  EXPECT_EQ(json.at("inside_anchors").dump(), "\"all=9\"");
  EXPECT_EQ(json.at("outward").dump(), "\"from=0.6,high=0.5\"");
  EXPECT_EQ(json.at("context").dump(), "[\"a\"]");
  EXPECT_EQ(json.at("pool").dump() + json.at("replicas").dump() + json.at("seed").dump(), "101213");
  EXPECT_EQ(json.at("anchor_rows").dump() + json.at("base").dump() + json.at("share").dump(),
            "17\"linear\"0.18");
  EXPECT_EQ(json.at("calibration").dump(), "\"none\"");
  EXPECT_EQ(at("architecture", "layers") + at("architecture", "width") + at("architecture", "embedding"),
            "568");
  EXPECT_EQ(at("architecture", "fourier"), "\"on\"");
  EXPECT_EQ(at("training", "batch") + at("training", "steps") + at("training", "epochs"), "11140.0");
  EXPECT_EQ(at("training", "learning_rate") + at("training", "weight_decay"), "0.150.16");
  EXPECT_EQ(at("training", "schedule") + at("training", "loss"), "\"cosine\"\"mse\"");
  EXPECT_EQ(trial_of(s).beyond, Beyond::inputs);
}

TEST(FitSettings, what_is_said_is_no_longer_open) {
  const FitOptions options = fit_options(
      {.loss = "mse", .width = 64, .batch = 32, .replicas = 2, .steps = 60000, .learning_rate = 1e-3});
  EXPECT_FALSE(options.open.width || options.open.batch || options.open.steps || options.open.replicas ||
               options.open.learning_rate || options.open.loss);
  EXPECT_TRUE(options.open.predicts);
}

TEST(FitSettings, a_column_says_which_rows_are_paired) {
  EXPECT_EQ(fit_options({.label = "kind"}).pairs, PairRule::same_label);
  EXPECT_EQ(fit_options({.time = "t"}).pairs, PairRule::same_time);
  EXPECT_EQ(fit_options({.pairs = "any", .label = "kind"}).pairs, PairRule::any);
  EXPECT_NE(error_text([] { fit_options({.label = "kind", .time = "t"}); }).find("found both"),
            std::string::npos);
}

TEST(FitSettings, learned_weights_choose_anchors_unless_a_rule_is_said) {
  const FitSettings s = settings_from_json(R"({"weights": "labels"})").fit;
  EXPECT_EQ(fit_options(s).anchors.rule, AnchorRule::weight);
  EXPECT_EQ(fit_options({.anchors = "nearest", .weights = WeightSource::joint}).anchors.rule,
            AnchorRule::nearest);
}

TEST(FitSettings, all_anchor_rows_and_no_settings_have_words) {
  EXPECT_EQ(settings_from_json(R"({"anchor_rows": "all"})").fit.anchor_rows, 0u);
  EXPECT_EQ(settings_from_json("").fit.model, "bilinear");
  EXPECT_EQ(settings_from_json("{}").fit.preset, "default");
  EXPECT_NE(error_text([] { settings_from_json(R"({"anchor_rows": "some"})"); }), "");
}

TEST(FitSettings, a_trial_of_a_fit_has_the_model_that_is_named) {
  EXPECT_TRUE(trial_of_fit({.model = "auto"}).models.empty());
  EXPECT_EQ(trial_of_fit({.model = "concat", .anchors = "auto"}).models, std::vector<std::string>{"concat"});
  EXPECT_TRUE(needs_trial({.anchors = "auto"}));
  EXPECT_FALSE(needs_trial({}));
}

}  // namespace
}  // namespace kedge
