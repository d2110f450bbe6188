// The paper's figures of functions of one variable: curves in and out of the training range, and the error
// over how far out a query lies. The paper prints no numbers for them; ours are root mean square errors over
// the deviation of the outputs.

#include <algorithm>
#include <array>
#include <cmath>

#include "kedge/core/format.h"
#include "kedge/core/score.h"
#include "kedge/domains/analytic/analytic.h"
#include "kedge/experiments/experiments.h"
#include "kedge/experiments/paper_functions.h"
#include "kedge/experiments/relative_error.h"
#include "kedge/jobs/fit_job.h"

namespace kedge {
namespace {

constexpr size_t train_rows = 1000, test_rows = 500, grid_points = 400;

/// A curve of a figure.
struct Curve {
  std::string name, model, preset;
  Fourier fourier = Fourier::off;
  bool is_drawn = true;
  bool full_only = false;  ///< whether it is left out unless the extent is full
};

std::vector<Curve> curves_of(std::vector<Curve> all, const Extent& extent) {
  if (!extent.full) std::erase_if(all, [](const Curve& curve) { return curve.full_only; });
  return all;
}

FitOptions options_of(const std::string& domain, const Curve& curve, uint64_t seed, const Extent& extent) {
  FitOptions options = experiment_options(domain, curve.preset, curve.model, seed);
  options.architecture.fourier = curve.fourier;
  if (curve.preset == "paper" && find_model(curve.model).is_trained()) take_function_sizes(options);
  if (extent.quick) {
    shorten(options);
    options.architecture.width = std::min(options.architecture.width, 64);
  }
  return options;
}

/// `low` to `high`, both included.
std::vector<double> grid(double low, double high) {
  std::vector<double> places;
  for (size_t i = 0; i < grid_points; ++i)
    places.push_back(low + (high - low) * static_cast<double>(i) / (grid_points - 1));
  return places;
}

FitSpec spec_of(const std::string& function, const Curve& curve, uint64_t seed, const Extent& extent,
                const std::vector<double>& grid) {
  return {.domain = function,
          .options = options_of(function, curve, seed, extent),
          .train_rows = train_rows,
          .test_rows = test_rows,
          .grid = grid};
}

std::vector<double> curve_grid(const AnalyticFunction& f) { return grid(f.oos_low, f.oos_high); }

std::vector<FitSpec> specs_of(const std::vector<std::string>& functions, const std::vector<Curve>& curves,
                              const Extent& extent) {
  std::vector<FitSpec> specs;
  for (const std::string& name : functions)
    for (const Curve& curve : curves_of(curves, extent))
      for (uint64_t seed : seeds_of(extent))
        specs.push_back(spec_of(name, curve, seed, extent, curve_grid(find_function(name))));
  return specs;
}

Chart chart_of(const AnalyticFunction& f) {
  const std::vector<double> x = curve_grid(f);
  Series truth{.name = "truth", .x = x, .color = "currentColor", .style = SeriesStyle::dashes};
  for (double place : x) truth.y.push_back(f.value(place));
  const auto [low, high] = std::minmax_element(truth.y.begin(), truth.y.end());
  const double margin = 0.25 * (*high - *low);
  Chart chart{.title = f.name, .x_label = "x", .y_label = "y"};
  chart.y_range = {*low - margin, *high + margin};
  chart.bands = {{f.train_low, f.train_high, "training range"}};
  chart.series = {std::move(truth)};
  return chart;
}

void assemble_curves(const std::vector<std::string>& functions, const std::vector<Curve>& curves,
                     const Extent& extent, const JobResults& results, Result& result) {
  for (const std::string& name : functions) {
    const AnalyticFunction& f = find_function(name);
    Chart chart = chart_of(f);
    // Three stand side by side.
    if (functions.size() > 1) {
      chart.width = 360;
      chart.height = 280;
    }
    for (const Curve& curve : curves_of(curves, extent)) {
      RelativeErrors errors;
      for (uint64_t seed : seeds_of(extent)) {
        const FitScores scores = scores_of(spec_of(name, curve, seed, extent, curve_grid(f)), results);
        errors.add(scores);
        if (seed == 0 && curve.is_drawn && !scores.grid.empty())
          chart.series.push_back({.name = curve.preset == "paper" ? curve.name + ", paper" : curve.name,
                                  .x = curve_grid(f),
                                  .y = scores.grid});
      }
      add_cells({name, curve.name, curve.preset, "", {}, {}}, errors, result);
    }
    result.charts.push_back(std::move(chart));
  }
  result.seeds = seeds_of(extent);
  result.notes = {
      fmt::format(
          "Root mean square error over the deviation of the outputs; {} training rows drawn uniformly, "
          "{} rows in and {} out of support; n counts seeds. Curves: seed 0.",
          train_rows, test_rows, test_rows),
      paper_functions_note};
}

Experiment curve_figure(std::string id, std::string title, std::vector<std::string> functions,
                        std::vector<Curve> curves) {
  return {.id = std::move(id),
          .title = std::move(title),
          .jobs = [functions,
                   curves](const Extent& extent) { return fit_jobs(specs_of(functions, curves, extent)); },
          .assemble = [functions, curves](
                          const Extent& extent, const JobResults& results,
                          Result& result) { assemble_curves(functions, curves, extent, results, result); }};
}

std::vector<Curve> usual_curves() {
  std::vector<Curve> curves = {
      {"bilinear", "bilinear", "default", Fourier::automatic},
      {"bilinear", "bilinear", "paper"},
      {"mlp, Fourier layer", "mlp", "paper"},
      {"concat", "concat", "default", Fourier::automatic, false},
      {"mlp", "mlp", "default", Fourier::off, false},
      {"mlp, Fourier layer", "mlp", "default", Fourier::on, false},
      {"concat", "concat", "paper", Fourier::on, false, true},
  };
  for (const char* preset : {"default", "paper"})
    for (const char* simple : {"linear", "ridge", "quadratic", "nearest", "extreme"})
      curves.push_back({simple, simple, preset, Fourier::off, false});
  return curves;
}

std::vector<Curve> with_equivariant() {
  std::vector<Curve> curves = usual_curves();
  curves.push_back({"equivariant", "equivariant", "default", Fourier::automatic});
  curves.push_back({"equivariant", "equivariant", "paper", Fourier::on, false});
  return curves;
}

// The study of ranges: from the training range to three times its width outside, on both sides.
constexpr size_t widths_out = 3, bins_in_a_width = 10;

const std::vector<std::string>& range_functions() {
  static const std::vector<std::string> names = {"sawtooth", "growing-periodic", "equivariant"};
  return names;
}

std::vector<double> range_grid(const AnalyticFunction& f) {
  const double width = f.train_high - f.train_low;
  const double reach = static_cast<double>(widths_out) * width;
  return grid(f.train_low - reach, f.train_high + reach);
}

FitSpec range_spec(const std::string& function, const std::string& preset, uint64_t seed,
                   const Extent& extent) {
  return spec_of(function, {"", "bilinear", preset, Fourier::automatic}, seed, extent,
                 range_grid(find_function(function)));
}

/// Of the curves over the distance.
std::vector<std::string> distance_presets(const Extent& extent) {
  return extent.full ? std::vector<std::string>{"default", "paper"} : std::vector<std::string>{"default"};
}

// The paper's figure: one function, trained on two ranges, one of them half as wide.
constexpr const char* trained_twice = "growing-periodic";
constexpr std::array<std::array<double, 2>, 2> two_ranges = {{{20, 40}, {25, 35}}};
constexpr std::array<const char*, 2> range_presets = {"default", "paper"};

/// Asked up to two data-widths outside.
FitSpec two_range_spec(const std::array<double, 2>& range, const std::string& preset, uint64_t seed,
                       const Extent& extent) {
  const double width = range[1] - range[0];
  FitSpec spec = spec_of(trained_twice, {"", "bilinear", preset, Fourier::automatic}, seed, extent,
                         grid(range[0] - 2 * width, range[1] + 2 * width));
  const AnalyticFunction& f = find_function(trained_twice);
  if (range != std::array{f.train_low, f.train_high}) spec.train_range = range;
  return spec;
}

/// Errors over the outputs' deviation, in bins of how far out they lie.
using Binned = std::vector<std::vector<double>>;

/// Of predictions at `x`, which goes whole data-widths out on either side.
Binned errors_by_distance(const AnalyticFunction& f, const std::vector<double>& x, const FitScores& scores) {
  const double widths = std::round((f.train_low - x.front()) / (f.train_high - f.train_low));
  const size_t bins = static_cast<size_t>(widths) * bins_in_a_width;
  Binned errors(bins);
  for (size_t i = 0; i < x.size(); ++i) {
    const double out = std::max(f.train_low - x[i], x[i] - f.train_high) / (f.train_high - f.train_low);
    if (out < 0) continue;
    const size_t bin = std::min(bins - 1, static_cast<size_t>(out * bins_in_a_width));
    errors[bin].push_back((scores.grid[i] - f.value(x[i])) / scores.oos_deviation);
  }
  return errors;
}

/// Of the bins [first, last).
double error_of(const Binned& errors, size_t first, size_t last) {
  std::vector<double> all;
  for (size_t bin = first; bin < last; ++bin) all.insert(all.end(), errors[bin].begin(), errors[bin].end());
  return root_mean_square(all);
}

Series error_curve(const std::string& name, const std::vector<Binned>& by_seed) {
  Series series{.name = name};
  for (size_t bin = 0; bin < by_seed[0].size(); ++bin) {
    std::vector<double> over_seeds;
    for (const Binned& errors : by_seed) over_seeds.push_back(error_of(errors, bin, bin + 1));
    series.x.push_back((static_cast<double>(bin) + 0.5) / bins_in_a_width);
    series.y.push_back(root_mean_square(over_seeds));
  }
  return series;
}

/// By whole data-widths out.
void add_range_cells(const std::string& row, const std::string& preset, const std::vector<Binned>& by_seed,
                     Result& result) {
  for (size_t width = 0; width < by_seed[0].size() / bins_in_a_width; ++width) {
    std::vector<double> over_seeds;
    for (const Binned& errors : by_seed)
      over_seeds.push_back(error_of(errors, width * bins_in_a_width, (width + 1) * bins_in_a_width));
    result.cells.push_back(
        {row, fmt::format("{} to {} widths out", width, width + 1), preset, "oos", {}, measured(over_seeds)});
  }
}

/// The paper's panels: predictions of the two fits.
void add_two_ranges(const Extent& extent, const JobResults& results, Result& result) {
  const AnalyticFunction& f = find_function(trained_twice);
  for (const auto& range : two_ranges) {
    AnalyticFunction drawn = f;
    const double width = range[1] - range[0];
    drawn.train_low = range[0];
    drawn.train_high = range[1];
    drawn.oos_low = range[0] - 2 * width;
    drawn.oos_high = range[1] + 2 * width;
    Chart chart = chart_of(drawn);
    chart.title = fmt::format("{}, trained on [{:g}, {:g}]", f.name, range[0], range[1]);
    // Around the training range, which lies in both bands and so is darker.
    chart.bands.push_back({range[0] - width, range[1] + width, "one width around it"});
    for (const char* preset : range_presets) {
      std::vector<Binned> by_seed;
      for (uint64_t seed : seeds_of(extent)) {
        const FitSpec spec = two_range_spec(range, preset, seed, extent);
        const FitScores scores = scores_of(spec, results);
        if (scores.failed > 0) continue;
        by_seed.push_back(errors_by_distance(drawn, spec.grid, scores));
        if (seed == 0)
          chart.series.push_back(
              {.name = fmt::format("bilinear, {}", preset), .x = spec.grid, .y = scores.grid});
      }
      if (!by_seed.empty()) add_range_cells(chart.title, preset, by_seed, result);
    }
    result.charts.push_back(std::move(chart));
  }
}

/// Errors over the distance from the training range.
void add_distances(const std::string& preset, const Extent& extent, const JobResults& results,
                   Result& result) {
  Chart chart{.title = fmt::format("bilinear transduction, {} preset", preset),
              .x_label = "data-widths outside the training range",
              .y_label = "root mean square error over the deviation of the outputs"};
  chart.bands = {{0, 1, "one data-width"}};
  chart.y_range = {0, 1.5};
  for (const std::string& name : range_functions()) {
    const AnalyticFunction& f = find_function(name);
    std::vector<Binned> by_seed;
    for (uint64_t seed : seeds_of(extent)) {
      const FitScores scores = scores_of(range_spec(name, preset, seed, extent), results);
      if (scores.failed == 0) by_seed.push_back(errors_by_distance(f, range_grid(f), scores));
    }
    if (by_seed.empty()) continue;
    chart.series.push_back(error_curve(name, by_seed));
    // Its cells stand beside those of the other range.
    if (name != trained_twice) add_range_cells(name, preset, by_seed, result);
  }
  result.charts.push_back(std::move(chart));
}

void assemble_range(const Extent& extent, const JobResults& results, Result& result) {
  add_two_ranges(extent, results, result);
  for (const std::string& preset : distance_presets(extent)) add_distances(preset, extent, results, result);
  result.seeds = seeds_of(extent);
  result.notes = {
      "Root mean square error on both sides, over the deviation of the outputs one half width out; n counts "
      "seeds. Differences of more than one data-width were never seen in training. The two ranges of the "
      "paper's "
      "figure are not given in its text; these are ours. Predictions: seed 0."};
}

}  // namespace

Experiment fig_problems_experiment() {
  return curve_figure("fig-problems", "Figure 4: three functions of one variable",
                      {"mixed-periodic", "sawtooth", "polynomial"}, usual_curves());
}

Experiment fig_equivariant_experiment() {
  return curve_figure("fig-equivariant", "Figure 6: a function that is equivariant to translation",
                      {"equivariant"}, with_equivariant());
}

Experiment fig_beyond_equivariance_experiment() {
  return curve_figure("fig-beyond-equivariance",
                      "Figure 7: a function that is neither invariant nor equivariant", {"growing-periodic"},
                      with_equivariant());
}

Experiment fig_range_experiment() {
  return {.id = "fig-range",
          .title = "Figure 5: predictions and errors over how far out a query lies",
          .jobs =
              [](const Extent& extent) {
                std::vector<FitSpec> specs;
                for (uint64_t seed : seeds_of(extent)) {
                  for (const auto& range : two_ranges)
                    for (const char* preset : range_presets)
                      specs.push_back(two_range_spec(range, preset, seed, extent));
                  for (const std::string& preset : distance_presets(extent))
                    for (const std::string& name : range_functions())
                      specs.push_back(range_spec(name, preset, seed, extent));
                }
                return fit_jobs(specs);
              },
          .assemble = assemble_range};
}

}  // namespace kedge
