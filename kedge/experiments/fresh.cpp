// Ours: problems whose laws, ranges and noise were written down before any model was fitted on them, with
// every model of the default preset that makes sense there.

#include "kedge/core/format.h"
#include "kedge/domains/laws/laws.h"
#include "kedge/experiments/experiments.h"
#include "kedge/experiments/relative_error.h"

namespace kedge {
namespace {

constexpr const char* preset = "default";
constexpr size_t train_rows = 1000, test_rows = 500;

struct Contestant {
  std::string name, model;
  Fourier fourier = Fourier::off;
};

std::vector<Contestant> contestants_on(const Law& law) {
  std::vector<Contestant> contestants = {
      {"bilinear", "bilinear", Fourier::automatic}, {"concat", "concat", Fourier::automatic}, {"mlp", "mlp"}};
  if (law.inputs.size() == 1) contestants.push_back({"mlp, Fourier layer", "mlp", Fourier::on});
  for (const char* model : {"linear", "ridge", "quadratic", "nearest", "extreme"})
    contestants.push_back({model, model});
  return contestants;
}

FitSpec spec_of(const Law& law, const Contestant& contestant, uint64_t seed, const Extent& extent) {
  FitSpec spec{.domain = law.name,
               .options = experiment_options(law.name, preset, contestant.model, seed),
               .train_rows = train_rows,
               .test_rows = test_rows};
  spec.options.architecture.fourier = contestant.fourier;
  if (extent.quick) shorten(spec.options);
  return spec;
}

/// One fit for each seed.
std::vector<FitSpec> specs_of(const Law& law, const Contestant& contestant, const Extent& extent) {
  std::vector<FitSpec> specs;
  for (uint64_t seed : seeds_of(extent)) specs.push_back(spec_of(law, contestant, seed, extent));
  return specs;
}

std::vector<Job> jobs(const Extent& extent) {
  std::vector<FitSpec> all;
  for (const Law& law : all_laws())
    for (const Contestant& contestant : contestants_on(law))
      for (FitSpec& spec : specs_of(law, contestant, extent)) all.push_back(std::move(spec));
  return fit_jobs(all);
}

void assemble(const Extent& extent, const JobResults& results, Result& result) {
  for (const Law& law : all_laws()) {
    const std::vector<Contestant> contestants = contestants_on(law);
    for (const Contestant& contestant : contestants) {
      RelativeErrors errors;
      for (const FitSpec& spec : specs_of(law, contestant, extent)) errors.add(scores_of(spec, results));
      add_cells({law.name, contestant.name, preset, "", {}, {}}, errors, result);
    }
    RelativeErrors trivial;
    for (const FitSpec& spec : specs_of(law, contestants.front(), extent))
      trivial.add(training_mean_scores(spec));
    add_cells({law.name, training_mean_name, preset, "", {}, {}}, trivial, result);
  }
  result.seeds = seeds_of(extent);
  result.notes = {
      "Laws, ranges and noise of these problems were written down before any model was fitted on them. They "
      "took no part in the choice of a preset, a threshold or a model. Nothing repeats in yeast and braking.",
      fmt::format(
          "Root mean square error over the deviation of the outputs; {} training rows, {} rows in and "
          "{} out of support; n counts seeds. A row out of support has at least one input outside of "
          "its training range, by up to half of the width of that range. Several outputs count "
          "together, each in its own unit: the error is the norm over outputs, and so is the "
          "deviation. Outputs of tables (pump, arm, reaction, projectile, beam) have noise of 1 % of "
          "their deviation in support. The joints of arm are declared as angles; nothing else is "
          "declared but the unit of its outputs.",
          train_rows, test_rows, test_rows)};
}

}  // namespace

Experiment fresh_experiment() {
  return {
      .id = "fresh", .title = "Problems that took no part in any choice", .jobs = jobs, .assemble = assemble};
}

}  // namespace kedge
