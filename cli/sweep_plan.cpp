#include "cli/sweep_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "cli/unread_flags.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/message_of.h"
#include "kedge/predictor/sizes.h"
#include "kedge/trials/fit.h"

namespace kedge {
namespace {

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

/// Settings by the names that flags have.
std::string with_flag_names(std::string text) {
  for (const std::string& name : grid_names())
    if (const std::string setting = setting_of(name); setting != name)
      for (size_t at; (at = text.find(setting)) != std::string::npos;) text.replace(at, setting.size(), name);
  return text;
}

[[noreturn]] void wrong_grid(const std::string& fault) {
  const std::string what = with_flag_names(fault), subject = "a grid";
  wrong_usage(what.starts_with(subject) ? "--grid" + what.substr(subject.size()) : "--grid: " + what);
}

std::vector<GridAxis> axes_of(const SweepFlags& flags) {
  try {
    return parse_grid(flags.grid);
  } catch (const Error& error) {
    wrong_grid(message_of(error));
  }
}

void refuse_settings_in_grid(const FitSettings& settings, const std::vector<GridAxis>& axes) {
  for (const GridAxis& axis : axes)
    if (text_of(settings, setting_of(axis.name)) != text_of({}, setting_of(axis.name)))
      wrong_grid(fmt::format(
          "{0} is in the grid and is a flag too; leave out --{0}, or take it from the grid", axis.name));
}

FitFlags flags_of(const FitFlags& given, const FitSettings& settings, const Combination& combination) {
  FitFlags flags = given;
  static_cast<FitSettings&>(flags) = with(settings, combination);
  if (flags.anchor_rows)
    flags.anchor_row_count = *flags.anchor_rows == 0 ? "all" : std::to_string(*flags.anchor_rows);
  return flags;
}

/// What is wrong with the flags of a fit before a table is read; empty when nothing is.
std::string fault_of(const FitFlags& flags) {
  try {
    const FitOptions options = fit_options(flags);
    refuse_unread_flags(flags, options.model);
    if (needs_trial(flags)) refuse_trial_flags(flags);
  } catch (const Error& error) {
    return message_of(error);
  } catch (const std::runtime_error& usage) {
    return usage.what();
  }
  return "";
}

/// Says that the usage is wrong where the flags alone would do and the combination does not.
void refuse_combination(const SweepFit& fit, const FitFlags& given, const FitSettings& settings) {
  const std::string fault = fault_of(fit.flags);
  if (fault.empty() || fault == fault_of(flags_of(given, settings, {}))) return;
  const auto single = std::find_if(fit.combination.begin(), fit.combination.end(), [&](const auto& value) {
    return fault_of(flags_of(given, settings, {value})) == fault;
  });
  wrong_grid(fmt::format("{}: {}", single == fit.combination.end() ? fit.name : to_text({*single}), fault));
}

/// Flags of a simple model: what is said of the data, and for the rest what the preset says.
FitFlags simple_flags(const FitFlags& given, const FitSettings& settings, const std::string& model) {
  FitFlags flags = given;
  static_cast<FitSettings&>(flags) = {.model = model,
                                      .preset = settings.preset,
                                      .space = settings.space,
                                      .same_unit = settings.same_unit,
                                      .pairs = settings.pairs,
                                      .calibration = settings.calibration,
                                      .context = settings.context,
                                      .label = settings.label,
                                      .time = settings.time,
                                      .seed = settings.seed};
  flags.anchor_row_count.clear();
  return flags;
}

/// The closed forms that cross-validation compares, the simplest first. A constant is none of them.
std::vector<std::string> simple_models(const FitOptions& base) {
  std::vector<std::string> names = default_candidates(base);
  std::erase_if(names, [](const std::string& name) {
    return find_model(name).is_trained() || find_model(name).solver == Solver::extreme;
  });
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return find_model(a).complexity < find_model(b).complexity;
  });
  return names;
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

/// Faults of a table that a value of the grid makes point to the grid.
void set_trials_of_grid(SweepFit& fit, const SweepFlags& flags, Tables& tables) {
  try {
    set_trials(fit, flags, tables);
  } catch (const Error& error) {
    for (const auto& [name, value] : fit.combination) {
      std::string what = message_of(error);
      const std::string flag = "--" + name;
      if (const size_t at = what.find(flag); at != std::string::npos)
        throw Error("options", what.replace(at, flag.size(), fmt::format("--grid {}={}", name, value)));
      if (setting_of(name) == error.option())
        throw Error("options", fmt::format("{}={}: {}", name, value, what), "grid");
    }
    throw;
  }
}

/// All that decides what a rehearsal fits.
std::string decided_by(const SweepFit& fit) {
  return to_json(fit.trials.front().options) + (needs_trial(fit.flags) ? auto_model : "");
}

void refuse_equals(const std::vector<SweepFit>& fits) {
  std::map<std::string, std::string> names;
  for (const SweepFit& fit : fits) {
    const auto [found, is_new] = names.emplace(decided_by(fit), fit.name);
    if (!is_new)
      wrong_grid(
          fmt::format("a grid tries each fit once; found '{}' and '{}', which are the same; leave one out",
                      found->second, fit.name));
  }
}

void add_baselines(SweepPlan& plan, const SweepFlags& flags, const FitSettings& settings, Tables& tables) {
  std::set<std::string> in_grid;
  for (const SweepFit& fit : plan.fits) in_grid.insert(decided_by(fit));
  for (const std::string& model : simple_models(plan.fits.front().options)) {
    SweepFit fit{.name = model, .flags = simple_flags(flags.fit, settings, model)};
    fit.options = fit_options(fit.flags);
    if (!reason_to_skip(*tables.of(fit.options).rows, fit.options).empty()) continue;
    set_trials(fit, flags, tables);
    if (!in_grid.contains(decided_by(fit))) plan.baselines.push_back(std::move(fit));
  }
}

void append_jobs(const std::vector<SweepFit>& fits, std::vector<Job>& jobs) {
  for (const SweepFit& fit : fits)
    for (const SweepTrial& trial : fit.trials)
      for (Job& job : sweep_jobs(trial)) jobs.push_back(std::move(job));
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
    wrong_grid(fmt::format("a grid has at most {} fits with all seeds; found {}; try fewer values or --seeds",
                           most_trials, count));
}

}  // namespace

