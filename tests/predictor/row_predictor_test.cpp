#include "kedge/predictor/row_predictor.h"

#include <gtest/gtest.h>

#include "kedge/core/error.h"
#include "tests/core/allocations.h"
#include "tests/predictor/fitted.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

std::vector<uint32_t> some_rows(size_t count) {
  std::vector<uint32_t> rows;
  for (size_t r = 0; r < count; ++r) rows.push_back(static_cast<uint32_t>((7 * r + 3) % 60));
  return rows;
}

TEST(RowPredictor, gives_what_a_bulk_prediction_with_the_same_given_anchors_gives_bit_for_bit) {
  FitOptions options = quick_options("bilinear");
  options.replicas = 3;
  for (const char* model : {"bilinear", "concat", "equivariant"}) {
    options.model = model;
    const Predictor predictor = fit({training_table(), options}, {.threads = 1}).predictor;
    const Matrix<double> queries = query_rows();
    const std::vector<uint32_t> anchors = some_rows(queries.rows());
    const Predictions bulk = predictor.predict(queries, {.anchor_rows = anchors});
    RowPredictor one(predictor);
    std::vector<double> y(2);
    for (size_t r = 0; r < queries.rows(); ++r) {
      one.predict(queries.row(r), anchors[r], y);
      EXPECT_EQ(y[0], bulk.y(r, 0));
      EXPECT_EQ(y[1], bulk.y(r, 1));
      EXPECT_EQ(bulk.anchor[r], anchors[r]);
    }
  }
}

TEST(RowPredictor, averages_over_several_anchors_what_each_gives_alone) {
  const Predictor predictor = fit({training_table(), quick_options("bilinear")}, {.threads = 1}).predictor;
  const Matrix<double> queries = query_rows();
  RowPredictor one(predictor), several(predictor, 3);
  const std::vector<size_t> anchors = {4, 17, 30};
  std::vector<double> y(2), mean(2);
  for (size_t r = 0; r < queries.rows(); ++r) {
    std::vector<double> sum(2);
    for (size_t anchor : anchors) {
      one.predict(queries.row(r), anchor, y);
      for (size_t k = 0; k < 2; ++k) sum[k] += y[k];
    }
    several.predict(queries.row(r), anchors, mean);
    for (size_t k = 0; k < 2; ++k) EXPECT_EQ(mean[k], sum[k] / 3);
  }
  EXPECT_THROW(one.predict(queries.row(0), anchors, mean), Error);
  EXPECT_THROW(several.predict(queries.row(0), std::span<const size_t>{}, mean), Error);
}

TEST(RowPredictor, answers_rows_together_as_it_answers_each_alone_bit_for_bit) {
  FitOptions options = quick_options("bilinear");
  options.replicas = 2;
  for (const char* model : {"bilinear", "mlp"}) {
    options.model = model;
    const Predictor predictor = fit({training_table(), options}, {.threads = 1}).predictor;
    const Matrix<double> queries = query_rows();
    const size_t rows = std::min<size_t>(queries.rows(), 20);
    const std::vector<size_t> anchors = {4, 17, 30};
    RowPredictor one(predictor, 3), together(predictor, 3, rows);
    // As many anchors as the row's number says, from one to three.
    const auto of = [&](size_t r) { return std::span(anchors).first(1 + r % 3); };
    Matrix<double> all(rows, 2);
    for (int again = 0; again < 2; ++again) {
      for (size_t r = 0; r < rows; ++r) together.add(queries.row(r), of(r));
      together.answer(all);
      for (size_t r = 0; r < rows; ++r) {
        std::vector<double> y(2);
        one.predict(queries.row(r), of(r), y);
        EXPECT_EQ(y, std::vector<double>({all(r, 0), all(r, 1)})) << model << " " << r;
      }
    }
  }
}

TEST(RowPredictor, refuses_more_rows_than_it_was_made_for_and_answers_for_others) {
  const Predictor predictor = fit({training_table(), quick_options("bilinear")}, {.threads = 1}).predictor;
  const Matrix<double> queries = query_rows();
  RowPredictor two(predictor, 1, 2);
  const std::vector<size_t> anchor = {3};
  for (size_t r = 0; r < 2; ++r) two.add(queries.row(r), anchor);
  EXPECT_NE(error_text([&] { two.add(queries.row(2), anchor); }).find("at most 2 rows"), std::string::npos);
  Matrix<double> three(3, 2);
  EXPECT_NE(error_text([&] { two.answer(three); }).find("2 rows need as many"), std::string::npos);
}

