#include "kedge/experiments/imitation_grid.h"

#include <algorithm>
#include <cmath>

#include "kedge/core/format.h"
#include "kedge/jobs/fit_job.h"

namespace kedge {
namespace {

constexpr size_t quick_goals = 4, quick_demonstrations = 20;
// A quick run, which is looked at while things are chosen, has goals of its own.
constexpr uint64_t fresh_seed = 2024, quick_fresh_seed = 7;

/// Whether it is trained, and so has a size.
bool is_trained(const PolicyMethod& method) {
  return !method.model.empty() && find_policy_model(method.model).is_trained();
}

/// Without the episodes that broke down; how many did is told in a note.
Measured measured_finite(const std::vector<double>& errors) {
  std::vector<double> finite;
  std::copy_if(errors.begin(), errors.end(), std::back_inserter(finite),
               [](double e) { return std::isfinite(e); });
  return measured(finite);
}

size_t broken(const std::vector<double>& errors) {
  return static_cast<size_t>(
      std::count_if(errors.begin(), errors.end(), [](double e) { return !std::isfinite(e); }));
}

std::optional<Measured> published_of(const std::vector<Measured>& published, size_t method) {
  if (method < published.size() && published[method].mean > 0) return published[method];
  return std::nullopt;
}

void add_cells(const PolicyCell& cell, const PolicyScores& scores, bool shows_fresh, Result& result) {
  const std::string& column = policy_methods()[cell.method].column;
  size_t broken_down = 0;
  const auto add = [&](const std::string& split, const EpisodeScores& episodes,
                       const std::optional<Measured>& published) {
    result.cells.push_back({cell.row.row, column, cell.preset, split, published,
                            measured_finite(episodes.errors), scores.failed});
    result.cells.back().contends = !policy_methods()[cell.method].model.empty();  // the expert is no method
    broken_down += broken(episodes.errors);
    if (!episodes.held.empty())
      result.cells.push_back(
          {cell.row.row, column, cell.preset, split + ", held", {}, measured(episodes.held)});
  };
  add("oos", scores.oos, published_of(cell.row.published_oos, cell.method));
  add("in", scores.in, published_of(cell.row.published_in, cell.method));
  if (shows_fresh) {
    add("oos, fresh", scores.fresh_oos, {});
    add("in, fresh", scores.fresh_in, {});
  }
  if (broken_down > 0)
    result.notes.push_back(fmt::format("{}, {}, preset {}: {} episodes broke down and are not in the means.",
                                       cell.row.row, column, cell.preset, broken_down));
}

struct Size {
  int layers = 0, width = 0;  ///< 0: the preset's
};

std::vector<Size> sizes_of(const PolicyGrid& grid, size_t method, const std::string& preset,
                           const Extent& extent) {
  if (!is_trained(policy_methods()[method]) || preset == "default") return {Size{}};
  // The preset of the text has one size, that of the paper's table 5: a fit of it takes long.
  if (preset == "paper" || extent.quick) return {{grid.layers.front(), 32}};
  const bool searched = grid.over_widths && method < published_methods;
  std::vector<Size> sizes;
  for (int k : grid.layers)
    for (int n : searched ? extent.widths : std::vector<int>{32}) sizes.push_back({k, n});
  return sizes;
}

PolicyOptions options_of(const PolicyGrid& grid, const PolicyMethod& method, const std::string& preset,
                         const Size& size, uint64_t seed, const Extent& extent) {
  // The paper's linear model with Fourier features is trained: one layer behind them.
  const bool one_layer = method.model == "linear" && grid.fourier == Fourier::on;
  PolicyOptions options = grid_options(preset, one_layer ? "mlp" : method.model, seed, extent);
  Architecture& a = options.fit.architecture;
  if (one_layer) a.layers = 1;
  if (one_layer || is_trained(method)) a.fourier = grid.fourier;
  if (size.layers > 0) a.layers = size.layers;
  if (size.width > 0) a.width = size.width;
  return options;
}

/// The policies of a cell. The expert is the same for every seed; networks wider than 32 have one seed.
std::vector<PolicySpec> specs_of(const PolicyGrid& grid, const PolicyRow& row, size_t method,
                                 const std::string& preset, const Extent& extent) {
  const PolicyMethod& own = policy_methods()[method];
  if (own.model.empty()) return {grid_spec(row, 0, extent)};
  std::vector<PolicySpec> specs;
  for (const Size& size : sizes_of(grid, method, preset, extent))
    for (uint64_t seed : size.width > 32 || row.one_seed ? std::vector<uint64_t>{0} : seeds_of(extent)) {
      specs.push_back(grid_spec(row, seed, extent));
      specs.back().options = options_of(grid, own, preset, size, seed, extent);
    }
  return specs;
}

/// Which widths of the paper's search are missing.
std::string widths_note(const Extent& extent) {
  std::string note = fmt::format("Networks of k = 2 and 3 linear layers and n = {} units",
                                 fmt::join(extent.widths, " and "));
  std::vector<int> missing;
  for (int width : {32, 512, 1024})
    if (std::find(extent.widths.begin(), extent.widths.end(), width) == extent.widths.end())
      missing.push_back(width);
  return note + (missing.empty() ? "."
                                 : fmt::format("; of the paper's search n = {} is missing here.",
                                               fmt::join(missing, " and ")));
}

}  // namespace

const std::vector<PolicyMethod>& policy_methods() {
  static const std::vector<PolicyMethod> all = {{"Expert", ""},
                                                {"Linear", "linear"},
                                                {"Neural Net", "mlp"},
                                                {"DeepSets", "deepsets"},
                                                {"Transduction", "concat"},
                                                {"Ours", "bilinear"},
                                                {"Network with time", "mlp-time"},
                                                {"Ridge by step", "ridge-by-step"},
                                                {"Replay", "replay"}};
  return all;
}

PolicyOptions grid_options(const std::string& preset, const std::string& model, uint64_t seed,
                           const Extent& extent) {
  PolicyOptions options = policy_options(preset, model);
  options.fit.seed = seed;
  if (extent.quick) shorten(options.fit);
  return options;
}

PolicySpec grid_spec(const PolicyRow& row, uint64_t seed, const Extent& extent) {
  const SimulatedDomain& domain = find_simulated_domain(row.domain);
  const size_t wanted = row.demonstrations ? row.demonstrations : domain.demonstrations;
  return {.demonstrations = {.domain = row.domain,
                             .expert = row.expert.empty() ? domain.experts.front().name : row.expert,
                             .count = extent.quick ? std::min(wanted, quick_demonstrations) : wanted,
                             .seed = seed},
          .options = {},
          .goals = extent.quick ? quick_goals : 50,
          .fresh_seed = extent.quick ? quick_fresh_seed : fresh_seed};
}

std::vector<PolicyCell> cells_of(const PolicyGrid& grid, const Extent& extent) {
  std::vector<PolicyCell> cells;
  if (simulated_domains().empty()) return cells;
  for (const std::string& preset : presets_of(grid.presets, extent))
    for (const PolicyRow& row : grid.rows)
      for (size_t m = 0; m < policy_methods().size(); ++m)
        cells.push_back({row, m, preset, specs_of(grid, row, m, preset, extent)});
  return cells;
}

std::vector<Job> policy_jobs(const PolicyGrid& grid, const Extent& extent) {
  std::vector<Job> jobs;
  const auto store = std::make_shared<DemonstrationStore>();
  for (const PolicyCell& cell : cells_of(grid, extent))
    for (const PolicySpec& spec : cell.specs) jobs.push_back(policy_job(spec, store));
  return jobs;
}

void add_policies(const PolicyGrid& grid, const Extent& extent, const JobResults& results, Result& result) {
  for (const PolicyCell& cell : cells_of(grid, extent))
    add_cells(cell, joined(cell.specs, results), grid.shows_fresh, result);
  result.seeds = seeds_of(extent);
  if (grid.over_widths && !extent.quick) result.notes.push_back(widths_note(extent));
  if (simulated_domains().empty()) result.notes = {"Empty: this kedge was built without MuJoCo."};
}

}  // namespace kedge
