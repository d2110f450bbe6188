// Figure 10: tiles, where few pairs of rows are related.

#include <algorithm>
#include <array>

#include "kedge/core/format.h"
#include "kedge/domains/domain.h"
#include "kedge/experiments/experiments.h"
#include "kedge/experiments/paper_functions.h"
#include "kedge/experiments/relative_error.h"
#include "kedge/jobs/fit_job.h"

namespace kedge {
namespace {

constexpr size_t train_rows = 320, test_rows = 256;

struct TileCurve {
  std::string name, model;
  WeightSource source = WeightSource::none;
  size_t example_pairs = 0;  ///< of either kind
  std::optional<AnchorRule> anchors = {};
  bool is_drawn = false;
  bool of_paper = false;  ///< whether the preset paper has it too
};

/// The four of the paper's figure first.
const std::vector<TileCurve>& tile_curves() {
  static const std::vector<TileCurve> curves = {
      {.name = "neural net", .model = "mlp", .is_drawn = true, .of_paper = true},
      {.name = "bilinear, without differences",
       .model = "bilinear-direct",
       .is_drawn = true,
       .of_paper = true},
      {.name = "bilinear transduction", .model = "bilinear", .is_drawn = true, .of_paper = true},
      {.name = "weighted transduction",
       .model = "bilinear",
       .source = WeightSource::examples,
       .example_pairs = 300,
       .is_drawn = true,
       .of_paper = true},
      {.name = "weighted, 30 + 30 pairs",
       .model = "bilinear",
       .source = WeightSource::examples,
       .example_pairs = 30,
       .of_paper = true},
      {.name = "weighted, greatest weight",
       .model = "bilinear",
       .source = WeightSource::examples,
       .example_pairs = 300,
       .anchors = AnchorRule::weight_greatest,
       .of_paper = true},
      {.name = "weighted, drawn by weight",
       .model = "bilinear",
       .source = WeightSource::examples,
       .example_pairs = 300,
       .anchors = AnchorRule::weight_sample},
      {.name = "joint, 300 + 300 pairs",
       .model = "bilinear",
       .source = WeightSource::joint,
       .example_pairs = 300},
      {.name = "joint, 30 + 30 pairs",
       .model = "bilinear",
       .source = WeightSource::joint,
       .example_pairs = 30,
       .of_paper = true},
      {.name = "joint, no pairs", .model = "bilinear", .source = WeightSource::joint},
      {.name = "linear", .model = "linear"},
      {.name = "ridge", .model = "ridge"},
      {.name = "quadratic", .model = "quadratic"},
      {.name = "nearest", .model = "nearest"},
      {.name = "extreme", .model = "extreme"}};
  return curves;
}

std::vector<std::string> tile_presets(const TileCurve& curve) {
  return curve.of_paper ? std::vector<std::string>{"default", "paper"} : std::vector<std::string>{"default"};
}

FitSpec spec_of(const TileCurve& curve, const std::string& preset, uint64_t seed, const Extent& extent) {
  FitSpec spec{.domain = "tiles",
               .options = experiment_options("tiles", preset, curve.model, seed),
               .train_rows = train_rows,
               .example_pairs = curve.example_pairs,
               .test_rows = test_rows,
               .keep_predictions = curve.is_drawn};
  FitOptions& options = spec.options;
  if (!find_model(curve.model).is_trained()) return spec;
  if (preset == "paper") take_function_sizes(options);
  if (curve.model == "bilinear-direct") options.context = {"x2"};
  if (curve.model == "bilinear" && preset == "default") options.anchors = {.rule = AnchorRule::nearest};
  if (curve.source != WeightSource::none) weigh_pairs(options, curve.source);
  if (curve.anchors) options.anchors = {.rule = *curve.anchors};
  if (extent.quick) {
    shorten(options);
    options.architecture.width = std::min(options.architecture.width, 64);
  }
  return spec;
}

/// Values in [-1, 1] as points of one of six colours.
Chart tile_chart(const std::string& title, const std::string& output, const Table& places,
                 const std::vector<double>& values) {
  constexpr std::array<const char*, 6> colors = {"#2166ac", "#67a9cf", "#b3d3e6",
                                                 "#f2bfa5", "#ef8a62", "#b2182b"};
  Chart chart{.title = fmt::format("{}: {}", output, title),
              .x_label = "x1",
              .y_label = "x2",
              .width = 260,
              .height = 260};
  for (size_t bin = 0; bin < colors.size(); ++bin) {
    Series series{.name = fmt::format("from {:.2f}", -1 + static_cast<double>(bin) / 3),
                  .color = colors[bin],
                  .style = SeriesStyle::points};
    for (size_t r = 0; r < values.size(); ++r) {
      const auto place = static_cast<size_t>(std::clamp((values[r] + 1) * 3, 0.0, 5.0));
      if (place != bin) continue;
      series.x.push_back(places.column("x1").values[r]);
      series.y.push_back(places.column("x2").values[r]);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

/// The twelve panels of the paper: both outputs in a row each, default preset, seed 0.
void add_panels(const Extent& extent, const JobResults& results, Result& result) {
  const Table train = find_domain("tiles").sample(Split::train, train_rows, 0);
  const Table places = find_domain("tiles").sample(Split::oos, test_rows, 0);
  for (const size_t output : {0u, 1u}) {
    const std::string name = output == 0 ? "y1" : "y2";
    result.charts.push_back(tile_chart("training rows", name, train, train.column(name).values));
    result.charts.push_back(tile_chart("truth, out of support", name, places, places.column(name).values));
    for (const TileCurve& curve : tile_curves()) {
      if (!curve.is_drawn) continue;
      const std::vector<double> both = scores_of(spec_of(curve, "default", 0, extent), results).oos_y;
      std::vector<double> one;
      for (size_t i = output; i < both.size(); i += 2) one.push_back(both[i]);
      result.charts.push_back(tile_chart(curve.name, name, places, one));
    }
  }
}

std::vector<Job> jobs_of(const Extent& extent) {
  std::vector<Job> jobs;
  for (const TileCurve& curve : tile_curves())
    for (const std::string& preset : tile_presets(curve))
      for (uint64_t seed : seeds_of(extent)) jobs.push_back(fit_job(spec_of(curve, preset, seed, extent)));
  return jobs;
}

void assemble(const Extent& extent, const JobResults& results, Result& result) {
  add_panels(extent, results, result);
  for (const TileCurve& curve : tile_curves())
    for (const std::string& preset : tile_presets(curve)) {
      RelativeErrors errors;
      for (uint64_t seed : seeds_of(extent))
        errors.add(scores_of(spec_of(curve, preset, seed, extent), results));
      add_cells({"tiles", curve.name, preset, "", {}, {}}, errors, result);
    }
  result.seeds = seeds_of(extent);
  result.notes = {
      "Root mean square error over the deviation of the outputs; n counts seeds, each with a tile of its "
      "own. "
      "Weights are learned from 300 related and 300 other pairs, a quarter of all related pairs, or from 30 "
      "and "
      "30. With preset default, bilinear models take one anchor: the nearest difference, under weights that "
      "among "
      "the rows of almost the greatest weight, or the row of greatest weight (the paper's experiments), or "
      "one "
      "drawn in proportion to its weight (its algorithm 2). Joint: weights and model are learned together. "
      "In "
      "support the rows are those of training.",
      paper_functions_note};
}

}  // namespace

Experiment fig_tiles_experiment() {
  return {.id = "fig-tiles",
          .title = "Figure 10: tiles with negated outputs, where few pairs of rows are related",
          .jobs = jobs_of,
          .assemble = assemble};
}

}  // namespace kedge
