#include "cli/diagnosis_page.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "cli/diagnosis_figures.h"
#include "cli/findings.h"
#include "cli/prose.h"
#include "cli/verdict_looks.h"
#include "kedge/core/format.h"

namespace kedge {
namespace {

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : ""; }

const char* meaning(Verdict verdict) {
  switch (verdict) {
    case Verdict::interpolation:
      return "among the training rows";
    case Verdict::reachable:
      return "outside, by a difference that was seen";
    case Verdict::edge:
      return "outside, by nearly such a difference";
    case Verdict::unreachable:
      return "no difference that was seen leads there";
    case Verdict::undetermined:
      return "nothing can be said";
  }
  return "";
}

/// With as many digits as tell the ends apart.
std::string range_text(double low, double high) {
  const double size = std::max(std::abs(low), std::abs(high)), width = high - low;
  const int digits = width > 0 ? std::clamp(static_cast<int>(std::log10(size / width)) + 5, 5, 15) : 5;
  return fmt::format("{:.{}g} to {:.{}g}", low, digits, high, digits);
}

/// The columns that a page and a terminal have in common.
TextTable error_table(const Diagnosis& d) {
  TextTable table{.columns = {{"verdict"}, {"queries", Align::right}, {"expected error", Align::right}}};
  if (d.errors)
    for (const char* heading : {"true error", "RMSE", "R²"}) table.columns.push_back({heading, Align::right});
  for (const VerdictSummary& s : d.verdicts) {
    const GroupErrors errors = errors_of(d, s.verdict);
    std::vector<TextCell> row = {
        {to_text(s.verdict), s.count == 0 ? Emphasis::muted : emphasis_of(s.verdict)},
        std::to_string(s.count),
        number(s.expected_error)};
    if (d.errors) {
      row.push_back(number(errors.mean));
      row.push_back(number(errors.rmse));
      row.push_back(std::isfinite(errors.r_squared) ? fmt::format("{:.3g}", errors.r_squared) : "");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

template <class Text>
void add_column(TextTable& table, const Diagnosis& d, TextColumn column, const Text& text) {
  table.columns.push_back(std::move(column));
  for (size_t i = 0; i < d.verdicts.size(); ++i) table.rows[i].push_back(text(d.verdicts[i]));
}

void add_meanings(TextTable& table, const Diagnosis& d) {
  add_column(table, d, {"meaning"},
             [](const VerdictSummary& s) { return TextCell(meaning(s.verdict), Emphasis::muted); });
}

void add_spread(TextTable& table, const Diagnosis& d) {
  add_column(table, d, {"spread", Align::right},
             [](const VerdictSummary& s) { return TextCell(number(s.spread)); });
}

}  // namespace

TextTable verdict_table(const Diagnosis& d) {
  TextTable table = error_table(d);
  add_spread(table, d);
  add_column(table, d, {"support distance", Align::right},
             [](const VerdictSummary& s) { return TextCell(number(s.support_distance)); });
  add_column(table, d, {"delta distance", Align::right},
             [](const VerdictSummary& s) { return TextCell(number(s.delta_distance)); });
  add_meanings(table, d);
  return table;
}

TextTable narrow_verdict_table(const Diagnosis& d) {
  TextTable table = error_table(d);
  if (d.errors)
    add_spread(table, d);
  else
    add_meanings(table, d);
  return table;
}

TextTable range_table(const Diagnosis& d) {
  TextTable table{.columns = {{"column"},
                              {"training", Align::right},
                              {"queries", Align::right},
                              {"outside", Align::right},
                              {"furthest", Align::right}}};
  for (const ColumnRange& c : d.columns)
    table.rows.push_back({c.name,
                          range_text(c.training_low, c.training_high),
                          range_text(c.query_low, c.query_high),
                          {fmt::format("{} of {}", c.outside, d.predictions.rows()),
                           c.outside > 0 ? Emphasis::strong : Emphasis::muted},
                          c.outside > 0 ? fmt::format("{:+.4g}", c.furthest) : ""});
  if (d.combinations > 0)
    table.rows.push_back(
        {"combination", "", "", fmt::format("{} of {}", d.combinations, d.predictions.rows()), ""});
  return table;
}

Page diagnosis_page(const Diagnosis& d, const Predictor& predictor, const Table& queries,
                    const StoredCoverage& coverage, const DiagnosisSource& source) {
  Page page{
      .title = "Can these queries be extrapolated to?",
      .conclusion = conclusion(d, source.context),
      .intro = fmt::format("{} of {} against {}, a {} model of {} rows.",
                           counted(queries.rows() + d.unanswered, "query", "queries"), source.context.queries,
                           source.context.model, predictor.options().model, predictor.training_rows()),
      .sections = {{"Verdicts", {verdict_table(d)}}},
      .provenance = {.command = source.command, .version = version()}};
  if (coverage.errors.is_known() || d.errors) page.sections.push_back({"Errors", {error_figure(d)}});
  page.sections.push_back({"Where the queries lie", {map_figure(d, predictor, queries)}});
  page.sections.push_back({"Columns", {range_figure(d, queries), range_table(d)}});
  if (!coverage.delta_quantiles.empty() && predictor.program().uses_anchor())
    page.sections.push_back({"Differences", {difference_figure(d, coverage)}});
  page.sections.push_back({"What to do next", {ItemList{next_steps(d, source.context)}}});
  return page;
}

}  // namespace kedge
