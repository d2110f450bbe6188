#include "kedge/models/pair_ridge.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "kedge/core/rng.h"
#include "kedge/models/models.h"
#include "kedge/nn/engine.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

constexpr double exact_tolerance = 2e-3;
constexpr double formula_tolerance = 1e-5;

using Function = std::function<double(std::span<const float>)>;

/// Rows of a table, uniform in [-1, 1].
struct Rows {
  Matrix<float> features, outputs;

  Rows(size_t rows, size_t columns, const std::vector<Function>& functions, double noise = 0)
      : features(rows, columns), outputs(rows, functions.size()) {
    Rng rng(5, Stream::domain);
    for (size_t r = 0; r < rows; ++r) {
      for (float& x : features.row(r)) x = static_cast<float>(rng.uniform(-1, 1));
      for (size_t k = 0; k < functions.size(); ++k)
        outputs(r, k) = static_cast<float>(functions[k](features.row(r)) + noise * rng.normal());
    }
  }

  EncodedRows encoded() const { return {{}, features, outputs, {}}; }
  Program program() const {
    return find_model("bilinear-ridge")
        .program({static_cast<int>(features.cols()), static_cast<int>(outputs.cols()), {}}, {});
  }
  std::vector<float> solve() const {
    return solve_pair_ridge(program(), encoded(), PairSampler(features.rows(), SelfPairs::exclude));
  }
};

/// What the program says of a query from one of the rows.
std::vector<float> answer(const Rows& rows, const std::vector<float>& parameters, std::vector<float> query,
                          size_t anchor) {
  PairBatch batch(rows.encoded(), 1);
  batch.set(0, {nullptr, query.data()}, anchor);
  Matrix<float> found(1, rows.outputs.cols());
  make_engine(rows.program(), {parameters})->forward(0, batch.inputs(), found);
  return found.values();
}

double at(std::span<const float> x, size_t c) { return static_cast<double>(x[c]); }
double curved(std::span<const float> x) {
  return 2 + at(x, 0) - 3 * at(x, 1) * at(x, 0) + at(x, 1) * at(x, 1);
}
double falling(std::span<const float> x) { return -at(x, 0) * at(x, 0) - at(x, 1); }

TEST(PairRidge, a_quadratic_function_is_found_exactly_far_out_of_support) {
  const Rows rows(30, 2, {curved, falling});
  const std::vector<float> parameters = rows.solve();
  for (const std::vector<float>& query : {std::vector<float>{3, -2}, {-4, 4}, {0, 5}}) {
    for (size_t anchor : {0u, 11u, 29u}) {
      const std::vector<float> found = answer(rows, parameters, query, anchor);
      EXPECT_NEAR(static_cast<double>(found[0]), curved(query), exact_tolerance * std::abs(curved(query)));
      EXPECT_NEAR(static_cast<double>(found[1]), falling(query), exact_tolerance * std::abs(falling(query)));
    }
  }
}

TEST(PairRidge, a_product_of_polynomials_of_two_columns_is_found_exactly_out_of_support) {
  const auto product = [](std::span<const float> x) {
    return (1 + at(x, 0) - 2 * at(x, 0) * at(x, 0)) * (3 - at(x, 1));
  };
  for (size_t columns : {2u, 7u}) {
    const Rows rows(columns == 2 ? 60 : 160, columns, {product});
    const std::vector<float> parameters = rows.solve();
    std::vector<float> query(columns);
    query[0] = 2, query[1] = -2;
    for (size_t anchor : {0u, 40u})
      EXPECT_NEAR(static_cast<double>(answer(rows, parameters, query, anchor)[0]), product(query), 0.05);
  }
}

TEST(PairRidge, is_kernel_ridge_regression_on_pairs) {
  const Rows rows(6, 2, {curved}, 0.3);
  const std::vector<Pair> pairs = PairSampler(6, SelfPairs::exclude).all_pairs(100);
  const PairTerms terms(rows.program(), {PairTermKind::free, 2});
  const Matrix<double> design = terms.design(rows.encoded(), pairs, {});
  Matrix<double> changes(pairs.size(), 1);
  Eigen::VectorXd targets(pairs.size());
  Eigen::MatrixXd kernel(pairs.size(), pairs.size());
  const auto dot = [&](size_t a, size_t b, bool of_deltas) {
    double sum = 0;
    for (size_t c = 0; c < 2; ++c) {
      const auto value = [&](size_t p) {
        return at(rows.features.row(pairs[p].anchor), c) * (of_deltas ? -1 : 1) +
               (of_deltas ? at(rows.features.row(pairs[p].query), c) : 0);
      };
      sum += value(a) * value(b);
    }
    return sum;
  };
  const auto products = [&](size_t a, size_t b) {
    const auto delta = [&](size_t p, size_t c) {
      return at(rows.features.row(pairs[p].query), c) - at(rows.features.row(pairs[p].anchor), c);
    };
    double sum = 0;
    for (size_t i = 0; i < 2; ++i)
      for (size_t j = i; j < 2; ++j) sum += delta(a, i) * delta(a, j) * delta(b, i) * delta(b, j);
    return sum;
  };
  for (size_t a = 0; a < pairs.size(); ++a) {
    changes(a, 0) = static_cast<double>(rows.outputs(pairs[a].query, 0) - rows.outputs(pairs[a].anchor, 0));
    targets(static_cast<long>(a)) = changes(a, 0);
    for (size_t b = 0; b < pairs.size(); ++b)
      kernel(static_cast<long>(a), static_cast<long>(b)) =
          dot(a, b, true) * (1 + dot(a, b, false)) + products(a, b);
  }
  for (double penalty : {1e-4, 1e-1}) {
    const Matrix<double> weights = pair_ridge_weights(design, changes, penalty);
    const Eigen::MatrixXd shifted =
        kernel + penalty * kernel.trace() * Eigen::MatrixXd::Identity(kernel.rows(), kernel.cols());
    const Eigen::VectorXd expected = kernel * shifted.llt().solve(targets);
    for (size_t p = 0; p < pairs.size(); ++p) {
      double found = 0;
      for (size_t t = 0; t < terms.size(); ++t) found += design(p, t) * weights(t, 0);
      EXPECT_NEAR(found, expected(static_cast<long>(p)), formula_tolerance);
    }
  }
}

