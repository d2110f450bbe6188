// Models of which some training rows only serve as anchors.

#include <gtest/gtest.h>

#include <set>

#include "kedge/predictor/workload.h"
#include "kedge/trials/fit.h"
#include "tests/predictor/fitted.h"

namespace kedge {
namespace {

FitOptions with_anchor_rows(size_t rows) {
  FitOptions options = quick_options("bilinear");
  options.anchor_rows = rows;
  return options;
}

TEST(AnchorRows, are_all_up_to_the_limit_with_the_bits_of_no_limit) {
  const Table table = training_table(40);
  const Predictor all = fit_model({table, with_anchor_rows(0)}).predictor;
  const Predictor limited = fit_model({table, with_anchor_rows(40)}).predictor;
  EXPECT_EQ(all.anchor_rows(), 40u);
  EXPECT_EQ(limited.anchor_rows(), 40u);
  EXPECT_FALSE(limited.to_tensors().tensors.contains("anchors"));
  const Table queries = training_table(15);
  EXPECT_EQ(all.predict(queries).y.values(), limited.predict(queries).y.values());
}

TEST(AnchorRows, answer_alone_and_are_kept_in_the_file) {
  const Table table = training_table(40);
  Predictor some = fit_model({table, with_anchor_rows(10)}).predictor;
  some.measure_anchors(1);
  EXPECT_EQ(some.anchor_rows(), 10u);
  EXPECT_EQ(some.training_rows(), 40u);
  ASSERT_TRUE(some.anchor_stretch().has_value());
  EXPECT_GE(*some.anchor_stretch(), 0);
  const Predictions before = some.predict(table);
  const std::set<int64_t> answering(before.anchor.begin(), before.anchor.end());
  EXPECT_LE(answering.size(), 10u);
  const Predictor loaded = Predictor::from_bytes(some.to_bytes(), "memory");
  EXPECT_EQ(loaded.anchor_rows(), 10u);
  EXPECT_EQ(loaded.anchor_stretch(), some.anchor_stretch());
  EXPECT_EQ(loaded.predict(table).y.values(), before.y.values());
  EXPECT_EQ(loaded.predict(table).anchor, before.anchor);
}

TEST(AnchorRows, are_measured_by_the_fit_that_users_call) {
  const Table table = training_table(40);
  EXPECT_TRUE(fit({table, with_anchor_rows(10)}).predictor.anchor_stretch().has_value());
  EXPECT_FALSE(fit({table, with_anchor_rows(0)}).predictor.anchor_stretch().has_value());
  FitOptions plain = quick_options("mlp");
  plain.anchor_rows = 10;
  EXPECT_EQ(fit({table, plain}).predictor.anchor_rows(), 40u) << "a model without anchors chooses none";
}

TEST(AnchorRows, of_a_damaged_file_are_refused) {
  const TensorFile good = fit_model({training_table(40), with_anchor_rows(10)}).predictor.to_tensors();
  EXPECT_EQ(Predictor::from_tensors(good).anchor_rows(), 10u);
  for (const std::vector<int32_t>& rows : std::vector<std::vector<int32_t>>{{}, {-1}, {40}, {3, 3}, {5, 2}}) {
    TensorFile bad = good;
    bad.metadata.erase("checksum");
    bad.tensors["anchors"] = make_tensor<int32_t>({rows.size()}, rows);
    EXPECT_THROW(Predictor::from_tensors(bad), Error);
  }
}

TEST(AnchorRows, of_rules_by_weight_are_those_that_serve) {
  const Table table = training_table(40);
  FitOptions options = with_anchor_rows(10);
  weigh_pairs(options, WeightSource::joint);
  options.weights.training.steps = 20;
  options.weights.rounds = 1;
  const Predictor some = fit_model({table, options}).predictor;
  const Predictions by_weight = some.predict(table);
  const std::set<int64_t> answering(by_weight.anchor.begin(), by_weight.anchor.end());
  EXPECT_LE(answering.size(), 10u);
}

TEST(Workload, of_a_fit_counts_its_steps_and_grows_with_what_it_does) {
  const Table table = training_table(40);
  const FitRequest quick{table, quick_options("bilinear")};
  EXPECT_EQ(fit_load(quick).steps, quick.options.training.steps);
  FitRequest longer = quick;
  longer.options.training.steps *= 10;
  longer.options.replicas = 2;
  EXPECT_GT(fit_load(longer).work, fit_load(quick).work);
  EXPECT_LT(draft_work(quick, 40), fit_load(quick).work);
  EXPECT_EQ(fit_load({table, quick_options("ridge")}).steps, 0u);
  EXPECT_DOUBLE_EQ(prediction_work(quick, 40, 20), 2 * prediction_work(quick, 40, 10));
  EXPECT_EQ(measuring_work(quick), 0);
  EXPECT_GT(measuring_work({table, with_anchor_rows(10)}), 0);
}

TEST(Predictor, tells_how_many_queries_it_has_answered_and_can_be_stopped) {
  const Predictor predictor = fit_model({training_table(40), quick_options("bilinear")}).predictor;
  const Table queries = training_table(200);
  uint64_t last = 0;
  const auto watch = [&](const Progress& p) {
    EXPECT_GT(p.step, last);
    EXPECT_EQ(p.steps, 200u);
    last = p.step;
    return true;
  };
  predictor.predict(queries, {.threads = 2, .progress = watch});
  EXPECT_EQ(last, 200u);
  EXPECT_THROW(predictor.predict(queries, {.threads = 1, .progress = [](const Progress&) { return false; }}),
               Error);
}

}  // namespace
}  // namespace kedge
