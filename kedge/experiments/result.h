#pragma once

// Result: what an experiment found, a table or a figure of the paper or of our own, with the published value
// beside ours in every cell that has one. Kept as results/<id>.json.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kedge/report/svg.h"

namespace kedge {

/// A mean with its deviation, over `n` values.
struct Measured {
  double mean = 0;
  double sd = 0;
  size_t n = 0;  ///< 0 where it is not told: published values
};

/// Mean and deviation of the values; NaN of none.
Measured measured(const std::vector<double>& values);

/// "0.013 ± 0.007"; of one value "0.013".
std::string to_text(const Measured& measured);

struct Cell {
  std::string row, column;
  std::string preset;  ///< of the fits; empty where there is none
  std::string split;   ///< "in" or "oos"
  std::optional<Measured> published;
  Measured ours;
  size_t failed = 0;  ///< fits that diverged: `ours` is of the others
  /// Whether `ours` is the error of a method, to be compared with those of the other methods of its row.
  bool contends = false;
};

/// Ours as text, with what diverged: "0.013 ± 0.007, 1 fit diverged"; "diverged" when nothing else is there.
std::string ours_text(const Cell& cell);

/// "agrees" when ours is within the published mean ± its deviation, else "lower" or "higher"; empty without
/// one.
std::string agreement(const Cell& cell);

/// The agreement with ours over the published mean, "higher, 1.7 times"; empty without a published value.
std::string agreement_text(const Cell& cell);

struct Result {
  std::string id, title;
  std::string command, version;
  std::string build;                  ///< see kedge/jobs/build.h
  std::string numerics;               ///< see kedge/jobs/numerics.h; empty in results of older programs
  std::vector<std::string> machines;  ///< that its jobs ran on
  std::vector<uint64_t> seeds;
  std::vector<std::string>
      notes;  ///< what a reader must know: sizes that are missing, choices that were ours
  std::vector<Cell> cells;
  std::vector<Chart> charts;
};

/// Adds a cell that contends.
void add_contender(Cell cell, Result& result);

std::string to_json(const Result& result);
/// Throws Error, naming `source`, on text that is no result.
Result result_from_json(const std::string& text, const std::string& source);

/// A chart's numbers as CSV: series, x, y; "part" tells series of one name apart, "value" is a colour.
std::string to_csv(const Chart& chart);

}  // namespace kedge
