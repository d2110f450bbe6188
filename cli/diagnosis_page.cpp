#include "cli/diagnosis_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

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

/// Green and blue for what can be answered, red for what cannot.
const char* color_of(Verdict verdict) {
  constexpr std::array<const char*, all_verdicts.size()> colors = {"#1b8a4b", "#2f6fd0", "#e08a00", "#c9302c",
                                                                   "#8a8a8a"};
  return colors[static_cast<size_t>(verdict)];
}

/// With as many digits as tell the ends apart.
std::string range_text(double low, double high) {
  const double size = std::max(std::abs(low), std::abs(high)), width = high - low;
  const int digits = width > 0 ? std::clamp(static_cast<int>(std::log10(size / width)) + 5, 5, 15) : 5;
  return fmt::format("{:.{}g} to {:.{}g}", low, digits, high, digits);
}

/// One series a verdict, in a fixed order, so that a verdict has one colour in all charts.
template <class Point>
void add_by_verdict(Chart& chart, const Diagnosis& d, const Point& point) {
  for (Verdict verdict : all_verdicts) {
    Series series{.color = color_of(verdict), .style = SeriesStyle::points};
    for (size_t r = 0; r < d.predictions.rows(); ++r) {
      if (d.predictions.verdict[r] != verdict) continue;
      const auto [x, y] = point(r);
      series.x.push_back(x);
      series.y.push_back(y);
    }
    if (!series.x.empty()) series.name = to_text(verdict);
    chart.series.push_back(std::move(series));
  }
}

Series training_series(const std::vector<double>& x, const std::vector<double>& y) {
  return {.name = "training", .x = x, .y = y, .color = "currentColor", .style = SeriesStyle::points};
}

std::vector<double> column_of(const Matrix<double>& matrix, size_t column) {
  std::vector<double> values;
  for (size_t r = 0; r < matrix.rows(); ++r) values.push_back(matrix(r, column));
  return values;
}

/// Where the queries lie: along two leading axes, or one input against the first output.
Figure map_figure(const Diagnosis& d, const Predictor& predictor, const Table& queries) {
  const bool one_input = predictor.inputs().size() == 1 && predictor.encoder().space().is_linear();
  if (!one_input) {
    const bool flat = d.training_map.cols() > 1;
    Chart chart{.x_label = "first leading axis", .y_label = flat ? "second leading axis" : ""};
    const auto second = [&](const Matrix<double>& map, size_t r) { return flat ? map(r, 1) : 0.0; };
    add_by_verdict(chart, d, [&](size_t r) { return std::pair(d.query_map(r, 0), second(d.query_map, r)); });
    std::vector<double> y;
    for (size_t r = 0; r < d.training_map.rows(); ++r) y.push_back(second(d.training_map, r));
    chart.series.push_back(training_series(column_of(d.training_map, 0), y));
    return {{chart},
            "Queries and training rows along the axes in which the training rows vary most, in "
            "deviations. Two axes of many: what overlaps here may still be far apart."};
  }
  const std::string& name = predictor.inputs()[0];
  Chart chart{.x_label = name, .y_label = predictor.outputs()[0]};
  const std::vector<double>& x = queries.column(name).values;
  add_by_verdict(chart, d, [&](size_t r) { return std::pair(x[r], d.predictions.y(r, 0)); });
  std::vector<double> training(predictor.training_rows());
  for (size_t r = 0; r < training.size(); ++r)
    predictor.encoder().space().to_row(predictor.training_points().row(r), {&training[r], 1});
  chart.series.push_back(training_series(training, column_of(predictor.training_outputs(), 0)));
  return {{chart}, "Predictions by verdict, and the training rows."};
}

Figure range_figure(const Diagnosis& d, const Table& queries) {
  Chart chart{.x_label = "input column", .y_label = "place in the training range, 0 to 1"};
  for (Verdict verdict : all_verdicts) {
    Series series{.color = color_of(verdict), .style = SeriesStyle::points};
    for (size_t c = 0; c < d.columns.size(); ++c) {
      const ColumnRange& range = d.columns[c];
      const double width = range.training_high - range.training_low;
      if (!(width > 0) || !range.has_range) continue;
      for (size_t r = 0; r < d.predictions.rows(); ++r) {
        if (d.predictions.verdict[r] != verdict) continue;
        series.x.push_back(static_cast<double>(c + 1));
        series.y.push_back((queries.column(range.name).values[r] - range.training_low) / width);
      }
    }
    if (!series.x.empty()) series.name = to_text(verdict);
    chart.series.push_back(std::move(series));
  }
  const double last = static_cast<double>(d.columns.size()) + 0.5;
  for (double edge : {0.0, 1.0})
    chart.series.push_back({.name = edge == 0 ? "training range" : "",
                            .x = {0.5, last},
                            .y = {edge, edge},
                            .color = "currentColor",
                            .style = SeriesStyle::dashes});
  return {{chart},
          "Each query in each column, numbered in the order of the table below; angles and rotations have no "
          "range."};
}

