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

TEST(PairTerms, a_form_takes_terms_up_to_its_degrees) {
  const Program program = program_of(7, 1);
  EXPECT_EQ(PairTerms::count(program, {1, 0, 1}), 7u);
  EXPECT_EQ(PairTerms::count(program, {2, 1, 2}), 7u + 28u + 49u);
  EXPECT_EQ(PairTerms::count(program, {2, 1, 3}), 35u * 8u);
  const PairTerms terms(program, {2, 1, 2});
  EXPECT_EQ(terms.size(), 84u);
  for (size_t t = 0; t < terms.size(); ++t) {
    EXPECT_GE(terms[t].delta.size(), 1u);
    EXPECT_LE(terms[t].degree(), 2u);
  }
}

TEST(PairTerms, a_program_with_their_parameters_is_the_anchors_output_plus_their_weighted_sum) {
  for (const int features : {1, 2, 7}) {
    for (const int outputs : {1, 3}) {
      SCOPED_TRACE(features);
      const Program program = program_of(features, outputs);
      const Matrix<float> points = random_matrix(4, static_cast<size_t>(features), 1),
                          values = random_matrix(4, static_cast<size_t>(outputs), 2);
      const EncodedRows rows{{}, points, values, {}};
      const PairTerms terms(program, {9, 9, 9});
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
