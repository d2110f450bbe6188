#include "cli/diagnosis_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>

#include "cli/findings.h"
#include "cli/output.h"
#include "cli/prose.h"
#include "kedge/core/format.h"

namespace kedge {
namespace {

/// What errors are errors of.
std::string of_outputs(const Diagnosis& d) {
  const std::vector<std::string>& outputs = d.predictions.outputs;
  return outputs.size() == 1 ? "in " + code(outputs[0]) : fmt::format("over {} outputs", outputs.size());
}

/// ", with an error of about 0.3"; empty where nothing is known.
std::string with_error(std::string_view before, double expected) {
  return std::isfinite(expected) ? fmt::format("{}an error of about {}", before, rough(expected)) : "";
}

/// Whether a constant would do as well.
bool says_little(const Findings& found, const DiagnosisContext& context) {
  return context.output_scale > 0 && found.errors.expected >= context.output_scale;
}

std::string answered_words(const Diagnosis& d, const DiagnosisContext& context, const Findings& found) {
  if (found.answered == 0) return fmt::format("None of the {} queries can be answered", found.rows);
  const std::string count = found.rows == 1 ? "The query"
                            : found.answered == found.rows
                                ? fmt::format("All {} queries", found.rows)
                                : fmt::format("{} of {} queries", found.answered, found.rows);
  const double expected = found.errors.expected;
  if (says_little(found, context))
    return fmt::format(
        "{} can be reached, but an error of about {} {} is expected, where the outputs vary by {}", count,
        rough(expected), of_outputs(d), rough(context.output_scale));
  return fmt::format("{} can be answered{}", count,
                     std::isfinite(expected) ? with_error(", with ", expected) + " " + of_outputs(d) : "");
}

std::string verdict_words(const Diagnosis& d, const DiagnosisContext& context, const Findings& found) {
  if (found.unknown > 0 && found.unknown + found.unanswered == found.rows)
    return fmt::format("Whether the {} can be answered cannot be told{}.",
                       counted(found.rows, "query", "queries"),
                       with_error("; the model expects ", found.errors.expected));
  std::string text = answered_words(d, context, found);
  if (found.edge > 0)
    text +=
        fmt::format("; {} nearly{}", found.edge, with_error(", with ", errors_of(d, Verdict::edge).expected));
  if (found.beyond > 0) {
    std::vector<std::string> names;
    for (const OutsideColumn& column : found.outside) names.push_back(code(column.range->name));
    text += fmt::format("; {} {} beyond{}", found.beyond, found.beyond == 1 ? "lies" : "lie",
                        names.empty() ? " all differences that were seen" : " in " + listed(names));
  }
  if (found.unanswered > 0)
    text += fmt::format("; {} {} no answer ({} of {} says why)", found.unanswered,
                        found.unanswered == 1 ? "has" : "have", code("note"), code("kedge predict"));
  if (found.unknown > 0) text += fmt::format("; of {} nothing can be said", found.unknown);
  return text + ".";
}

std::string worst_words(const Diagnosis& d, const DiagnosisContext& context) {
  const std::vector<double>& expected = d.predictions.expected_error;
  size_t worst = expected.size(), known = 0;
  for (size_t r = 0; r < expected.size(); ++r) {
    if (!std::isfinite(expected[r])) continue;
    ++known;
    if (worst == expected.size() || expected[r] > expected[worst]) worst = r;
  }
  if (known < 2) return "";
  return fmt::format(" The worst expected error is {}{}.", rough(expected[worst]),
                     context.where ? fmt::format(" ({})", context.where(worst)) : "");
}

std::string truth_words(const Findings& found) {
  const GroupErrors& errors = found.errors;
  if (!std::isfinite(errors.mean)) return "";
  const std::string against =
      !std::isfinite(errors.expected) ? ""
      : errors.is_as_expected()       ? ": about as expected"
      : errors.is_worse_than_expected()
          ? fmt::format(": {} times what was expected", rough(errors.mean / errors.expected))
          : ": less than was expected";
  return fmt::format(" The true error{} is about {} (RMSE {}{}){}.",
                     errors.known < errors.count
                         ? fmt::format(" of the {} whose outputs are known", errors.known)
                     : found.answered == found.rows || found.answered == 0 ? ""
                                                                           : " of those that can be answered",
                     rough(errors.mean), rough(errors.rmse), r_squared_words(errors.r_squared), against);
}

/// What is said of outputs: answers beyond those of training, and how well the queries are put in order.
std::string outputs_words(const Diagnosis& d) {
  std::string words;
  if (d.beyond_outputs > 0) {
    words += fmt::format(" {} {} beyond all training outputs", counted(d.beyond_outputs, "answer", "answers"),
                         d.beyond_outputs == 1 ? "lies" : "lie");
    words += std::isnan(d.expected_error_beyond)
                 ? "."
                 : fmt::format("; where the truth does too, expect errors of about {}.",
                               rough(d.expected_error_beyond));
  }
  if (!std::isnan(d.rank_correlation))
    words += fmt::format(
        " Answers and true outputs have a rank correlation of {:.2f}; of the true top tenth {:.0f} % are "
        "among "
        "the predicted top tenth.",
        d.rank_correlation, 100 * d.top_share);
  return words;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Whether a column of plain numbers may hold an angle: by its name, or because it goes once round.
bool may_be_angle(const ColumnRange& column) {
  constexpr std::array<std::string_view, 9> words = {"angle",   "theta",   "phi",       "yaw",    "pitch",
                                                     "heading", "azimuth", "direction", "bearing"};
  const std::string name = lower(column.name);
  const double width = column.training_high - column.training_low;
  const auto is_about = [&](double turn) { return width > 0.9 * turn && width < 1.01 * turn; };
  return column.has_range && (is_about(360) || is_about(6.2832) ||
                              std::any_of(words.begin(), words.end(), [&](std::string_view word) {
                                return name.find(word) != name.npos;
                              }));
}

/// In the unit of the column, guessed by its size.
std::string angle_step(const ColumnRange& column) {
  const double largest = std::max(std::abs(column.training_low), std::abs(column.training_high));
  return fmt::format(
      "If {} is an angle, say so and fit again: {}.", code(column.name),
      code(fmt::format("--space {}", quoted(column.name + (largest > 7 ? "=degrees" : "=angle")))));
}

std::string collect_step(const Findings& found) {
  std::vector<std::string> places;
  for (const OutsideColumn& column : found.outside) {
    const ColumnRange* c = column.range;
    if (!c->has_range) continue;
    std::vector<std::string> sides;
    if (c->query_high > c->training_high)
      sides.push_back(fmt::format("above {:.4g} (queries go up to {:.4g})", c->training_high, c->query_high));
    if (c->query_low < c->training_low)
      sides.push_back(fmt::format("below {:.4g} (queries go down to {:.4g})", c->training_low, c->query_low));
    if (!sides.empty()) places.push_back(fmt::format("{} {}", code(c->name), listed(sides)));
  }
  if (places.empty())
    return "Collect rows near the queries that lie beyond, and fit again: each column reaches there, but not "
           "together.";
  return fmt::format("Collect rows with {}, and fit again.", listed(places));
}

/// What brings queries within reach.
void add_reach_steps(const Diagnosis& d, const Findings& found, std::vector<std::string>& steps) {
  const size_t out = found.beyond + found.edge;
  if (out == 0) return;
  steps.push_back(collect_step(found));
  for (const OutsideColumn& column : found.outside)
    if (may_be_angle(*column.range)) steps.push_back(angle_step(*column.range));
  if (!found.outside.empty() && d.columns.size() > 1 && 2 * found.outside[0].queries >= out)
    steps.push_back(fmt::format("If {} does not matter, leave it out and fit again: {}.",
                                code(found.outside[0].range->name),
                                code("--ignore " + quoted(found.outside[0].range->name))));
}

}  // namespace

std::string conclusion(const Diagnosis& d, const DiagnosisContext& context) {
  if (d.predictions.rows() == 0) return "There are no queries.";
  const Findings found = findings_of(d);
  return verdict_words(d, context, found) + worst_words(d, context) + truth_words(found) + outputs_words(d);
}

std::vector<std::string> next_steps(const Diagnosis& d, const DiagnosisContext& context) {
  const Findings found = findings_of(d);
  std::vector<std::string> steps;
  if (found.rows == 0) return {"Write the queries into the file, one a line, and ask again."};
  if (found.errors.is_worse_than_expected())
    steps.push_back(
        "The true errors are larger than expected: the queries differ from the training rows in a way that "
        "these do not show. Add some of the queries to the training table and fit again.");
  if (says_little(found, context) || found.unknown == found.rows || found.errors.is_worse_than_expected())
    steps.push_back(
        "Compare models on held-out outer rows and take the one that carries over best: `kedge fit --model "
        "auto`.");
  add_reach_steps(d, found, steps);
  if (!std::isfinite(found.errors.expected))
    steps.push_back(
        "Fit with `--calibration shells`, on 20 rows or more, to learn which errors are to be expected.");
  if (const size_t empty = found.beyond + found.unknown; empty > 0)
    steps.push_back(fmt::format("Leave the answers of the {} that nothing vouches for empty: {}.",
                                counted(empty, "query", "queries"),
                                code(fmt::format("kedge predict {} {} --on-unreachable nan",
                                                 quoted(context.model), quoted(context.queries)))));
  else
    steps.push_back(fmt::format("Take the answers: {}.",
                                code(fmt::format("kedge predict {} {} -o answers.csv", quoted(context.model),
                                                 quoted(context.queries)))));
  return steps;
}

}  // namespace kedge
