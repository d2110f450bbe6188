#include "kedge/predictor/outward.h"

#include <gtest/gtest.h>

#include <numeric>

#include "kedge/core/error.h"
#include "tests/predictor/fitted.h"

namespace kedge {
namespace {

/// One output: 0, 1, ..., 100.
Matrix<double> hundred() {
  Matrix<double> outputs(101, 1);
  std::iota(outputs.row(0).data(), outputs.row(0).data() + 101, 0.0);
  return outputs;
}

double stretched(const OutputRange& range, double y, const Outward& outward) {
  range.stretch({&y, 1}, outward);
  return y;
}

TEST(Outward, is_written_and_read_back) {
  for (const char* text : {"", "from=0.6,high=0.5", "from=0.75,low=0.25,high=2,anchors=near=20",
                           "from=0.9,anchors=neighbour", "from=0.5,low=10"})
    EXPECT_EQ(to_text(parse_outward(text)), text);
  EXPECT_EQ(to_text(Outward{.from = 0.7}), "") << "what changes nothing is nothing";
}

TEST(Outward, a_wrong_text_is_refused_in_one_line) {
  for (const char* text :
       {"from", "from=0.4", "from=1", "low=-1", "high=11", "high=x", "high=", "up=1", "low=1,", ",low=1",
        "anchors=none", "anchors=given", "anchors=nowhere", "high=nan"}) {
    try {
      parse_outward(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << text;
    }
  }
}

TEST(Outward, stretches_what_lies_past_the_quantiles_and_nothing_between_them) {
  const Outward outward{.from = 0.6, .low = 0.25, .high = 1};
  const OutputRange range(hundred(), {}, outward);
  for (double y = 40; y <= 60; ++y) EXPECT_EQ(stretched(range, y, outward), y);
  EXPECT_DOUBLE_EQ(stretched(range, 80, outward), 100);
  EXPECT_DOUBLE_EQ(stretched(range, 200, outward), 340);
  EXPECT_DOUBLE_EQ(stretched(range, 0, outward), -10);
  double last = -HUGE_VAL;
  for (double y = -50; y <= 150; y += 0.25) {
    EXPECT_GT(stretched(range, y, outward), last);
    last = stretched(range, y, outward);
  }
}

TEST(Outward, the_rule_at_the_ends_takes_over_by_and_by) {
  const Outward outward{.from = 0.6};
  const OutputRange range(hundred(), {}, outward);
  const auto mixed = [&](double y, double other) {
    double spread = 0;
    range.mix({&y, 1}, spread, {&other, 1}, 1);
    return std::pair(y, spread);
  };
  EXPECT_EQ(mixed(50, 55), std::pair(50.0, 0.0));
  EXPECT_EQ(mixed(95, 120), std::pair(120.0, 1.0));
  EXPECT_EQ(mixed(5, -20), std::pair(-20.0, 1.0));
  EXPECT_NEAR(mixed(60, 75).first, 67.5, 1e-9);
  EXPECT_NEAR(mixed(60, 75).second, 0.5, 1e-9);
}

TEST(Outward, an_answer_beyond_all_training_outputs_is_told_with_its_amount) {
  const OutputRange range(hundred(), {}, {});
  for (double y : {0.0, 50.0, 100.0}) EXPECT_TRUE(range.departures({&y, 1}).empty()) << y;
  const double above = 110, below = -25;
  EXPECT_EQ(range.departures({&above, 1}), (std::vector<Departure>{{0, 10, 0.1}}));
  EXPECT_EQ(range.departures({&below, 1}), (std::vector<Departure>{{0, -25, 0.25}}));
  const double usual = 99, high = 100 + range.ends()[0].deviation;
  EXPECT_EQ(range.excess({&usual, 1}), 0);
  EXPECT_NEAR(range.excess({&high, 1}), 1, 1e-12);
}

TEST(Outward, outputs_on_a_log_scale_are_stretched_in_proportion) {
  Matrix<double> outputs = hundred();
  for (size_t r = 0; r < outputs.rows(); ++r) outputs(r, 0) = std::exp(outputs(r, 0) / 100);
  const Outward outward{.from = 0.6, .high = 1};
  const OutputRange range(outputs, OutputSpace({true}), outward);
  EXPECT_NEAR(stretched(range, std::exp(0.8), outward), std::exp(1.0), 1e-9);
}

FitOptions outward_options(const std::string& text) {
  FitOptions options = quick_options("bilinear");
  options.outward = parse_outward(text);
  return options;
}

TEST(Outward, a_prediction_is_that_of_the_rules_moved_on_and_survives_a_file) {
  const Table table = training_table();
  const Matrix<double> queries = query_rows();
  const Predictor plain = std::move(fit_model({table, quick_options("bilinear")}).predictor);
  const Outward outward = parse_outward("from=0.6,low=0.5,high=1,anchors=near=3");
  const Predictor moved = std::move(fit_model({table, outward_options(to_text(outward))}).predictor);
  Predictions wanted = plain.predict(queries);
  const Predictions near =
      plain.predict(queries, {.anchors = AnchorOptions{.rule = AnchorRule::near, .count = 3}});
  const Predictions found = moved.predict(queries);
  const OutputRange range(moved.training_outputs(), {}, outward);
  size_t changed = 0;
  for (size_t r = 0; r < queries.rows(); ++r) {
    const double before = wanted.y(r, 0);
    range.mix(wanted.y.row(r), wanted.spread[r], near.y.row(r), near.spread[r]);
    range.stretch(wanted.y.row(r), outward);
    changed += wanted.y(r, 0) != before;
    EXPECT_EQ(found.outputs_outside[r], range.departures(found.y.row(r)));
  }
  EXPECT_GT(changed, 2u);
  EXPECT_LT(changed, queries.rows());
  EXPECT_TRUE(same(found.y.values(), wanted.y.values()));
  EXPECT_TRUE(same(found.spread, wanted.spread));
  EXPECT_TRUE(same(Predictor::from_bytes(moved.to_bytes(), "memory").predict(queries), found));
  // A rule that the user names is answered plainly.
  const PredictOptions own{.anchors = moved.options().anchors};
  EXPECT_TRUE(same(moved.predict(queries, own).y.values(), plain.predict(queries).y.values()));
}

TEST(InsideAnchors, answer_queries_in_support_and_no_others) {
  const Table table = training_table();
  const Matrix<double> queries = query_rows();
  FitOptions options = quick_options("bilinear");
  const Predictor plain = std::move(fit_model({table, options}).predictor);
  options.inside_anchors = AnchorOptions{.rule = AnchorRule::all, .count = 30};
  const Predictor own = std::move(fit_model({table, options}).predictor);
  const Predictions elsewhere = plain.predict(queries),
                    inside = plain.predict(queries, {.anchors = options.inside_anchors}),
                    found = own.predict(queries), unjudged = own.predict(queries, {.judging = Judging::none});
  size_t in_support = 0;
  for (size_t r = 0; r < queries.rows(); ++r) {
    const bool is_in = elsewhere.verdict[r] == Verdict::interpolation;
    in_support += is_in;
    EXPECT_EQ(found.verdict[r], elsewhere.verdict[r]);
    for (size_t k = 0; k < 2; ++k) EXPECT_EQ(found.y(r, k), (is_in ? inside : elsewhere).y(r, k));
  }
  EXPECT_GT(in_support, 3u);
  EXPECT_LT(in_support, queries.rows());
  EXPECT_TRUE(same(unjudged.y.values(), found.y.values()));
  EXPECT_TRUE(same(Predictor::from_bytes(own.to_bytes(), "memory").predict(queries), found));
}

TEST(OutputRange, the_gap_is_the_way_to_the_nearest_end) {
  const OutputRange range(hundred(), {}, {});
  const auto gap = [&](double y) { return range.gap({&y, 1}).amount; };
  EXPECT_EQ(gap(30), 30);
  EXPECT_EQ(gap(90), 10);
  EXPECT_EQ(gap(120), 0);
  EXPECT_EQ(gap(-1), 0);
}

}  // namespace
}  // namespace kedge
