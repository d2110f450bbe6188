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

std::vector<PolicySize> sizes_of(const PolicyGrid& grid, size_t method, const std::string& preset,
                                 const Extent& extent) {
  if (!is_trained(policy_methods()[method])) return {PolicySize{}};
  // Of a search that is not whole, the networks that the paper has not have its least width.
  const bool searched = grid.over_widths && (extent.full || method < published_methods);
  return searched_sizes(grid.layers, preset, searched ? extent : Extent{.quick = extent.quick});
}

PolicyOptions options_of(const PolicyGrid& grid, const PolicyMethod& method, const std::string& preset,
                         uint64_t seed, const Extent& extent) {
  // The paper's linear model with Fourier features is trained: one layer behind them.
  const bool one_layer = method.model == "linear" && grid.fourier == Fourier::on;
  PolicyOptions options = grid_options(preset, one_layer ? "mlp" : method.model, seed, extent);
  Architecture& a = options.fit.architecture;
  if (one_layer) a.layers = 1;
  if (one_layer || is_trained(method)) a.fourier = grid.fourier;
  return options;
}

/// The policies of a cell. The expert is the same for every seed.
std::vector<PolicySpec> specs_of(const PolicyGrid& grid, const PolicyRow& row, size_t method,
                                 const std::string& preset, const Extent& extent) {
  const PolicyMethod& own = policy_methods()[method];
  if (own.model.empty()) return {grid_spec(row, 0, extent)};
  std::vector<PolicySpec> specs;
  for (const PolicySize& size : sizes_of(grid, method, preset, extent))
    for (uint64_t seed : row.one_seed && !extent.full ? std::vector<uint64_t>{0} : seeds_of(size, extent)) {
      specs.push_back(grid_spec(row, seed, extent));
      specs.back().options = options_of(grid, own, preset, seed, extent);
      take_size(size, extent, specs.back());
    }
  return specs;
}

/// Which widths of the paper's search are missing.
std::string widths_note(const Extent& extent) {
  const std::vector<int> missing = missing_widths(extent);
  return fmt::format("Networks of k = 2 and 3 linear layers and n = {} units{}.", in_words(widths_of(extent)),
                     missing.empty() ? ""
                                     : fmt::format("; of the paper's search n = {} {} missing here",
                                                   in_words(missing), missing.size() == 1 ? "is" : "are"));
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

std::vector<PolicySize> searched_sizes(const std::vector<int>& layers, const std::string& preset,
                                       const Extent& extent) {
  if (preset == "default") return {PolicySize{}};
  // Unless the search is whole, the preset of the text has one size, that of the paper's table 5.
  if (extent.quick || (preset == "paper" && !extent.full)) return {{layers.front(), 32}};
  std::vector<PolicySize> sizes;
  for (int k : layers)
    for (int n : widths_of(extent)) sizes.push_back({k, n});
  return sizes;
}

std::vector<uint64_t> seeds_of(const PolicySize& size, const Extent& extent) {
  return size.width > 32 && !extent.full ? std::vector<uint64_t>{0} : seeds_of(extent);
}

void take_size(const PolicySize& size, const Extent& extent, PolicySpec& spec) {
  Architecture& a = spec.options->fit.architecture;
  if (size.layers > 0) a.layers = size.layers;
  if (size.width > 0) a.width = size.width;
  spec.fresh = !(extent.full && size.width > 32);
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
  for (const PolicyCell& cell : cells_of(grid, extent))
    for (const PolicySpec& spec : cell.specs) jobs.push_back(policy_job(spec, extent.demonstrations));
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
