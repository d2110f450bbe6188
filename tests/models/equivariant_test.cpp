#include <gtest/gtest.h>

#include <cmath>

#include "kedge/predictor/predictor.h"
#include "tests/predictor/fitted.h"

namespace kedge {
namespace {

constexpr double float_tolerance = 1e-5;

Table table_of(size_t rows, double low, double high, double (*first)(double, double),
               double (*second)(double, double)) {
  Rng rng(1, Stream::domain);
  std::vector<double> a, b, y, z;
  for (size_t r = 0; r < rows; ++r) {
    a.push_back(rng.uniform(low, high));
    b.push_back(rng.uniform(low, high));
    y.push_back(first(a[r], b[r]));
    z.push_back(second(a[r], b[r]));
  }
  Table table("equivariant");
  table.add(column("a", Role::input, a));
  table.add(column("b", Role::input, b));
  table.add(column("y", Role::output, y));
  table.add(column("z", Role::output, z));
  return table;
}

// RMSE over both outputs, out of support, of a model trained on [0, 1] x [0, 1].
double oos_error(double (*first)(double, double), double (*second)(double, double)) {
  FitOptions options = quick_options("equivariant");
  options.space.clear();
  options.context.clear();
  options.architecture = {.layers = 2, .width = 32};
  options.training.steps = 4000;
  options.training.adam.schedule = Schedule::cosine;
  const Predictor predictor = fit({table_of(100, 0, 1, first, second), options}).predictor;
  const Table queries = table_of(40, 1.2, 1.8, first, second);
  const Predictions found = predictor.predict(queries);
  double sum = 0;
  for (size_t r = 0; r < found.rows(); ++r)
    for (size_t k = 0; k < 2; ++k) sum += std::pow(found.y(r, k) - queries.columns()[2 + k].values[r], 2);
  return std::sqrt(sum / static_cast<double>(2 * found.rows()));
}

TEST(Equivariant, is_right_out_of_support_where_the_change_depends_on_the_difference_alone) {
  EXPECT_LT(oos_error([](double a, double b) { return 2 * a - b + 7; },
                      [](double a, double b) { return a + 3 * b; }),
            0.1);
}

TEST(Equivariant, is_wrong_out_of_support_where_the_change_depends_on_the_anchor_too) {
  EXPECT_GT(
      oos_error([](double a, double b) { return 2 * a * b; }, [](double a, double b) { return a * a - b; }),
      0.3);
}

TEST(Equivariant, the_same_difference_from_another_anchor_is_the_same_change) {
  const Program program = find_model("equivariant").program({3, 2, {}}, {.layers = 3, .width = 8});
  const auto engine = make_engine(program, {initial_parameters(program, 5)});
  const Matrix<float> delta(2, 3, std::vector<float>{0.1f, -2, 3, 0.1f, -2, 3});
  const Matrix<float> anchor_output(2, 2, std::vector<float>{1, 2, 11, 22});
  Matrix<float> y(2, 2);
  engine->forward(0, {.rows = 2, .query = {}, .anchor = {}, .delta = delta, .anchor_output = anchor_output},
                  y);
  EXPECT_NEAR(y(1, 0) - y(0, 0), 10, float_tolerance);
  EXPECT_NEAR(y(1, 1) - y(0, 1), 20, float_tolerance);
  EXPECT_GT(std::abs(y(0, 0) - 1), 1e-3);
}

}  // namespace
}  // namespace kedge