TEST(RowPredictor, allocates_nothing) {
  if (!counts_allocations()) GTEST_SKIP();
  FitOptions options = quick_options("bilinear");
  options.replicas = 2;
  const Predictor predictor = fit({training_table(), options}, {.threads = 1}).predictor;
  const Matrix<double> queries = query_rows();
  RowPredictor one(predictor), two(predictor, 1, 2);
  std::vector<double> y(2);
  Matrix<double> both(2, 2);
  const size_t anchor = 7;
  one.predict(queries.row(0), 0, y);
  const size_t before = allocations();
  for (size_t r = 0; r < queries.rows(); ++r) one.predict(queries.row(r), r % 60, y);
  for (size_t r = 0; r < 2; ++r) two.add(queries.row(r), {&anchor, 1});
  two.answer(both);
  EXPECT_EQ(allocations() - before, 0u);
}

TEST(RowPredictor, training_steps_allocate_nothing) {
  if (!counts_allocations()) GTEST_SKIP();
  // Four times the steps, the same number of reports and checkpoints: the same number of allocations.
  const auto during = [](uint64_t steps) {
    FitOptions options = quick_options("bilinear");
    options.training.steps = steps;
    const Table table = training_table();
    const size_t before = allocations();
    fit({table, options}, {.threads = 1});
    return allocations() - before;
  };
  during(5000);
  EXPECT_EQ(during(20000), during(5000));
}

TEST(RowPredictor, refuses_wrong_lengths_and_anchors) {
  const Predictor predictor = fit({training_table(), quick_options("bilinear")}, {.threads = 1}).predictor;
  const std::vector<double> row = {1, 2, 3};
  RowPredictor one(predictor);
  std::vector<double> y(2);
  EXPECT_NE(error_text([&] { one.predict(row, 60, y); }).find("below 60; found 60"), std::string::npos);
  EXPECT_NE(error_text([&] { one.predict({row.data(), 2}, 0, y); }).find("3 inputs"), std::string::npos);
  EXPECT_NE(error_text([&] { one.predict(row, 0, {y.data(), 1}); }).find("2 outputs"), std::string::npos);
  const std::vector<double> negative = {1, 2, -3};
  EXPECT_NE(error_text([&] { one.predict(negative, 0, y); }).find("size"), std::string::npos);
}

TEST(RowPredictor, looks_at_no_anchor_for_a_model_that_reads_none) {
  const Predictor predictor = fit({training_table(), quick_options("mlp")}, {.threads = 1}).predictor;
  const Matrix<double> queries = query_rows(3);
  const Predictions bulk = predictor.predict(queries);
  RowPredictor one(predictor);
  std::vector<double> y(2);
  for (size_t r = 0; r < queries.rows(); ++r) {
    one.predict(queries.row(r), 1000, y);
    EXPECT_EQ(y, std::vector<double>({bulk.y(r, 0), bulk.y(r, 1)}));
  }
}

TEST(Predictor, given_anchors_need_one_training_row_for_each_query) {
  const Predictor predictor = fit({training_table(), quick_options("bilinear")}, {.threads = 1}).predictor;
  const auto refused = [&](const Predictor& of, std::vector<uint32_t> rows) {
    return error_text([&] { of.predict(query_rows(3), {.anchor_rows = rows}); });
  };
  EXPECT_NE(refused(predictor, {1, 2}).find("each of 3 queries; found 2"), std::string::npos);
  EXPECT_NE(refused(predictor, {1, 2, 60}).find("below 60; found 60"), std::string::npos);
  const Predictor network = fit({training_table(), quick_options("mlp")}, {.threads = 1}).predictor;
  EXPECT_NE(refused(network, {1, 2, 3}).find("reads an anchor"), std::string::npos);
}

TEST(Predictor, the_anchors_that_a_search_finds_can_be_given_to_it) {
  FitOptions options = quick_options("bilinear");
  options.anchors = {.rule = AnchorRule::nearest};
  const Predictor predictor = fit({training_table(), options}, {.threads = 1}).predictor;
  const Predictions found = predictor.predict(query_rows());
  const std::vector<uint32_t> rows(found.anchor.begin(), found.anchor.end());
  EXPECT_TRUE(same(predictor.predict(query_rows(), {.anchor_rows = rows}), found));
}

}  // namespace
}  // namespace kedge
