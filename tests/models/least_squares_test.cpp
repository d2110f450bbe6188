#include "kedge/models/least_squares.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "kedge/core/rng.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

constexpr double coefficient_tolerance = 2e-6;
constexpr double prediction_tolerance = 2e-5;

Matrix<float> random_matrix(size_t rows, size_t cols, uint64_t seed) {
  Rng rng(seed, Stream::domain);
  Matrix<float> m(rows, cols);
  for (size_t r = 0; r < rows; ++r)
    for (float& x : m.row(r)) x = static_cast<float>(rng.uniform(-1, 1));
  return m;
}

Program program_of(const std::string& model, size_t inputs, size_t outputs) {
  return find_model(model).program({static_cast<int>(inputs), static_cast<int>(outputs), {}}, {});
}

std::vector<float> solve(const std::string& model, const Matrix<float>& x, const Matrix<float>& y,
                         const std::vector<double>& row_weights = {}) {
  return solve_closed_form(program_of(model, x.cols(), y.cols()), find_model(model).solver, x, y, {},
                           row_weights);
}

/// Each row as often as its count says.
Matrix<float> repeated(const Matrix<float>& rows, const std::vector<double>& counts) {
  std::vector<float> values;
  size_t number = 0;
  for (size_t r = 0; r < rows.rows(); ++r)
    for (double n = 0; n < counts[r]; ++n, ++number)
      values.insert(values.end(), rows.row(r).begin(), rows.row(r).end());
  return {number, rows.cols(), std::move(values)};
}

// y of a linear map given by parameters in the program's order.
double linear(const std::vector<float>& parameters, std::span<const float> x, size_t outputs, size_t k) {
  double y = static_cast<double>(parameters[outputs * x.size() + k]);
  for (size_t f = 0; f < x.size(); ++f)
    y += static_cast<double>(parameters[k * x.size() + f]) * static_cast<double>(x[f]);
  return y;
}

Matrix<float> linear_outputs(const Matrix<float>& x, const std::vector<float>& parameters, size_t outputs) {
  Matrix<float> y(x.rows(), outputs);
  for (size_t r = 0; r < x.rows(); ++r)
    for (size_t k = 0; k < outputs; ++k)
      y(r, k) = static_cast<float>(linear(parameters, x.row(r), outputs, k));
  return y;
}

Matrix<float> expanded(const Matrix<float>& x) {
  const size_t d = x.cols();
  Matrix<float> wide(x.rows(), d + d * (d + 1) / 2);
  for (size_t r = 0; r < x.rows(); ++r) {
    size_t at = 0;
    for (size_t p = 0; p < d; ++p) wide(r, at++) = x(r, p);
    for (size_t p = 0; p < d; ++p)
      for (size_t q = p; q < d; ++q) wide(r, at++) = x(r, p) * x(r, q);
  }
  return wide;
}

void expect_near(const std::vector<float>& found, const std::vector<float>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t p = 0; p < found.size(); ++p) {
    EXPECT_TRUE(std::isfinite(found[p]));
    EXPECT_NEAR(static_cast<double>(found[p]), static_cast<double>(expected[p]), tolerance) << p;
  }
}

TEST(ClosedForm, linear_and_ridge_recover_the_coefficients_of_a_linear_function) {
  const Matrix<float> x = random_matrix(60, 4, 1);
  const std::vector<float> truth = {1, -2, 0.5, 3, 0, 0.25, -1, 2, 10, -20};
  const Matrix<float> y = linear_outputs(x, truth, 2);
  expect_near(solve("linear", x, y), truth, coefficient_tolerance * 20);
  expect_near(solve("ridge", x, y), truth, coefficient_tolerance * 20);
}

TEST(ClosedForm, linear_solves_the_normal_equations_of_noisy_data) {
  const Matrix<float> x = random_matrix(50, 3, 2), y = random_matrix(50, 2, 3);
  Eigen::MatrixXd design(50, 4), target(50, 2);
  for (Eigen::Index r = 0; r < 50; ++r) {
    const size_t row = static_cast<size_t>(r);
    for (size_t f = 0; f < 3; ++f) design(r, static_cast<Eigen::Index>(f)) = static_cast<double>(x(row, f));
    design(r, 3) = 1;
    for (size_t k = 0; k < 2; ++k) target(r, static_cast<Eigen::Index>(k)) = static_cast<double>(y(row, k));
  }
  const Eigen::MatrixXd solution =
      (design.transpose() * design).ldlt().solve(design.transpose() * target).transpose();
  std::vector<float> expected;
  for (Eigen::Index k = 0; k < 2; ++k)
    for (Eigen::Index f = 0; f < 3; ++f) expected.push_back(static_cast<float>(solution(k, f)));
  for (Eigen::Index k = 0; k < 2; ++k) expected.push_back(static_cast<float>(solution(k, 3)));
  expect_near(solve("linear", x, y), expected, coefficient_tolerance);
}

