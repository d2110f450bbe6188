#include "kedge/predictor/sizes.h"

#include <gtest/gtest.h>

#include "tests/predictor/fitted.h"

namespace kedge {
namespace {

const FitOptions preset = preset_options("default", "bilinear");

bool is_any_open(const FitOptions& options) {
  const OpenOptions& open = options.open;
  return open.width || open.batch || open.steps || open.replicas || open.learning_rate || open.loss ||
         open.predicts;
}

TEST(Sizes, of_few_columns_are_those_of_the_preset_however_many_rows) {
  for (size_t columns : {size_t{1}, size_t{12}, fewest_wide_columns - 1})
    for (size_t rows : {10u, 1000u, 100000u})
      EXPECT_EQ(to_json(sized(preset, rows, columns)), to_json(preset));
}

TEST(Sizes, of_many_columns_have_larger_batches_and_see_more_pairs) {
  const FitOptions o = sized(preset, 2500, 44);
  EXPECT_GT(o.training.batch, preset.training.batch);
  EXPECT_GT(o.training.batch * o.training.steps, preset.training.batch * preset.training.steps);
  EXPECT_GT(o.training.adam.learning_rate, preset.training.adam.learning_rate);
  check(o);
}

TEST(Sizes, are_settled_once) {
  for (size_t columns : {3u, 44u}) {
    const FitOptions once = sized(preset, 2500, columns);
    EXPECT_FALSE(is_any_open(once));
    EXPECT_EQ(to_json(sized(once, 50, 100 - columns)), to_json(once));
  }
}

TEST(Sizes, that_are_given_stay) {
  FitOptions given = preset;
  given.architecture.width = 48;
  given.training.batch = 16;
  given.training.steps = 700;
  given.training.adam.learning_rate = 2e-3;
  given.training.loss = Loss::l2;
  given.architecture.predicts = Predicts::value;
  given.replicas = 3;
  EXPECT_EQ(to_json(sized(given, 2500, 44)), to_json(given));
  FitOptions closed = preset;
  closed.open = {};
  EXPECT_EQ(to_json(sized(closed, 2500, 44)), to_json(closed));
}

TEST(Sizes, a_given_batch_leaves_the_number_of_pairs) {
  FitOptions given = preset;
  given.training.batch = 64;
  given.open.batch = false;
  const FitOptions o = sized(given, 2500, 44), usual = sized(preset, 2500, 44);
  EXPECT_EQ(o.training.batch, 64u);
  EXPECT_EQ(o.training.steps * 64, usual.training.steps * usual.training.batch);
}

TEST(Sizes, of_models_other_than_the_product_are_those_of_the_preset) {
  for (const std::string name : {"mlp", "concat"}) {
    const FitOptions other = preset_options("default", name);
    EXPECT_EQ(to_json(sized(other, 2500, 44)), to_json(other)) << name;
  }
}

TEST(Sizes, presets_of_the_paper_have_nothing_open) {
  for (const std::string name : {"paper", "released"})
    EXPECT_FALSE(is_any_open(preset_options(name, "bilinear"))) << name;
}

TEST(Sizes, of_a_table_are_those_of_its_inputs_and_stand_in_the_model) {
  Table table("wide");
  std::vector<double> y(30);
  for (size_t c = 0; c < fewest_wide_columns; ++c) {
    std::vector<double> values;
    Rng rng(c, Stream::domain);
    for (double& sum : y) sum += values.emplace_back(rng.uniform(0, 1));
    table.add(column("x" + std::to_string(c), Role::input, values));
  }
  table.add(column("y", Role::output, y));
  FitOptions options = preset;
  options.training.steps = 3;
  options.calibration = Calibration::none;
  const FitOptions fitted = fit({table, options}).predictor.options();
  EXPECT_EQ(fitted.training.steps, 3u);
  EXPECT_EQ(fitted.training.batch, sized(options, 30, fewest_wide_columns).training.batch);
  EXPECT_EQ(fitted.architecture.width, sized(options, table).architecture.width);
}

}  // namespace
}  // namespace kedge
