#pragma once

// Tables that expected errors are checked on: laws of 1 to 10 inputs, 40 to 2,000 rows, with noise. Each has
// queries outside at several distances. The law, ranges and noise were written down before any choice was
// made on them. `chosen_on` is the half that choices were made on; the other half was looked at once, after.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kedge/table/table.h"

namespace kedge {

struct ProblemInput {
  double low, high;
  bool below = true;  ///< whether queries leave the range at its low end too
};

struct ErrorProblem {
  std::string name;
  size_t rows;
  double noise;  ///< in deviations of each output
  bool chosen_on;
  std::vector<ProblemInput> inputs;
  size_t outputs;
  std::function<void(std::span<const double> x, std::span<double> y)> law;

  Table training(uint64_t seed) const;
  Table inside(size_t count, uint64_t seed) const;
  /// `count` queries with one or two inputs out of range by this share of their range.
  Table outside(double distance, size_t count, uint64_t seed) const;
};

const std::vector<ErrorProblem>& error_problems();

}  // namespace kedge