TEST(ClosedForm, quadratic_is_exact_on_a_quadratic_function_far_outside_of_its_data) {
  const Matrix<float> x = random_matrix(80, 3, 4);
  std::vector<float> truth = {1, -1, 2, 0.5, -0.25, 1, 3, 0, -2, 7};
  const Matrix<float> y = linear_outputs(expanded(x), truth, 1);
  const std::vector<float> found = solve("quadratic", x, y);
  expect_near(found, truth, coefficient_tolerance * 20);
  const Matrix<float> far(1, 3, std::vector<float>{10, -10, 10});
  EXPECT_NEAR(linear(found, expanded(far).row(0), 1, 0), linear(truth, expanded(far).row(0), 1, 0), 0.005);
}

TEST(ClosedForm, ridge_weighs_the_penalty_that_generalized_cross_validation_picks) {
  // Brute force over the same grid of penalties, by the definition: the hat matrix and its trace.
  const Matrix<float> x = random_matrix(20, 5, 5);
  Matrix<float> y = linear_outputs(x, {1, 1, 0, 0, 0, 2}, 1);
  const Matrix<float> noise = random_matrix(20, 1, 6);
  for (size_t r = 0; r < 20; ++r) y(r, 0) += noise(r, 0);
  Eigen::MatrixXd centered(20, 5);
  Eigen::VectorXd target(20);
  for (Eigen::Index r = 0; r < 20; ++r) {
    for (Eigen::Index f = 0; f < 5; ++f)
      centered(r, f) = static_cast<double>(x(static_cast<size_t>(r), static_cast<size_t>(f)));
    target(r) = static_cast<double>(y(static_cast<size_t>(r), 0));
  }
  centered.rowwise() -= centered.colwise().mean().eval();
  target.array() -= target.mean();
  const Eigen::MatrixXd gram = centered.transpose() * centered;
  const double top = gram.selfadjointView<Eigen::Lower>().eigenvalues().maxCoeff();
  double least = std::numeric_limits<double>::infinity();
  Eigen::VectorXd best;
  for (double exponent = -12; exponent <= 2; exponent += 0.25) {
    const Eigen::MatrixXd inverse =
        (gram + top * std::pow(10.0, exponent) * Eigen::MatrixXd::Identity(5, 5)).inverse();
    const Eigen::VectorXd weights = inverse * centered.transpose() * target;
    const double freedom = 1 + (centered * inverse * centered.transpose()).trace();
    const double score = (target - centered * weights).squaredNorm() / std::pow(20 - freedom, 2);
    if (score < least) {
      least = score;
      best = weights;
    }
  }
  const std::vector<float> found = solve("ridge", x, y);
  for (Eigen::Index f = 0; f < 5; ++f)
    EXPECT_NEAR(static_cast<double>(found[static_cast<size_t>(f)]), best(f), coefficient_tolerance);
}

TEST(ClosedForm, least_squares_with_whole_weights_is_that_of_as_many_copies) {
  const Matrix<float> x = random_matrix(30, 3, 16), y = random_matrix(30, 2, 17);
  std::vector<double> weights;
  for (size_t r = 0; r < 30; ++r) weights.push_back(static_cast<double>(1 + r % 4));
  expect_near(solve("linear", x, y, weights), solve("linear", repeated(x, weights), repeated(y, weights)),
              coefficient_tolerance);
  const std::vector<float> alike = solve("linear", x, y), weighted = solve("linear", x, y, weights);
  EXPECT_GT(std::abs(alike[0] - weighted[0]), 0.01f);
}

TEST(ClosedForm, a_row_whose_weight_vanishes_is_as_if_it_were_not_there) {
  // More rows than columns, and fewer.
  for (size_t rows : {12u, 5u}) {
    Matrix<float> x = random_matrix(rows, 6, 18), y = random_matrix(rows, 1, 19);
    y(0, 0) = 1000;
    std::vector<double> weights(rows, 1.0), counts(rows, 1.0);
    weights[0] = 1e-22;
    counts[0] = 0;
    for (const char* model : {"linear", "ridge", "quadratic"}) {
      // A wide least squares goes through every row, however little it weighs.
      if (rows < 6 && std::string(model) == "linear") continue;
      SCOPED_TRACE(model);
      expect_near(solve(model, x, y, weights), solve(model, repeated(x, counts), repeated(y, counts)),
                  coefficient_tolerance * 10);
    }
  }
}