Figure difference_figure(const Diagnosis& d, const StoredCoverage& coverage) {
  Chart chart{.x_label = "delta distance", .y_label = "percent of training differences that are nearer"};
  add_by_verdict(chart, d, [&](size_t r) {
    return std::pair(d.predictions.delta_distance[r], d.predictions.delta_percentile[r]);
  });
  Series curve{.name = "training differences", .color = "currentColor"};
  for (size_t q = 0; q < coverage.delta_quantiles.size(); ++q) {
    curve.x.push_back(coverage.delta_quantiles[q]);
    curve.y.push_back(100.0 * static_cast<double>(q) /
                      static_cast<double>(coverage.delta_quantiles.size() - 1));
  }
  chart.series.push_back(std::move(curve));
  chart.series.push_back({.name = "delta radius",
                          .x = {coverage.thresholds.delta_radius, coverage.thresholds.delta_radius},
                          .y = {0, 100},
                          .color = "currentColor",
                          .style = SeriesStyle::dashes});
  return {{chart},
          "How far each query's best difference is from one that was seen, beside how far training "
          "differences are from each other."};
}

Figure error_figure(const Diagnosis& d) {
  Chart expected{.x_label = "support distance", .y_label = "expected error"};
  add_by_verdict(expected, d, [&](size_t r) {
    return std::pair(d.predictions.support_distance[r], d.predictions.expected_error[r]);
  });
  Figure figure{{expected},
                "Error against the distance to the nearest training row. Expected errors are learned "
                "on held-out outer rows: expectations, not bounds."};
  if (d.errors) {
    Chart actual{.x_label = "support distance", .y_label = "true error"};
    add_by_verdict(actual, d,
                   [&](size_t r) { return std::pair(d.predictions.support_distance[r], (*d.errors)[r]); });
    figure.charts.push_back(std::move(actual));
    for (Chart& chart : figure.charts) chart.width = 480;
  }
  return figure;
}

}  // namespace

TextTable verdict_table(const Diagnosis& d) {
  TextTable table{.columns = {{"verdict"},
                              {"queries", Align::right},
                              {"expected error", Align::right},
                              {"spread", Align::right},
                              {"support distance", Align::right},
                              {"delta distance", Align::right},
                              {"meaning"}}};
  if (d.errors) table.columns.insert(table.columns.begin() + 3, {"true error", Align::right});
  for (const VerdictSummary& s : d.verdicts) {
    const bool fine = s.verdict == Verdict::interpolation || s.verdict == Verdict::reachable;
    const Emphasis emphasis = s.count == 0                 ? Emphasis::muted
                              : fine                       ? Emphasis::good
                              : s.verdict == Verdict::edge ? Emphasis::none
                                                           : Emphasis::bad;
    std::vector<TextCell> row = {{to_text(s.verdict), emphasis},
                                 std::to_string(s.count),
                                 number(s.expected_error),
                                 number(s.spread),
                                 number(s.support_distance),
                                 number(s.delta_distance),
                                 {meaning(s.verdict), Emphasis::muted}};
    if (d.errors) row.insert(row.begin() + 3, number(s.error));
    table.rows.push_back(std::move(row));
  }
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
                           c.outside > 0 ? Emphasis::bad : Emphasis::muted},
                          c.outside > 0 ? fmt::format("{:+.4g}", c.furthest) : ""});
  if (d.combinations > 0)
    table.rows.push_back(
        {"combination", "", "", fmt::format("{} of {}", d.combinations, d.predictions.rows()), ""});
  return table;
}

Page diagnosis_page(const Diagnosis& d, const Predictor& predictor, const Table& queries,
                    const StoredCoverage& coverage, const DiagnosisSource& source) {
  Page page{.title = "Can these queries be extrapolated to?",
            .intro = fmt::format("{} queries of {} against {}, a {} model of {} rows.", queries.rows(),
                                 source.queries, source.model, predictor.options().model,
                                 predictor.training_rows()),
            .sections = {{"Verdicts", {verdict_table(d)}},
                         {"Where the queries lie", {map_figure(d, predictor, queries)}},
                         {"Columns", {range_figure(d, queries), range_table(d)}}},
            .provenance = {.command = source.command, .version = version()}};
  if (!coverage.delta_quantiles.empty() && predictor.program().uses_anchor())
    page.sections.push_back({"Differences", {difference_figure(d, coverage)}});
  if (coverage.errors.is_known() || d.errors) page.sections.push_back({"Errors", {error_figure(d)}});
  return page;
}

}  // namespace kedge
