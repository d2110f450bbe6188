#include "kedge/models/pair_terms.h"

#include <gtest/gtest.h>

#include "kedge/core/rng.h"
#include "kedge/models/models.h"
#include "kedge/nn/engine.h"

namespace kedge {
namespace {

constexpr double tolerance = 1e-5;

Program program_of(int features, int outputs) {
  return find_model("bilinear-ridge").program({features, outputs, {}}, {});
}

Matrix<float> random_matrix(size_t rows, size_t cols, uint64_t seed) {
  Rng rng(seed, Stream::domain);
  Matrix<float> m(rows, cols);
  for (size_t r = 0; r < rows; ++r)
    for (float& x : m.row(r)) x = static_cast<float>(rng.uniform(-1, 1));
  return m;
}

TEST(PairTerms, a_form_takes_terms_up_to_its_degree) {
  const Program program = program_of(4, 1), wide = program_of(20, 1);
  EXPECT_EQ(PairTerms::count(program, {PairTermKind::free, 1}), 4u);
  EXPECT_EQ(PairTerms::count(program, {PairTermKind::free, 2}), 4u + 10u + 16u);
  EXPECT_EQ(PairTerms::count(program, {PairTermKind::free, 3}), 30u + 20u + 40u + 40u);
  EXPECT_EQ(PairTerms::count(program, {PairTermKind::change, 3}), 4u + 10u + 20u);
  EXPECT_EQ(PairTerms::count(program, {PairTermKind::power, 3}), 3u * 4u);
  EXPECT_EQ(PairTerms::count(wide, {PairTermKind::change, 2}), 20u + 210u);
  EXPECT_EQ(PairTerms::count(wide, {PairTermKind::change, 3}), PairTerms::none);
  for (PairTermKind kind : {PairTermKind::free, PairTermKind::change, PairTermKind::power})
    for (size_t degree : {1u, 2u, 3u})
      EXPECT_EQ(PairTerms(program, {kind, degree}).size(), PairTerms::count(program, {kind, degree}));
  const PairTerms terms(program, {PairTermKind::free, 2});
  for (size_t t = 0; t < terms.size(); ++t) EXPECT_LE(terms[t].degree(), 2u);
}

TEST(PairTerms, a_change_is_that_of_a_product_of_inputs) {
  const Matrix<float> points = random_matrix(3, 2, 4), values = random_matrix(3, 1, 5);
  const PairTerms terms(program_of(2, 1), {PairTermKind::change, 3});
  const std::vector<Pair> pairs = {{0, 1}, {2, 0}};
  const Matrix<double> design = terms.design({{}, points, values, {}}, pairs, {});
  const auto product = [&](size_t row, size_t t) {
    double value = 1;
    for (int f : terms[t].products.back().delta)
      value *= static_cast<double>(points(row, static_cast<size_t>(f)));
    return value;
  };
  for (size_t p = 0; p < pairs.size(); ++p)
    for (size_t t = 0; t < terms.size(); ++t)
      EXPECT_NEAR(design(p, t), product(pairs[p].query, t) - product(pairs[p].anchor, t), tolerance);
}

TEST(PairTerms, products_that_come_twice_are_found_once) {
  Program p(2, 1);
  const int powers = p.quadratic(p.quadratic(Program::input(Input::anchor)));
  EXPECT_EQ(distinct_products(p, powers, 1), (std::vector<int>{0, 1}));
  EXPECT_EQ(distinct_products(p, powers, 2), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(distinct_products(p, powers, 3).size(), 2u + 3u + 4u);
}

TEST(PairTerms, a_program_with_their_parameters_is_the_anchors_output_plus_their_weighted_sum) {
  for (const int features : {1, 2, 7, 20}) {
    for (const int outputs : {1, 3}) {
      SCOPED_TRACE(features);
      const Program program = program_of(features, outputs);
      const Matrix<float> points = random_matrix(4, static_cast<size_t>(features), 1),
                          values = random_matrix(4, static_cast<size_t>(outputs), 2);
      const EncodedRows rows{{}, points, values, {}};
      const PairTerms terms(program, {features < 3 ? PairTermKind::free : PairTermKind::change,
                                      features > 10 ? size_t{2} : size_t{3}});
      const std::vector<Pair> pairs = {{0, 1}, {3, 2}, {1, 1}};
      const Matrix<double> design = terms.design(rows, pairs, {});
      Matrix<double> weights(terms.size(), values.cols());
      Rng rng(3, Stream::domain);
      for (size_t t = 0; t < terms.size(); ++t)
        for (double& w : weights.row(t)) w = rng.uniform(-1, 1);

      PairBatch batch(rows, pairs.size());
      for (size_t p = 0; p < pairs.size(); ++p) batch.set(p, pairs[p]);
      Matrix<float> found(pairs.size(), values.cols());
      make_engine(program, {terms.parameters(weights)})->forward(0, batch.inputs(), found);
      for (size_t p = 0; p < pairs.size(); ++p) {
        for (size_t k = 0; k < values.cols(); ++k) {
          double expected = static_cast<double>(values(pairs[p].anchor, k));
          for (size_t t = 0; t < terms.size(); ++t) expected += design(p, t) * weights(t, k);
          EXPECT_NEAR(static_cast<double>(found(p, k)), expected,
                      tolerance * static_cast<double>(terms.size()));
        }
      }
    }
  }
}

}  // namespace
}  // namespace kedge
