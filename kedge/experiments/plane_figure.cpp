// Figure 3: a query out of support becomes a pair of a seen difference and a seen anchor, in a combination
// that was not seen.

#include <algorithm>
#include <cmath>

#include "kedge/core/format.h"
#include "kedge/domains/analytic/analytic.h"
#include "kedge/experiments/experiments.h"
#include "kedge/jobs/fit_job.h"
#include "kedge/predictor/fit.h"

namespace kedge {
namespace {

constexpr const char* function_name = "sawtooth";
constexpr size_t queries = 250, drawn_rows = 60;

/// Pairs as places of the plane.
struct PlanePairs {
  std::vector<double> difference, anchor;

  void add(double x, double from) {
    difference.push_back(x - from);
    anchor.push_back(from);
  }
  size_t size() const { return anchor.size(); }
};

/// A row that is answered from another.
struct Step {
  double anchor = 0, x = 0;
  double length() const { return x - anchor; }
};

struct Plane {
  std::vector<double> training_x, query_x;
  PlanePairs training, test;
  Step query, analog;  ///< a query, and the training pair of its difference
};

Predictor shortly_trained(Fit::Source source) {
  // The anchor search never looks at the network, so one step gives the anchors of a whole training.
  source.options.training.steps = 1;
  source.options.epochs = 0;
  source.options.replicas = 1;
  source.options.architecture.fourier = Fourier::off;
  return fit_model({.table = source.table, .options = source.options}).predictor;
}

Plane plane_of() {
  const Fit::Source source = fit_of({.domain = function_name,
                                     .options = experiment_options(function_name, "default", "bilinear", 0)})
                                 .source();
  const Table asked = find_domain(function_name).sample(Split::oos, queries, 0);
  Plane plane;
  plane.training_x = source.table.column("x").values;
  plane.query_x = asked.column("x").values;
  const auto row = [&](int64_t r) { return plane.training_x[static_cast<size_t>(r)]; };
  // Rows are independent draws, so neighbours in the table are pairs drawn at random.
  for (size_t r = 0; r + 1 < plane.training_x.size(); r += 2)
    plane.training.add(plane.training_x[r], plane.training_x[r + 1]);
  const Predictions answers = shortly_trained(source).predict(asked);
  for (size_t q = 0; q < queries; ++q) {
    const Step query{row(answers.anchor[q]), plane.query_x[q]};
    plane.test.add(query.x, query.anchor);
    // The farthest query is the plainest to see.
    if (query.x <= plane.query.x) continue;
    plane.query = query;
    plane.analog = {row(answers.analog_anchor[q]), row(answers.analog_query[q])};
  }
  return plane;
}

Chart line_chart(const Plane& plane, const AnalyticFunction& f) {
  Chart chart{.title = "out of support: the line",
              .x_label = "x",
              .width = 460,
              .height = 400,
              .y_names = {"training rows", "a training pair", "a query", "queries"}};
  const auto rows_at = [](double height, const std::vector<double>& x) {
    const size_t count = std::min(x.size(), drawn_rows);
    return Series{.x = {x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count)},
                  .y = std::vector<double>(count, height),
                  .style = SeriesStyle::points};
  };
  const auto step_at = [](double height, const Step& step) {
    return Series{.x = {step.anchor, step.x}, .y = {height, height}, .ends = true};
  };
  chart.series = {rows_at(0, plane.training_x), rows_at(3, plane.query_x), step_at(1, plane.analog),
                  step_at(2, plane.query)};
  for (const size_t i : {0u, 2u}) chart.series[i].name = "seen in training";
  for (const size_t i : {1u, 3u}) chart.series[i].name = "asked out of support";
  chart.bands = {{f.train_low, f.train_high, "training range"}};
  return chart;
}

Chart plane_chart(const Plane& plane, const AnalyticFunction& f) {
  const double width = f.train_high - f.train_low;
  Chart chart{.title = "out of combination: the plane",
              .x_label = "difference x - x'",
              .y_label = "anchor x'",
              .width = 460,
              .height = 400};
  chart.series = {{.name = "seen in training",
                   .x = plane.training.difference,
                   .y = plane.training.anchor,
                   .style = SeriesStyle::points},
                  {.name = "asked out of support",
                   .x = plane.test.difference,
                   .y = plane.test.anchor,
                   .style = SeriesStyle::points}};
  chart.bands = {{-width, width, "range of the differences"}};
  chart.boxes = {{-INFINITY, INFINITY, f.train_low, f.train_high, "range of the anchors", BoxStyle::shade}};
  chart.x_range = {-1.35 * width, 1.35 * width};
  chart.y_range = {f.train_low - 0.25 * width, f.train_high + 0.25 * width};
  return chart;
}

/// How many pairs lie where either part, or both together, was seen.
std::string count_note(const PlanePairs& pairs, const AnalyticFunction& f) {
  const double width = f.train_high - f.train_low;
  const auto is_seen = [&](double x) { return x >= f.train_low && x <= f.train_high; };
  size_t differences = 0, anchors = 0, together = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    differences += std::abs(pairs.difference[i]) <= width;
    anchors += is_seen(pairs.anchor[i]);
    together += is_seen(pairs.anchor[i] + pairs.difference[i]);
  }
  return fmt::format(
      "Of {} queries, {} have a difference within the range of the training differences, and {} an anchor "
      "within the training range. {} of these pairs lie where training pairs lie.",
      pairs.size(), differences, anchors, together);
}

void assemble(const Extent&, const JobResults&, Result& result) {
  const AnalyticFunction& f = find_function(function_name);
  const Plane plane = plane_of();
  result.charts = {line_chart(plane, f), plane_chart(plane, f)};
  result.seeds = {0};
  result.notes = {
      fmt::format(
          "Function {}, default preset. Left: the query at {:.1f} lies outside of the training range. It is "
          "answered from its anchor (ring), a training row, by a step of length {:.2f}. A pair of training "
          "rows has a step of length {:.2f}.",
          f.name, plane.query.x, plane.query.length(), plane.analog.length()),
      "Right: the same as pairs of a difference and an anchor. Every orange pair lies in both shaded ranges: "
      "its difference was seen in training, and so was its anchor. But it lies beside the blue pairs: the "
      "two "
      "were not seen together. Out of support became out of combination.",
      count_note(plane.test, f),
      "Each query is drawn with the nearest of its anchors. The search for anchors never looks at the "
      "network, so the model was trained for one step only: a whole training has the same anchors."};
}

}  // namespace

Experiment fig_plane_experiment() {
  return {.id = "fig-plane",
          .title = "Figure 3: out of support becomes out of combination",
          .jobs = [](const Extent&) { return std::vector<Job>{}; },
          .assemble = assemble};
}

}  // namespace kedge