TEST(PairRidge, noise_on_a_line_bends_nothing) {
  const Rows rows(40, 3, {[](std::span<const float> x) { return 3 * at(x, 0); }}, 0.1);
  const std::vector<float> parameters = rows.solve();
  double sum = 0;
  for (size_t anchor = 0; anchor < 40; ++anchor)
    sum += static_cast<double>(answer(rows, parameters, {3, 0, 0}, anchor)[0]);
  EXPECT_NEAR(sum / 40, 9, 1.5);
}

// Each group has a level of its own, which pairs between groups would take for a slope.
TEST(PairRidge, only_pairs_that_the_sampler_admits_are_fitted) {
  Rows rows(40, 1, {[](std::span<const float> x) { return 2 * at(x, 0); }});
  std::vector<double> keys;
  for (size_t r = 0; r < 40; ++r) {
    keys.push_back(rows.features(r, 0) > 0);
    rows.outputs(r, 0) += static_cast<float>(100 * keys[r]);
  }
  const std::vector<float> parameters =
      solve_pair_ridge(rows.program(), rows.encoded(), PairSampler(keys, SelfPairs::exclude));
  const double before = static_cast<double>(rows.outputs(7, 0)), x = static_cast<double>(rows.features(7, 0));
  EXPECT_NEAR(static_cast<double>(answer(rows, parameters, {4}, 7)[0]), before + 2 * (4 - x), 0.05);
}

// Half of the rows are of another line, and count little.
TEST(PairRidge, a_pair_counts_by_the_weights_of_its_rows) {
  Rows rows(30, 1, {[](std::span<const float> x) { return 2 * at(x, 0); }});
  std::vector<double> weights;
  for (size_t r = 0; r < 30; ++r) {
    weights.push_back(r % 2 == 0 ? 1 : 1e-9);
    if (r % 2 != 0) rows.outputs(r, 0) *= -1;
  }
  const PairSampler alike(30, SelfPairs::exclude), weighted(30, SelfPairs::exclude, weights);
  const auto far = [&](const PairSampler& sampler) {
    const std::vector<float> parameters = solve_pair_ridge(rows.program(), rows.encoded(), sampler);
    return static_cast<double>(answer(rows, parameters, {3}, 4)[0]);
  };
  EXPECT_NEAR(far(weighted), 6, 0.5);
  EXPECT_GT(std::abs(far(alike) - 6), 2);
}

TEST(PairRidge, outputs_that_never_change_have_no_weights) {
  const Rows rows(20, 2, {[](std::span<const float>) { return 3.5; }});
  for (float parameter : rows.solve()) EXPECT_EQ(parameter, 0);
}

TEST(PairRidge, two_rows_and_columns_that_never_change_are_enough) {
  for (float parameter : Rows(2, 3, {curved}).solve()) EXPECT_TRUE(std::isfinite(parameter));
  Rows flat(10, 2, {curved});
  flat.features = Matrix<float>(10, 2, 0.5f);
  for (float parameter : flat.solve()) EXPECT_EQ(parameter, 0);
}

TEST(PairRidge, too_many_columns_are_refused_in_one_line) {
  const Rows rows(3, 700, {curved});
  EXPECT_EQ(error_text([&] { rows.solve(); }),
            "[fit] a closed-form fit of pairs needs at most 600 features; found 700; drop columns or take "
            "another model");
}

TEST(PairRidge, can_be_stopped) {
  const Rows rows(10, 2, {curved});
  const PairSampler sampler(10, SelfPairs::exclude);
  int asked = 0;
  solve_pair_ridge(rows.program(), rows.encoded(), sampler, [&] { ++asked; });
  ASSERT_GE(asked, 3);
  for (int last : {1, asked / 2, asked}) {
    int count = 0;
    const auto stop = [&] {
      if (++count == last) throw std::runtime_error("stopped");
    };
    EXPECT_THROW(solve_pair_ridge(rows.program(), rows.encoded(), sampler, stop), std::runtime_error);
  }
}

TEST(PairRidge, more_columns_are_more_work) {
  const auto work = [](size_t columns) { return pair_ridge_products(Rows(2, columns, {falling}).program()); };
  EXPECT_GT(work(4), work(2));
  EXPECT_GT(work(2), 0);
}

}  // namespace
}  // namespace kedge
