// Predictions of a model file by the C++ library, which bench/python.py compares with: its answers, then the
// times of all rows at once and of one row alone, a reading for each round.
//
// Usage: bulk <model file> <rows: doubles, row by row> <answers to write> <rounds>

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kedge/core/error.h"
#include "kedge/predictor/predictor.h"
#include "timing.h"

namespace kedge {
namespace {

constexpr size_t single_rows = 500;

std::vector<double> read_doubles(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw Error("bench", fmt::format("needs rows; found no file {}", path));
  std::vector<double> values(static_cast<size_t>(file.tellg()) / sizeof(double));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(double)));
  return values;
}

void run(const std::string& model, const std::string& queries, const std::string& answers, int rounds) {
  const Predictor predictor = Predictor::load(model);
  const size_t inputs = predictor.inputs().size();
  const std::vector<double> values = read_doubles(queries);
  const MatrixView<const double> rows(values.data(), values.size() / inputs, inputs);
  const PredictOptions options{.judging = Judging::none}, alone{.judging = Judging::none, .threads = 1};
  const Predictions first = predictor.predict(rows, options);
  std::ofstream(answers, std::ios::binary)
      .write(reinterpret_cast<const char*>(first.y.data()),
             static_cast<std::streamsize>(first.y.values().size() * sizeof(double)));

  std::vector<double> bulk, row;
  for (int round = 0; round < rounds; ++round) {
    const Stopwatch all;
    predictor.predict(rows, options);
    bulk.push_back(all.seconds());
    const Stopwatch single;
    for (size_t r = 0; r < single_rows; ++r)
      predictor.predict(MatrixView<const double>(rows.row(r).data(), 1, inputs), alone);
    row.push_back(single.seconds() / static_cast<double>(single_rows));
  }
  fmt::print("{}\n", nlohmann::json{{"bulk_s", bulk}, {"row_s", row}}.dump());
}

}  // namespace
}  // namespace kedge

int main(int count, char** arguments) {
  if (count != 5) {
    fmt::print(stderr, "needs a model file, rows, a file for answers, and rounds; found {} arguments\n",
               count - 1);
    return 1;
  }
  try {
    kedge::run(arguments[1], arguments[2], arguments[3], std::max(1, std::atoi(arguments[4])));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
