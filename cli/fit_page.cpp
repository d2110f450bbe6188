#include "cli/fit_page.h"

#include <algorithm>
#include <cmath>

#include "cli/fit_words.h"
#include "cli/output.h"
#include "cli/prose.h"
#include "kedge/core/format.h"
#include "kedge/report/parity.h"

namespace kedge {
namespace {

constexpr size_t most_own_rows = 500, most_outputs = 6;

/// Some rows of the table, evenly spread.
Table some_rows(const Table& table, size_t most) {
  std::vector<size_t> rows;
  const size_t count = std::min(most, table.rows());
  for (size_t i = 0; i < count; ++i) rows.push_back(i * table.rows() / count);
  return table.select(rows);
}

FitErrors errors_of(const FitResult& result, const Table& table) {
  FitErrors errors{.outputs = result.predictor.outputs(),
                   .output_scale = result.predictor.coverage().errors.output_scale,
                   .rehearsed = result.rehearsed};
  if (!result.rehearsed.empty()) return errors;
  const Table own = some_rows(table, most_own_rows);
  errors.truth = own.matrix(errors.outputs);
  errors.predicted = result.predictor.predict(own).y;
  return errors;
}

/// Predicted over true values of one output.
Chart parity_of(const FitErrors& fit, size_t output) {
  Chart chart{.title = fit.outputs.size() > 1 ? fit.outputs[output] : "",
              .x_label = "true " + fit.outputs[output],
              .y_label = "predicted " + fit.outputs[output]};
  Series outside{.name = "held out outside", .style = SeriesStyle::points};
  Series inside{.name = "held out inside", .style = SeriesStyle::points};
  for (const RehearsedRows& rows : fit.rehearsed)
    for (size_t r = 0; r < rows.outside.size(); ++r) {
      Series& series = rows.outside[r] ? outside : inside;
      // Of the rehearsals that hold out more, the rows inside alone tell something of the whole fit.
      if (rows.outside[r] && &rows != &fit.rehearsed.front()) continue;
      series.x.push_back(rows.truth(r, output));
      series.y.push_back(rows.predicted(r, output));
    }
  for (size_t r = 0; r < fit.truth.rows(); ++r) {
    inside.x.push_back(fit.truth(r, output));
    inside.y.push_back(fit.predicted(r, output));
  }
  if (fit.rehearsed.empty()) inside.name = "training rows";
  for (Series* series : {&inside, &outside})
    if (!series->x.empty()) chart.series.push_back(std::move(*series));
  return parity_chart(std::move(chart), ParityOf::values, "predicted is true");
}

Figure parity_figure(const FitErrors& fit) {
  Figure figure;
  for (size_t k = 0; k < std::min(fit.outputs.size(), most_outputs); ++k)
    figure.charts.push_back(parity_of(fit, k));
  figure.caption =
      fit.rehearsed.empty()
          ? "Rows that the model was fitted on: nothing was held out, so this says nothing of other rows."
          : fmt::format(
                "Rows that rehearsals of the fit did not see: at random inside, in all rehearsals, and {} of "
                "the rows.",
                fit.rehearsed.front().held_out);
  if (fit.outputs.size() > most_outputs)
    figure.caption += fmt::format(" The first {} outputs.", most_outputs);
  return figure;
}

GroupKind kind_of(const Space& space, size_t column) {
  for (const Group& group : space.groups())
    if (std::find(group.columns.begin(), group.columns.end(), static_cast<int>(column)) !=
        group.columns.end())
      return group.kind;
  return GroupKind::vector;
}

/// How far out a column may lie: as far from some training row as two of them are from each other.
std::string reach_text(GroupKind kind, double low, double high) {
  if (kind == GroupKind::angle || kind == GroupKind::rotation) return "has no ends";
  if (kind == GroupKind::log) return fmt::format("{:.4g} to {:.4g}", low * (low / high), high * (high / low));
  return fmt::format("{:.4g} to {:.4g}", low - (high - low), high + (high - low));
}

TextTable reach_table(const Predictor& predictor, const Table& table) {
  TextTable reach{.columns = {{"column"}, {"training", Align::right}, {"reach at most", Align::right}}};
  for (size_t c = 0; c < predictor.inputs().size(); ++c) {
    const std::vector<double>& values = table.column(predictor.inputs()[c]).values;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    reach.rows.push_back({predictor.inputs()[c], fmt::format("{:.4g} to {:.4g}", *low, *high),
                          reach_text(kind_of(predictor.encoder().space(), c), *low, *high)});
  }
  return reach;
}

Section reach_section(const Predictor& predictor, const Table& table) {
  return {
      "Reach",
      {Paragraph{
           predictor.program().uses_anchor()
               ? "A query is reached from a training row by a difference that two training rows have. So a "
                 "column reaches at most as far beyond its range as its range is wide, and columns that "
                 "are outside together reach less."
               : "This model uses no differences: beyond the training range it goes on as it happens to."},
       reach_table(predictor, table)}};
}

}  // namespace

Page fit_page(const FitResult& result, const Table& table, const FitSource& source) {
  const Predictor& predictor = result.predictor;
  const FitErrors errors = errors_of(result, table);
  Page page{
      .title = "How far can this model be trusted?",
      .conclusion = fit_conclusion(errors),
      .intro = fmt::format("{}, a {} model of {} rows of {}; {} shows every option of the fit.",
                           code(source.model), predictor.options().model, predictor.training_rows(),
                           code(source.train), code("kedge info " + quoted(source.model))),
      .sections = {{"Predicted and true", {parity_figure(errors)}}},
      .provenance = {.command = source.command, .version = version(), .seeds = {predictor.options().seed}}};
  if (!errors.rehearsed.empty())
    page.sections.push_back({"Rehearsals",
                             {Paragraph{"Each rehearsal held rows out, fitted the others with a part of the "
                                        "steps, and answered the rows "
                                        "that it had not seen. The expected error is that of the whole fit, "
                                        "which is trained longer; it "
                                        "is an expectation, not a bound."},
                              rehearsal_table(errors)}});
  page.sections.push_back(reach_section(predictor, table));
  page.sections.push_back(
      {"What to do next", {ItemList{fit_next_steps(errors, source.model, source.train)}}});
  return page;
}

}  // namespace kedge
