// One answer with a given anchor, as a control loop asks for it: its numbers held to those of a bulk
// prediction, then its time on one core.
//
// Usage: row [rounds]

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "kedge/core/error.h"
#include "kedge/core/rng.h"
#include "kedge/kernels/kernels.h"
#include "kedge/predictor/row_predictor.h"
#include "kedge/trials/fit.h"
#include "result.h"
#include "timing.h"

namespace kedge {
namespace {

constexpr size_t inputs = 10, outputs = 4, rows = 1000, queries = 200;
constexpr double reading_seconds = 0.2;

Table random_table() {
  Rng rng(1, Stream::domain);
  Table table("rows");
  for (size_t c = 0; c < inputs + outputs; ++c) {
    Column column{.name = fmt::format("c{}", c), .role = c < inputs ? Role::input : Role::output};
    for (size_t r = 0; r < rows; ++r) column.values.push_back(rng.uniform(-1, 1));
    table.add(std::move(column));
  }
  return table;
}

void run(int rounds) {
  const Table table = random_table();
  FitOptions options;
  options.architecture = {.layers = 3, .width = 32, .embedding = 32};
  options.training.steps = 100;
  const Predictor predictor = fit({table, options}, {.threads = 1}).predictor;
  const Matrix<double> asked = table.matrix(predictor.inputs());
  RowPredictor one(predictor);
  std::vector<double> y(outputs);

  std::vector<uint32_t> anchors;
  Matrix<double> some(queries, inputs);
  for (size_t q = 0; q < queries; ++q) {
    anchors.push_back(static_cast<uint32_t>(rows - 1 - q));
    std::copy_n(asked.row(q).begin(), inputs, some.row(q).begin());
  }
  const Predictions bulk = predictor.predict(some, {.anchor_rows = anchors});
  for (size_t q = 0; q < queries; ++q) {
    one.predict(some.row(q), anchors[q], y);
    for (size_t k = 0; k < outputs; ++k)
      if (y[k] != bulk.y(q, k))
        throw Error("bench", fmt::format("row {} differs from the bulk prediction", q));
  }

  std::vector<double> microseconds;
  for (int round = 0; round < rounds; ++round) {
    size_t asked_rows = 0;
    const Stopwatch watch;
    while (watch.seconds() < reading_seconds)
      for (size_t q = 0; q < queries; ++q, ++asked_rows) one.predict(some.row(q), anchors[q], y);
    microseconds.push_back(1e6 * watch.seconds() / static_cast<double>(asked_rows));
  }
  fmt::print("one row with a given anchor, {} inputs, {} outputs, three layers of 32: {:.2f} us\n", inputs,
             outputs, median(microseconds));
  const std::string path = write_result("row", fmt::format("build/release/bench/row {}", rounds),
                                        {{"kernels", kernels().name},
                                         {"inputs", inputs},
                                         {"outputs", outputs},
                                         {"layers", 3},
                                         {"width", 32},
                                         {"rounds", rounds},
                                         {"row_us", median(microseconds)}});
  fmt::print("written: {}\n", path);
}

}  // namespace
}  // namespace kedge

int main(int count, char** arguments) {
  try {
    kedge::run(count > 1 ? std::max(1, std::atoi(arguments[1])) : 15);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
