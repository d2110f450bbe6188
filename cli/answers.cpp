#include "cli/answers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kedge/core/error.h"
#include "kedge/core/format.h"

namespace kedge {
namespace {

constexpr std::array<const char*, 4> whole_columns = {"admissible_anchors", "anchor", "analog_query",
                                                      "analog_anchor"};

std::vector<double> as_numbers(const std::vector<int64_t>& rows) {
  std::vector<double> numbers;
  for (int64_t row : rows)
    numbers.push_back(row == Predictions::none ? std::numeric_limits<double>::quiet_NaN()
                                               : static_cast<double>(row));
  return numbers;
}

/// The notes of the rows, the empty one first.
std::pair<std::vector<double>, std::vector<std::string>> as_words(const Predictions& p) {
  std::vector<double> rows(p.rows());
  std::vector<std::string> words = {""};
  for (size_t r = 0; r < p.note.size(); ++r) {
    if (p.note[r].empty()) continue;
    rows[r] = static_cast<double>(words.size());
    words.push_back(p.note[r]);
  }
  return {std::move(rows), std::move(words)};
}

}  // namespace

bool counts_rows(const std::string& column) {
  return std::find(whole_columns.begin(), whole_columns.end(), column) != whole_columns.end();
}

Table answer_table(const Predictions& p, std::vector<Column> kept) {
  Table table("predictions");
  for (Column& column : kept) table.add(std::move(column));
  const auto add = [&](std::string name, Role role, std::vector<double> values,
                       std::vector<std::string> words = {}) {
    // A target may have one of our own names, a kept column that of a target.
    while (table.has(name)) name = "kedge_" + name;
    table.add({.name = name, .role = role, .values = std::move(values), .words = std::move(words)});
  };
  for (size_t k = 0; k < p.outputs.size(); ++k) {
    std::vector<double> values(p.rows());
    for (size_t r = 0; r < values.size(); ++r) values[r] = p.y(r, k);
    add(p.outputs[k], Role::output, std::move(values));
  }
  std::vector<std::string> words;
  for (Verdict verdict : all_verdicts) words.push_back(to_text(verdict));
  std::vector<double> verdicts;
  for (Verdict verdict : p.verdict) verdicts.push_back(static_cast<double>(verdict));
  add("verdict", Role::ignored, std::move(verdicts), std::move(words));
  add("expected_error", Role::ignored, p.expected_error);
  add("expected_error_beyond", Role::ignored, p.expected_error_beyond);
  add("spread", Role::ignored, p.spread);
  add("support_distance", Role::ignored, p.support_distance);
  add("delta_distance", Role::ignored, p.delta_distance);
  add("delta_percentile", Role::ignored, p.delta_percentile);
  add("admissible_anchors", Role::ignored, as_numbers(p.admissible_anchors));
  add("anchor", Role::ignored, as_numbers(p.anchor));
  add("analog_query", Role::ignored, as_numbers(p.analog_query));
  add("analog_anchor", Role::ignored, as_numbers(p.analog_anchor));
  const auto add_departures = [&](const char* name, const std::vector<std::vector<Departure>>& by_row,
                                  const std::vector<std::string>& columns) {
    std::vector<std::string> reasons = {""};
    std::vector<double> reason_of;
    for (const std::vector<Departure>& departures : by_row) {
      if (!departures.empty()) reasons.push_back(to_text(departures, columns));
      reason_of.push_back(departures.empty() ? 0 : static_cast<double>(reasons.size() - 1));
    }
    add(name, Role::ignored, std::move(reason_of), std::move(reasons));
  };
  add_departures("outside", p.outside, p.inputs);
  add_departures("outputs_outside", p.outputs_outside, p.outputs);
  auto [notes, texts] = as_words(p);
  add("note", Role::ignored, std::move(notes), std::move(texts));
  return table;
}

Json outside_json(const std::vector<Departure>& departures, const std::vector<std::string>& inputs) {
  Json list = Json::array();
  for (const Departure& one : departures)
    list.push_back({{"column", one.is_combination() ? Json() : Json(inputs[one.column])},
                    {"amount", number_or_null(one.amount)},
                    {"relative", number_or_null(one.relative)}});
  return list;
}

void declare(const Command& sub, ThresholdFlags& flags) {
  const std::string group = "Thresholds of the verdict";
  sub.add_option("--support-radius", flags.support_radius,
                 "Largest support_distance of interpolation, instead of the model's")
      .type_name("R")
      .group(group);
  sub.add_option("--delta-radius", flags.delta_radius,
                 "Largest delta_distance of reachable, instead of the model's")
      .type_name("R")
      .group(group);
  sub.add_option("--edge-factor", flags.edge_factor, "The edge ends at this many delta radii (default: 2)")
      .type_name("F")
      .group(group);
}

std::optional<Thresholds> thresholds_of(const ThresholdFlags& flags, const Predictor& predictor) {
  if (!flags.support_radius && !flags.delta_radius && !flags.edge_factor) return std::nullopt;
  const auto require = [](const std::optional<double>& value, const char* name, double least) {
    if (value && !(std::isfinite(*value) && *value >= least && *value > 0))
      throw Error("options",
                  fmt::format("{} needs a number {}; found {}; take a number in that range", name,
                              least > 0 ? fmt::format("of at least {}", least) : "above 0", *value));
  };
  require(flags.support_radius, "--support-radius", 0);
  require(flags.delta_radius, "--delta-radius", 0);
  require(flags.edge_factor, "--edge-factor", 1);
  Thresholds thresholds = predictor.coverage().thresholds;
  thresholds.support_radius = flags.support_radius.value_or(thresholds.support_radius);
  thresholds.delta_radius = flags.delta_radius.value_or(thresholds.delta_radius);
  thresholds.edge_factor = flags.edge_factor.value_or(thresholds.edge_factor);
  return thresholds;
}

}  // namespace kedge