std::vector<uint64_t> SweepFlags::all_seeds() const {
  std::vector<uint64_t> all;
  for (size_t s = 0; s < seeds; ++s) all.push_back(fit.seed.value_or(0) + s);
  return all;
}

std::vector<Job> SweepPlan::jobs() const {
  std::vector<Job> jobs;
  append_jobs(fits, jobs);
  append_jobs(baselines, jobs);
  return jobs;
}

std::vector<Job> SweepPlan::baseline_jobs() const {
  std::vector<Job> jobs;
  append_jobs(baselines, jobs);
  return jobs;
}

SweepPlan plan_of(const SweepFlags& flags) {
  SweepPlan plan;
  plan.axes = axes_of(flags);
  const FitSettings settings = settings_of(flags.fit);
  refuse_settings_in_grid(settings, plan.axes);
  check(flags, plan.axes);
  // All that can be told of the words before the table is read.
  for (const Combination& combination : combinations(plan.axes)) {
    SweepFit fit{.name = to_text(combination),
                 .combination = combination,
                 .flags = flags_of(flags.fit, settings, combination)};
    refuse_combination(fit, flags.fit, settings);
    fit.options = fit_options(fit.flags);
    refuse_unread_flags(fit.flags, fit.options.model);
    if (needs_trial(fit.flags)) refuse_trial_flags(fit.flags);
    plan.fits.push_back(std::move(fit));
  }
  Tables tables(read_training_table(flags.fit));
  for (SweepFit& fit : plan.fits) set_trials_of_grid(fit, flags, tables);
  refuse_equals(plan.fits);
  plan.training = tables.first();
  add_baselines(plan, flags, settings, tables);
  return plan;
}

}  // namespace kedge
