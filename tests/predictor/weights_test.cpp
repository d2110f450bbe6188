// Weighted transduction: what weights do to a fit and to its predictions.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "kedge/core/error.h"
#include "kedge/core/safetensors.h"
#include "kedge/domains/domain.h"
#include "kedge/domains/example_pairs.h"
#include "kedge/predictor/workload.h"
#include "kedge/trials/calibration.h"
#include "kedge/trials/rehearsal.h"
#include "kedge/weights/joint_weights.h"
#include "tests/core/unsealed.h"
#include "tests/predictor/fitted.h"

namespace kedge {
namespace {

PairExamples examples_of(const Table& table, size_t each) {
  PairExamples examples;
  for (const ExamplePair& pair : example_pairs(table, {.positive = each, .negative = each, .seed = 1})) {
    examples.pairs.push_back({static_cast<uint32_t>(pair.query), static_cast<uint32_t>(pair.anchor)});
    examples.weights.push_back(static_cast<float>(pair.related));
  }
  return examples;
}

FitOptions weighted(FitOptions options, WeightSource source = WeightSource::examples) {
  options.weights.source = source;
  options.weights.training.steps = 50;
  options.weights.rounds = 2;
  options.anchors = {.rule = AnchorRule::weight, .count = 3};
  return options;
}

// Root mean square error over the deviation of the outputs.
double relative_error(const Predictions& predictions, const Table& truth) {
  double squares = 0, total = 0;
  for (size_t k = 0; k < predictions.outputs.size(); ++k) {
    const std::vector<double>& y = truth.column(predictions.outputs[k]).values;
    for (size_t r = 0; r < y.size(); ++r) {
      squares += (predictions.y(r, k) - y[r]) * (predictions.y(r, k) - y[r]);
      total += y[r] * y[r];
    }
  }
  return std::sqrt(squares / total);
}

// Tiles of random values, shifted and partly negated: only rows at the same place of their tiles are related.
TEST(WeightedTransduction, extrapolates_where_few_pairs_are_related_and_plain_transduction_fails) {
  const Domain& tiles = find_domain("tiles");
  const Table train = tiles.sample(Split::train, 320, 0), oos = tiles.sample(Split::oos, 64, 0);
  FitOptions options = preset_options("default", "bilinear");
  options.calibration = Calibration::none;
  options.architecture.fourier = Fourier::on;
  options.architecture.width = 32;
  options.training.steps = 4000;
  options.replicas = 1;
  const double plain = relative_error(fit({train, options}, {.threads = 1}).predictor.predict(oos), oos);
  EXPECT_GT(plain, 0.8);

  weigh_pairs(options, WeightSource::examples);
  options.weights.architecture.width = 64;
  options.weights.training.steps = 5000;
  const Predictor predictor = fit({train, options, examples_of(train, 300)}, {.threads = 1}).predictor;
  EXPECT_LT(relative_error(predictor.predict(oos), oos), 0.1);
}

TEST(WeightedTransduction, answers_the_same_after_a_trip_through_a_file_and_for_any_company_of_queries) {
  const Table table = training_table();
  const PairExamples examples = examples_of(table, 20);
  for (WeightSource source : {WeightSource::examples, WeightSource::joint}) {
    const Predictor fitted =
        fit({table, weighted(quick_options("bilinear"), source), examples}, {.threads = 1}).predictor;
    const Predictor loaded = Predictor::from_bytes(fitted.to_bytes(), "memory");
    EXPECT_EQ(loaded.to_bytes(), fitted.to_bytes());
    ASSERT_TRUE(loaded.weights());
    EXPECT_EQ(loaded.weights()->parameters(), fitted.weights()->parameters());
    const Matrix<double> queries = query_rows();
    for (const char* text : {"weight", "weight=5", "weight=greatest", "weight=sample", "nearest"}) {
      const PredictOptions rule{.anchors = parse_anchors(text), .threads = 2};
      const Predictions all = fitted.predict(queries, rule);
      EXPECT_TRUE(same(all, loaded.predict(queries, rule))) << text;
      Matrix<double> one(1, queries.cols());
      for (size_t r : {size_t{0}, size_t{33}, queries.rows() - 1}) {
        std::copy_n(queries.row(r).begin(), queries.cols(), one.row(0).begin());
        const Predictions alone = fitted.predict(one, rule);
        EXPECT_EQ(alone.anchor[0], all.anchor[r]) << text;
        EXPECT_EQ(alone.y(0, 0), all.y(r, 0)) << text;
        EXPECT_GE(alone.delta_distance[0], 0) << text;
      }
    }
  }
}

TEST(WeightedTransduction, is_the_same_for_the_same_seed_and_any_number_of_threads) {
  const Table table = training_table();
  const PairExamples examples = examples_of(table, 20);
  FitOptions options = weighted(quick_options("bilinear"));
  options.replicas = 2;
  const auto bytes = [&](int threads) {
    return fit({table, options, examples}, {.threads = threads}).predictor.to_bytes();
  };
  EXPECT_EQ(bytes(1), bytes(3));
}

TEST(WeightedTransduction, trains_on_pairs_of_positive_weight_alone) {
  const Table table = training_table();
  const PairExamples examples = examples_of(table, 20);
  FitOptions options = weighted(quick_options("bilinear"));
  options.weights.training.steps = 2000;
  const Predictor before = fit({table, options, examples}, {.threads = 1}).predictor;

  // Rows that pairs of weight 0 alone would have brought in may hold anything: the fit does not see them.
  const Matrix<float> features = before.encoder().encode_points(before.training_points()),
                      outputs = before.encoder().encode_outputs(before.training_outputs());
  const EncodedRows data{before.training_points(), features, outputs, before.encoder().curved()};
  const PairSampler any(table.rows(), SelfPairs::exclude);
  const std::vector<Pair> all = any.all_pairs(table.rows() * table.rows());
  std::vector<float> weights = before.weights()->weigh(data, all);
  const PairSampler drawn = weighted_sampler(any, *before.weights(), data, options.weights.cut, options.seed);
  std::vector<Pair> heavy;
  for (size_t p = 0; p < all.size(); ++p)
    if (weights[p] >= static_cast<float>(options.weights.cut)) heavy.push_back(all[p]);
  ASSERT_LT(heavy.size(), all.size());
  EXPECT_EQ(drawn.all_pairs(all.size()), heavy);

  const auto trained_on = [&](const PairSampler& sampler) {
    const auto engine = make_engine(before.program(), {initial_parameters(before.program(), 7)});
    train(*engine, 0, {{.rows = data, .pairs = sampler.tables()}, options.training, 7});
    return engine->read(0);
  };
  for (float& weight : weights) weight = weight < static_cast<float>(options.weights.cut) ? 0.0f : 1.0f;
  EXPECT_EQ(trained_on({table.rows(), all, weights}),
            trained_on({table.rows(), heavy, std::vector<float>(heavy.size(), 1.0f)}));
}

TEST(WeightedTransduction, is_refused_from_a_file_that_has_lost_or_swapped_its_weights) {
  const Table table = training_table();
  const std::string bytes =
      fit({table, weighted(quick_options("bilinear")), examples_of(table, 20)}, {.threads = 1})
          .predictor.to_bytes();
  using Head = nlohmann::json;
  const auto load = [&](const std::function<void(TensorFile&, Head&)>& edit) {
    TensorFile file = unsealed(bytes);
    Head head = Head::parse(file.metadata.at("head"));
    edit(file, head);
    file.metadata["head"] = head.dump();
    Predictor::from_bytes(encode_safetensors(file), "m");
  };
  EXPECT_NO_THROW(load([](TensorFile&, Head&) {}));
  EXPECT_THROW(load([](TensorFile& file, Head&) { file.tensors.erase("weights.parameters"); }), Error);
  EXPECT_THROW(load([](TensorFile&, Head& head) { head.erase("weights"); }), Error);
  EXPECT_THROW(load([](TensorFile&, Head& head) { head["weights"] = head.at("program"); }), Error);
  EXPECT_THROW(load([](TensorFile&, Head& head) { head["options"]["weights"]["source"] = "none"; }), Error);
  EXPECT_THROW(load([](TensorFile&, Head& head) { head["options"]["weights"]["cut"] = 2; }), Error);
}

TEST(WeightedTransduction, counts_its_steps_and_can_be_stopped_while_weights_are_learned) {
  const Table table = training_table();
  for (WeightSource source : {WeightSource::examples, WeightSource::joint}) {
    FitOptions options = weighted(quick_options("bilinear"), source);
    options.calibration = Calibration::shells;
    const FitRequest request{table, options, examples_of(table, 40)};
    const uint64_t total = fit_load(request).steps + calibration_load(request).steps;
    uint64_t last = 0;
    const auto watch = [&](const Progress& p) {
      EXPECT_GE(p.step, last);
      EXPECT_EQ(p.steps, total);
      last = p.step;
      return true;
    };
    const Predictor predictor = fit(request, {.progress = watch, .threads = 1}).predictor;
    EXPECT_EQ(last, total);
    EXPECT_TRUE(predictor.coverage().errors.is_known());
    int calls = 0;
    const auto stop = [&](const Progress&) { return ++calls < 3; };
    EXPECT_THROW(fit(request, {.progress = stop, .threads = 1}), Error);
    EXPECT_EQ(calls, 3);
  }
}

TEST(WeightedTransduction, stopped_while_weights_are_learned_jointly_is_never_finished) {
  const Table table = training_table();
  FitOptions options = weighted(quick_options("bilinear"), WeightSource::joint);
  options.training.steps = 1;
  options.weights.training.steps = 30;
  options.weights.rounds = 2;
  const FitRequest request{table, options};
  const uint64_t learning = fit_load(request).steps - 1;
  EXPECT_EQ(learning, 2u * (1 + 30));
  std::vector<uint64_t> steps;
  fit_model(request, {.progress = [&](const Progress& p) {
              steps.push_back(p.step);
              return true;
            }});
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
  EXPECT_EQ(steps.back(), learning + 1);
  // At every report until the weights are learned a stop is heard, and nothing is reported after it.
  for (size_t at = 0; at < steps.size() && steps[at] < learning; ++at) {
    size_t reports = 0;
    const auto stop = [&](const Progress&) { return ++reports <= at; };
    EXPECT_THROW(fit_model(request, {.progress = stop}), Error) << "at step " << steps[at];
    EXPECT_EQ(reports, at + 1);
  }
}

TEST(WeightedTransduction, refuses_what_cannot_be_weighed) {
  const Table table = training_table();
  const PairExamples examples = examples_of(table, 5);
  const auto refused = [&](const FitOptions& options, const PairExamples& given, const std::string& said) {
    try {
      fit({table, options, given}, {.threads = 1});
      ADD_FAILURE() << said;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
    }
  };
  const FitOptions good = weighted(quick_options("bilinear"));
  refused(good, {}, "need example pairs");
  refused(weighted(quick_options("mlp")), examples, "reads an anchor");
  refused(weighted(quick_options("bilinear"), WeightSource::none), {}, "need weights of pairs");
  refused(quick_options("bilinear"), examples, "what example pairs are for");
  refused(good, {{{0, 60}}, {1}}, "rows below 60");
  refused(good, {{{0, 1}, {1, 2}}, {0, 0}}, "all of weight 0");
  const Predictor plain = fit({table, quick_options("bilinear")}, {.threads = 1}).predictor;
  EXPECT_EQ(plain.weights(), nullptr);
  EXPECT_THROW(plain.predict(query_rows(), {.anchors = parse_anchors("weight")}), Error);
}

}  // namespace
}  // namespace kedge
