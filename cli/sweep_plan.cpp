#include "cli/sweep_plan.h"

#include <map>
#include <tuple>

#include "cli/unread_flags.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/predictor/sizes.h"
#include "kedge/trials/fit.h"

namespace kedge {
namespace {

constexpr const char* simple_models[] = {"linear", "ridge", "nearest"};
constexpr size_t most_trials = 20000;

/// The table as fits with these options see it: the options say which columns are left out.
class Tables {
 public:
  explicit Tables(TrainingTable read) : read_(std::move(read)) {}

  /// Gives the options the columns of the table. Throws Error where no model could be rehearsed on it.
  const SweepTable& of(FitOptions& options) {
    const Key key{options.space, options.same_unit, options.context, options.inputs};
    auto found = seen_.find(key);
    if (found == seen_.end()) {
      TrainingTable training = with_options(read_, options);
      require_rows(training.table, options);
      if (seen_.empty()) first_ = training;
      SweepTable table = sweep_table(std::move(training.table));
      found = seen_.emplace(key, Seen{std::move(table), options}).first;
    }
    const FitOptions& settled = found->second.options;
    options.space = settled.space;
    options.same_unit = settled.same_unit;
    options.context = settled.context;
    return found->second.table;
  }

  const TrainingTable& first() const { return first_; }

 private:
  using Key = std::tuple<std::string, std::string, std::vector<std::string>, Scaling>;
  struct Seen {
    SweepTable table;
    FitOptions options;
  };
  TrainingTable read_, first_;
  std::map<Key, Seen> seen_;
};

void refuse_settings_in_grid(const FitSettings& settings, const std::vector<GridAxis>& axes) {
  for (const GridAxis& axis : axes)
    if (text_of(settings, axis.name) != text_of({}, axis.name))
      throw Error("options",
                  fmt::format("{} is in the grid; found it as a flag too; leave one of them out", axis.name),
                  "grid");
}

FitFlags flags_of(const FitFlags& given, const FitSettings& settings, const Combination& combination) {
  FitFlags flags = given;
  static_cast<FitSettings&>(flags) = with(settings, combination);
  if (flags.anchor_rows)
    flags.anchor_row_count = *flags.anchor_rows == 0 ? "all" : std::to_string(*flags.anchor_rows);
  return flags;
}

CrossValidationOptions trial_of(const SweepFlags& flags, const FitFlags& fit) {
  CrossValidationOptions how = trial_of(static_cast<const FitSettings&>(fit));
  // What is judged is what the fit will be: it tunes only where it is told to.
  how.tuned = fit.anchors == auto_model;
  how.effort = flags.effort;
  return how;
}

void set_trials(SweepFit& fit, const SweepFlags& flags, Tables& tables) {
  const SweepTable& table = tables.of(fit.options);
  fit.options = sized(fit.options, *table.rows);
  const FitLoads loads = fit_loads({*table.rows, fit.options});
  fit.seconds = (loads.choosing + loads.fitting).work;
  SweepTrial trial{table, fit.options, trial_of(flags, fit.flags), device_of(settings_of(flags.fit))};
  // No rehearsal reads them, so they are to change no key.
  trial.options.calibration = Calibration::none;
  trial.options.replicas = 1;
  for (uint64_t seed : flags.all_seeds()) {
    trial.options.seed = seed;
    fit.trials.push_back(trial);
  }
}

/// Throws Error where two combinations come to the same fit.
void refuse_equals(const std::vector<SweepFit>& fits) {
  std::map<std::string, std::string> names;  // by all that decides
  for (const SweepFit& fit : fits) {
    const auto [found, is_new] =
        names.emplace(to_json(fit.options) + (needs_trial(fit.flags) ? auto_model : ""), fit.name);
    if (!is_new)
      throw Error(
          "options",
          fmt::format("a grid tries each fit once; found '{}' and '{}', which are the same; leave one out",
                      found->second, fit.name),
          "grid");
  }
}

void check(const SweepFlags& flags, const std::vector<GridAxis>& axes) {
  if (!(flags.effort > 0 && flags.effort <= 1))
    throw Error(
        "options",
        fmt::format("needs a number above 0, at most 1; found {}; take one in that range", flags.effort),
        "effort");
  if (flags.fit.model == auto_model)
    throw Error("options", "needs models by their names; found auto; take --grid model=bilinear,mlp",
                "model");
  size_t count = flags.seeds;
  for (const GridAxis& axis : axes) count *= axis.values.size();
  if (count > most_trials)
    throw Error("options",
                fmt::format("needs at most {} fits; found {} with all seeds; try fewer values or seeds",
                            most_trials, count),
                "grid,seeds");
}

}  // namespace

std::vector<uint64_t> SweepFlags::all_seeds() const {
  std::vector<uint64_t> all;
  for (size_t s = 0; s < seeds; ++s) all.push_back(fit.seed.value_or(0) + s);
  return all;
}

std::vector<Job> SweepPlan::jobs() const {
  std::vector<Job> jobs;
  for (const std::vector<SweepFit>* list : {&fits, &baselines})
    for (const SweepFit& fit : *list)
      for (const SweepTrial& trial : fit.trials)
        for (Job& job : sweep_jobs(trial)) jobs.push_back(std::move(job));
  return jobs;
}

SweepPlan plan_of(const SweepFlags& flags) {
  SweepPlan plan;
  plan.axes = parse_grid(flags.grid);
  const FitSettings settings = settings_of(flags.fit);
  refuse_settings_in_grid(settings, plan.axes);
  check(flags, plan.axes);
  // All that can be told of the words before the table is read.
  for (const Combination& combination : combinations(plan.axes)) {
    SweepFit fit{.name = to_text(combination),
                 .combination = combination,
                 .flags = flags_of(flags.fit, settings, combination)};
    fit.options = fit_options(fit.flags);
    refuse_unread_flags(fit.flags, fit.options.model);
    if (needs_trial(fit.flags)) refuse_trial_flags(fit.flags);
    plan.fits.push_back(std::move(fit));
  }
  Tables tables(read_training_table(flags.fit));
  for (SweepFit& fit : plan.fits) set_trials(fit, flags, tables);
  refuse_equals(plan.fits);
  plan.training = tables.first();
  for (const char* model : simple_models) {
    SweepFit fit{.name = model, .flags = flags.fit};
    fit.flags.anchors.clear();
    fit.options = preset_options(settings.preset, model);
    fit.options.space = settings.space;
    fit.options.same_unit = settings.same_unit;
    set_trials(fit, flags, tables);
    plan.baselines.push_back(std::move(fit));
  }
  return plan;
}

}  // namespace kedge
