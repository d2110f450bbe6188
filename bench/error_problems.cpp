#include "bench/error_problems.h"

#include <algorithm>
#include <cmath>

#include "kedge/core/rng.h"
#include "kedge/core/score.h"

namespace kedge {
namespace {

using X = std::span<const double>;
using Y = std::span<double>;

std::vector<double> drawn(const ErrorProblem& p, Rng& rng) {
  std::vector<double> x;
  for (const ProblemInput& input : p.inputs) x.push_back(rng.uniform(input.low, input.high));
  return x;
}

/// Deviation of each output over the training ranges.
std::vector<double> deviations(const ErrorProblem& p) {
  Rng rng(77, Stream::domain);
  std::vector<std::vector<double>> values(p.outputs);
  std::vector<double> y(p.outputs);
  for (int i = 0; i < 2000; ++i) {
    p.law(drawn(p, rng), y);
    for (size_t k = 0; k < y.size(); ++k) values[k].push_back(y[k]);
  }
  std::vector<double> found;
  for (const auto& output : values) found.push_back(deviation(output));
  return found;
}

double gauss(Rng& rng) {
  return std::sqrt(-2 * std::log(1 - rng.uniform())) * std::cos(2 * std::acos(-1.0) * rng.uniform());
}

Table measured(const ErrorProblem& p, const std::vector<std::vector<double>>& rows, Rng& rng) {
  const std::vector<double> scale = deviations(p);
  const size_t inputs = p.inputs.size();
  std::vector<Column> columns;
  for (size_t c = 0; c < inputs + p.outputs; ++c)
    columns.push_back({.name = (c < inputs ? "x" : "y") + std::to_string(c < inputs ? c : c - inputs),
                       .role = c < inputs ? Role::input : Role::output,
                       .values = {},
                       .words = {}});
  std::vector<double> y(p.outputs);
  for (const std::vector<double>& x : rows) {
    p.law(x, y);
    for (size_t c = 0; c < inputs; ++c) columns[c].values.push_back(x[c]);
    for (size_t k = 0; k < p.outputs; ++k)
      columns[inputs + k].values.push_back(y[k] + p.noise * scale[k] * gauss(rng));
  }
  Table table(p.name);
  for (Column& column : columns) table.add(std::move(column));
  return table;
}

void pump(X x, Y y) { y[0] = 30 * x[1] * x[1] - 12 * x[0] * x[0] + 4 * x[0] * x[1]; }
void uptake(X x, Y y) { y[0] = x[1] * x[0] / (1 + x[0]); }
void cooling(X x, Y y) { y[0] = 20 + 60 * std::exp(-x[0]); }
void planar_arm(X x, Y y) {
  y[0] = std::cos(x[0]) + 0.7 * std::cos(x[0] + x[1]);
  y[1] = std::sin(x[0]) + 0.7 * std::sin(x[0] + x[1]);
}
void cubic(X x, Y y) { y[0] = x[0] * x[0] * x[0] - x[0] + 0.5 * x[1]; }
void weighted_sum(X x, Y y) {
  y[0] = 0;
  for (size_t c = 0; c < x.size(); ++c) y[0] += (static_cast<double>(c) - 3) * x[c];
}
void wave(X x, Y y) { y[0] = std::sin(5 * x[0]) + 0.3 * x[0]; }
void output_of_work(X x, Y y) { y[0] = std::pow(x[0], 0.6) * std::pow(x[1], 0.4) / x[2]; }
void lens(X x, Y y) { y[0] = 1 / (1 / x[0] - 1 / x[1]); }
void mixture(X x, Y y) { y[0] = std::tanh(2 * x[0] - x[1]) + 0.5 * x[2] * x[3]; }

void drag(X x, Y y) { y[0] = 0.5 * x[0] * x[0] * x[1]; }
void growth(X x, Y y) { y[0] = 10 / (1 + 20 * std::exp(-x[1] * x[0])); }
void torque(X x, Y y) {
  y[0] = 3 * std::cos(x[0]) + 1.5 * std::cos(x[0] + x[1]) + 0.5 * std::cos(x[0] + x[1] + x[2]);
  y[1] = 1.5 * std::cos(x[0] + x[1]) + 0.5 * std::cos(x[0] + x[1] + x[2]);
}
void sag(X x, Y y) { y[0] = x[0] * x[1] * x[1] * x[1] / x[2]; }
void period(X x, Y y) { y[0] = 2 * std::sqrt(x[0]) * (1 + x[1] * x[1] / 16); }
void many_parts(X x, Y y) {
  y[0] = 10 * std::sin(3.1416 * x[0] * x[1]) + 20 * (x[2] - 0.5) * (x[2] - 0.5) + 10 * x[3] + 5 * x[4];
}
void kink(X x, Y y) { y[0] = std::max(0.0, x[0] - 0.5) * (1 + x[1]) + 0.2 * x[1]; }
void loudness(X x, Y y) { y[0] = std::log(x[0]) + 0.2 * x[1]; }
void ripple(X x, Y y) { y[0] = x[0] + std::cos(4 * x[0]); }
void pressure(X x, Y y) { y[0] = x[0] / (x[1] - 0.1) - 0.3 / (x[1] * x[1]); }

std::vector<ErrorProblem> made() {
  const std::vector<ProblemInput> eight(8, {-1, 1}), ten(10, {0, 1});
  const ProblemInput unit{0, 1};
  return {{"pump", 40, 0.02, true, {{0.2, 1.5, false}, {0.5, 1.5, false}}, 1, pump},
          {"uptake", 60, 0.02, true, {{0.1, 3, false}, {1, 2}}, 1, uptake},
          {"cooling", 200, 0.01, true, {{0, 2}}, 1, cooling},
          {"planar-arm", 300, 0.01, true, {{-0.8, 0.8}, {0, 1.5}}, 2, planar_arm},
          {"cubic", 100, 0.05, true, {{-1, 1.5}, {0, 1}}, 1, cubic},
          {"weighted-sum", 500, 0.2, true, eight, 1, weighted_sum},
          {"wave", 400, 0.01, true, {{0, 5}}, 1, wave},
          {"output-of-work",
           150,
           0.02,
           true,
           {{1, 10, false}, {1, 10, false}, {0.5, 2, false}},
           1,
           output_of_work},
          {"lens", 80, 0.01, true, {{1, 2, false}, {4, 9, false}}, 1, lens},
          {"mixture", 2000, 0.05, true, {unit, unit, unit, unit}, 1, mixture},
          {"drag", 80, 0.01, false, {{1, 5, false}, {0.8, 1.4}}, 1, drag},
          {"growth", 120, 0.02, false, {{0, 4}, {0.5, 1.5}}, 1, growth},
          {"torque", 500, 0.01, false, {{-1, 1}, {-1, 1}, {-1, 1}}, 2, torque},
          {"sag", 60, 0.02, false, {{1, 3, false}, {1, 2}, {1, 3, false}}, 1, sag},
          {"period", 40, 0.01, false, {{0.5, 2, false}, {0, 1}}, 1, period},
          {"many-parts", 2000, 0.1, false, ten, 1, many_parts},
          {"kink", 200, 0.05, false, {unit, unit}, 1, kink},
          {"loudness", 100, 0.1, false, {{1, 20, false}, {0, 3}}, 1, loudness},
          {"ripple", 300, 0.02, false, {{0, 6}}, 1, ripple},
          {"pressure", 70, 0.02, false, {{1, 2}, {0.5, 2, false}}, 1, pressure}};
}

}  // namespace

Table ErrorProblem::training(uint64_t seed) const {
  Rng rng(seed, Stream::domain, 1);
  std::vector<std::vector<double>> drawn_rows;
  for (size_t r = 0; r < rows; ++r) drawn_rows.push_back(drawn(*this, rng));
  return measured(*this, drawn_rows, rng);
}

Table ErrorProblem::inside(size_t count, uint64_t seed) const {
  Rng rng(seed, Stream::domain, 2);
  std::vector<std::vector<double>> queries;
  for (size_t r = 0; r < count; ++r) queries.push_back(drawn(*this, rng));
  return measured(*this, queries, rng);
}

Table ErrorProblem::outside(double distance, size_t count, uint64_t seed) const {
  Rng rng(seed, Stream::domain, 3);
  std::vector<std::vector<double>> queries;
  for (size_t r = 0; r < count; ++r) {
    std::vector<double> x = drawn(*this, rng);
    const size_t leaving = inputs.size() > 1 ? 1 + rng.below(2) : 1, first = rng.below(inputs.size());
    for (size_t i = 0; i < leaving; ++i) {
      const size_t c = (first + i) % inputs.size();
      const ProblemInput& input = inputs[c];
      const double way = distance * (input.high - input.low);
      const bool down = input.below && rng.uniform() < 0.5;
      x[c] = down ? input.low - way : input.high + way;
    }
    queries.push_back(std::move(x));
  }
  return measured(*this, queries, rng);
}

const std::vector<ErrorProblem>& error_problems() {
  static const std::vector<ErrorProblem> problems = made();
  return problems;
}

}  // namespace kedge
