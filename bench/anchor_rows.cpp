// What it costs that some rows only of a large table serve as anchors: errors out of support, distances of
// differences and processor time of one thread with 1,000, 2,000, 4,000 and all rows. The networks are the
// same, since training uses all rows. Writes bench/results/anchor_rows.csv.

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <fstream>

#include "kedge/core/error.h"
#include "kedge/core/rng.h"
#include "kedge/core/score.h"
#include "kedge/predictor/fit.h"

namespace kedge {
namespace {

constexpr size_t rows = 20000, queries = 1000, most_columns = 30;
constexpr uint64_t steps = 20000;

/// Inputs of a row and its output. `reach` is how far out the first three hidden numbers go.
struct Problem {
  std::string name;
  size_t columns, hidden;

  Table sample(size_t count, double reach, uint64_t seed) const {
    Rng rng(seed, Stream::domain);
    Table table(name);
    std::vector<std::vector<double>> values(columns + 1);
    for (size_t r = 0; r < count; ++r) {
      double h[most_columns];
      for (size_t i = 0; i < hidden; ++i) h[i] = rng.normal();
      for (size_t i = 0; i < 3; ++i) h[i] += std::copysign(reach, h[i]);
      for (size_t c = 0; c < columns; ++c) values[c].push_back(hidden == columns ? h[c] : mixed(h, c));
      double y = std::sin(h[0]) + 0.5 * h[1] * h[2] + 0.3 * h[3] * h[3];
      for (size_t i = 0; i < std::min<size_t>(8, hidden); ++i) y += 0.2 * h[i];
      values[columns].push_back(y);
    }
    for (size_t c = 0; c <= columns; ++c)
      table.add({.name = fmt::format("c{}", c),
                 .role = c < columns ? Role::input : Role::output,
                 .values = values[c],
                 .words = {}});
    return table;
  }

  /// One of many columns that follow few hidden numbers.
  double mixed(const double* h, size_t column) const {
    double sum = 0;
    for (size_t i = 0; i < hidden; ++i) sum += std::cos(1.0 + static_cast<double>(3 * column + 7 * i)) * h[i];
    return sum + 0.2 * std::sin(sum);
  }
};

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void measure(const Problem& problem, std::ofstream& csv) {
  const Table table = problem.sample(rows, 0, 1), asked = problem.sample(queries, 1, 2);
  FitOptions options = preset_options("default", "bilinear");
  options.architecture.fourier = Fourier::off;
  options.training.steps = steps;
  options.replicas = 1;
  double all_error = 0, all_distance = 0;
  for (size_t serving : {size_t{0}, size_t{4000}, size_t{2000}, size_t{1000}}) {
    options.anchor_rows = serving;
    const Predictor predictor = fit_model({table, options}, {.threads = 1}).predictor;
    predictor.predict(asked.select({0}), {.threads = 1});  // builds the index
    const double start = processor_seconds();
    const Predictions answers = predictor.predict(asked, {.threads = 1});
    const double taken = processor_seconds() - start;
    const double error = root_mean_square(distances(answers.y, asked.matrix(predictor.outputs())));
    const double distance = mean(answers.delta_distance);
    if (serving == 0) {
      all_error = error;
      all_distance = distance;
    }
    csv << fmt::format("{},{},{},{},{:.4f},{:.3f},{:.4f},{:.3f},{:.3f}\n", problem.name, problem.columns,
                       rows, serving == 0 ? rows : serving, error, error / all_error, distance,
                       distance / all_distance, 1e3 * taken / queries)
        << std::flush;
  }
}

void run() {
  std::ofstream csv(std::string(KEDGE_SOURCE_DIR) + "/bench/results/anchor_rows.csv");
  csv << "data,columns,rows,anchors,error,error_over_all,delta_distance,delta_distance_over_all,query_ms\n";
  measure({"independent columns", 30, 30}, csv);
  measure({"columns of 5 hidden numbers", 12, 5}, csv);
  if (!csv) throw Error("bench", "bench/results/anchor_rows.csv could not be written");
}

}  // namespace
}  // namespace kedge

int main() {
  try {
    kedge::run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