TEST(ClosedForm, ridge_with_whole_weights_is_near_that_of_copies) {
  const Matrix<float> x = random_matrix(200, 3, 20);
  Matrix<float> y = linear_outputs(x, {1, -2, 0.5, 3}, 1);
  const Matrix<float> noise = random_matrix(200, 1, 21);
  std::vector<double> weights;
  for (size_t r = 0; r < 200; ++r) {
    weights.push_back(static_cast<double>(1 + r % 3));
    y(r, 0) += noise(r, 0);
  }
  // The two count degrees of freedom of different numbers of rows.
  expect_near(solve("ridge", x, y, weights), solve("ridge", repeated(x, weights), repeated(y, weights)),
              0.02);
}

TEST(ClosedForm, more_features_than_rows_still_fit_the_rows_with_small_finite_weights) {
  const Matrix<float> x = random_matrix(6, 30, 7), y = random_matrix(6, 1, 8);
  const std::vector<float> least = solve("linear", x, y), ridge = solve("ridge", x, y);
  for (size_t r = 0; r < 6; ++r)
    EXPECT_NEAR(linear(least, x.row(r), 1, 0), static_cast<double>(y(r, 0)), prediction_tolerance);
  for (float p : ridge) EXPECT_LT(std::abs(p), 10);
  for (float p : solve("quadratic", x, y)) EXPECT_LT(std::abs(p), 10);
}

TEST(ClosedForm, collinear_columns_share_their_weight) {
  Matrix<float> x = random_matrix(40, 3, 9);
  for (size_t r = 0; r < 40; ++r) x(r, 2) = x(r, 0);
  const Matrix<float> y = linear_outputs(x, {4, 1, 0, 2}, 1);
  // Of all minimizers the shortest: 4 is split into 2 and 2.
  for (const char* model : {"linear", "ridge"})
    expect_near(solve(model, x, y), {2, 1, 2, 2}, coefficient_tolerance * 200);
}

TEST(ClosedForm, columns_that_never_change_get_no_weight) {
  for (const char* model : {"linear", "ridge", "quadratic"}) {
    const Matrix<float> y = random_matrix(10, 1, 10);
    double mean = 0;
    for (size_t r = 0; r < 10; ++r) mean += static_cast<double>(y(r, 0)) / 10;
    for (float constant : {0.0f, 0.5f}) {
      const std::vector<float> found = solve(model, Matrix<float>(10, 2, constant), y);
      for (size_t p = 0; p + 1 < found.size(); ++p) EXPECT_EQ(found[p], 0) << model;
      EXPECT_NEAR(static_cast<double>(found.back()), mean, coefficient_tolerance) << model;
    }
  }
}

TEST(ClosedForm, outputs_that_never_change_are_the_bias) {
  for (const char* model : {"linear", "ridge", "quadratic"}) {
    const std::vector<float> found = solve(model, random_matrix(20, 2, 11), Matrix<float>(20, 1, 3.5f));
    for (size_t p = 0; p + 1 < found.size(); ++p)
      EXPECT_NEAR(static_cast<double>(found[p]), 0, coefficient_tolerance);
    EXPECT_NEAR(static_cast<double>(found.back()), 3.5, coefficient_tolerance);
  }
}

TEST(ClosedForm, two_rows_are_enough) {
  const Matrix<float> x = random_matrix(2, 3, 12), y = random_matrix(2, 2, 13);
  for (const char* model : {"linear", "ridge", "quadratic"})
    for (float p : solve(model, x, y)) EXPECT_TRUE(std::isfinite(p)) << model;
}

TEST(ClosedForm, too_many_features_are_refused_with_advice) {
  const Matrix<float> x = random_matrix(3, 200, 14), y = random_matrix(3, 1, 15);
  const std::string error = error_text([&] { solve("quadratic", x, y); });
  EXPECT_NE(error.find("at most 10000 features; found 20300; drop columns"), std::string::npos) << error;
}

TEST(LeastSquares, can_be_stopped) {
  const Matrix<float> x(20, 2, 1.0f), y(20, 1, 1.0f);
  const Program program = program_of("ridge", 2, 1);
  int asked = 0;
  solve_closed_form(program, Solver::ridge, x, y, [&] { ++asked; });
  ASSERT_GE(asked, 3);
  for (int last = 1; last <= asked; ++last) {
    int calls = 0;
    const StopCheck stop = [&] {
      if (++calls == last) throw std::runtime_error("stop");
    };
    EXPECT_THROW(solve_closed_form(program, Solver::ridge, x, y, stop), std::runtime_error);
    EXPECT_EQ(calls, last);
  }
}

}  // namespace
}  // namespace kedge
