#include "cli/diagnosis_figures.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "cli/prose.h"
#include "cli/verdict_looks.h"
#include "kedge/core/format.h"
#include "kedge/report/parity.h"

namespace kedge {
namespace {

/// One series for each verdict that a query has.
template <class Point>
void add_by_verdict(Chart& chart, const Diagnosis& d, const Point& point) {
  for (Verdict verdict : all_verdicts) {
    Series series{.name = to_text(verdict), .emphasis = emphasis_of(verdict), .style = SeriesStyle::points};
    for (size_t r = 0; r < d.predictions.rows(); ++r) {
      if (d.predictions.verdict[r] != verdict) continue;
      const auto [x, y] = point(r);
      series.x.push_back(x);
      series.y.push_back(y);
    }
    if (!series.x.empty()) chart.series.push_back(std::move(series));
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

Figure parity_figure(const Diagnosis& d) {
  Chart chart{.x_label = "expected error", .y_label = "true error"};
  size_t missing = 0;
  add_by_verdict(chart, d, [&](size_t r) {
    const std::pair point(d.predictions.expected_error[r], (*d.errors)[r]);
    missing += std::isfinite(point.first) && std::isfinite(point.second) ? 0 : 1;
    return point;
  });
  chart = parity_chart(std::move(chart), ParityOf::sizes, "as expected");
  Figure figure{{chart},
                "Each query's true error against the expected one. Above the line errors are larger than "
                "expected. Expected errors are learned on held-out outer rows: expectations, not bounds."};
  if (chart.x_steps == ScaleSteps::logarithmic) figure.caption += " Arrows at the edge are errors of 0.";
  if (missing > 0)
    figure.caption += fmt::format(" {} without one of the two numbers {} not drawn.",
                                  counted(missing, "query", "queries"), missing == 1 ? "is" : "are");
  return figure;
}

}  // namespace

Figure error_figure(const Diagnosis& d) {
  const auto is_known = [](double value) { return std::isfinite(value); };
  const std::vector<double>& expected = d.predictions.expected_error;
  const bool expects = std::any_of(expected.begin(), expected.end(), is_known);
  if (d.errors && expects) return parity_figure(d);
  Chart chart{.x_label = "support distance", .y_label = d.errors ? "true error" : "expected error"};
  const std::vector<double>& errors = d.errors ? *d.errors : expected;
  add_by_verdict(chart, d, [&](size_t r) { return std::pair(d.predictions.support_distance[r], errors[r]); });
  return {{chart},
          d.errors
              ? "True errors over the distance to the nearest training row; no expected errors are known."
              : "Expected errors over the distance to the nearest training row. They are learned on "
                "held-out outer rows: expectations, not bounds."};
}

Figure map_figure(const Diagnosis& d, const Predictor& predictor, const Table& queries) {
  const bool one_input = predictor.inputs().size() == 1 && predictor.encoder().space().is_linear();
  if (!one_input) {
    const bool flat = d.training_map.cols() > 1;
    Chart chart{.x_label = "first leading axis", .y_label = flat ? "second leading axis" : ""};
    const auto second = [&](const Matrix<double>& map, size_t r) { return flat ? map(r, 1) : 0.0; };
    std::vector<double> y;
    for (size_t r = 0; r < d.training_map.rows(); ++r) y.push_back(second(d.training_map, r));
    chart.series.push_back(training_series(column_of(d.training_map, 0), y));
    add_by_verdict(chart, d, [&](size_t r) { return std::pair(d.query_map(r, 0), second(d.query_map, r)); });
    return {{chart},
            "Queries and training rows along the axes in which the training rows vary most, in "
            "deviations. Two axes of many: what overlaps here may still be far apart."};
  }
  const std::string& name = predictor.inputs()[0];
  Chart chart{.x_label = name, .y_label = predictor.outputs()[0]};
  const std::vector<double>& x = queries.column(name).values;
  std::vector<double> training(predictor.training_rows());
  for (size_t r = 0; r < training.size(); ++r)
    predictor.encoder().space().to_row(predictor.training_points().row(r), {&training[r], 1});
  chart.series.push_back(training_series(training, column_of(predictor.training_outputs(), 0)));
  add_by_verdict(chart, d, [&](size_t r) { return std::pair(x[r], d.predictions.y(r, 0)); });
  return {{chart}, "Predictions by verdict, and the training rows."};
}

Figure range_figure(const Diagnosis& d, const Table& queries) {
  constexpr size_t most_columns = 40;
  std::vector<const ColumnRange*> columns;
  for (const ColumnRange& range : d.columns)
    if (range.has_range && range.training_high > range.training_low) columns.push_back(&range);
  const bool all = columns.size() <= most_columns;
  if (!all) {
    std::stable_sort(columns.begin(), columns.end(),
                     [](const ColumnRange* a, const ColumnRange* b) { return a->outside > b->outside; });
    columns.resize(most_columns);
  }
  Chart chart{.x_label = "place in the training range",
              .bands = {{0, 1, "training range"}},
              .height = static_cast<int>(110 + 30 * columns.size())};
  for (const ColumnRange* column : columns) chart.y_names.push_back(column->name);
  for (Verdict verdict : all_verdicts) {
    Series series{.name = to_text(verdict), .emphasis = emphasis_of(verdict), .style = SeriesStyle::points};
    for (size_t c = 0; c < columns.size(); ++c) {
      const double low = columns[c]->training_low, width = columns[c]->training_high - low;
      for (size_t r = 0; r < d.predictions.rows(); ++r) {
        if (d.predictions.verdict[r] != verdict) continue;
        series.x.push_back((queries.column(columns[c]->name).values[r] - low) / width);
        series.y.push_back(static_cast<double>(c));
      }
    }
    if (!series.x.empty()) chart.series.push_back(std::move(series));
  }
  Figure figure{
      {chart},
      "Each query in each column: 0 is the least training value, 1 the greatest. Angles, rotations and "
      "constant columns have no range."};
  if (!all) figure.caption += fmt::format(" The {} columns that take most queries outside.", most_columns);
  return figure;
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

}  // namespace kedge
