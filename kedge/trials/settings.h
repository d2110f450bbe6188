#pragma once

// FitSettings: what users say of a fit, by name; command line, C and Python share it. What is not said is the
// preset's.
//
// Law: equal settings and tables give equal models, whoever said them; with device auto on equal machines.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kedge/predictor/options.h"
#include "kedge/trials/cross_validation.h"

namespace kedge {

/// What stands for a model that cross-validation is to choose, or for anchors that it is to tune.
inline constexpr const char* auto_model = "auto";

struct FitSettings {
  std::string model = "bilinear", preset = "default";
  // Texts as Spaces, SameUnit, parse_pair_rule, parse_anchors, parse_outward and parse_duration read them.
  std::string space = {}, same_unit = {}, pairs = {};
  std::string anchors = {}, inside_anchors = {}, outward = {}, budget = {};
  std::string base = {}, beyond = "both";
  std::string fourier = {}, schedule = {}, loss = {}, calibration = {};
  std::string device = "cpu";  ///< a name of Device
  std::vector<std::string> context = {};
  std::string label = {}, time = {};  ///< columns by which rows are paired
  WeightSource weights = WeightSource::none;
  std::optional<int> layers = {}, width = {}, embedding = {};
  std::optional<size_t> pool = {}, batch = {}, replicas = {};
  std::optional<size_t> anchor_rows = {};  ///< 0: all
  std::optional<uint64_t> seed = {}, steps = {};
  std::optional<double> epochs = {}, learning_rate = {}, weight_decay = {}, share = {};
};

/// Settings of a fit or of a policy, and of cross-validation beside them.
struct JsonSettings {
  FitSettings fit = {};
  std::vector<std::string> models = {};  ///< candidates of cross-validation
  std::optional<double> effort = {};
};

/// Reads a flat object by the names above, {"model": "bilinear", "seed": 1, "anchor_rows": "all"}; null is
/// not said, an empty text all defaults. Throws Error on an unknown name and a value of another kind.
JsonSettings settings_from_json(const std::string& text);

/// Sets one setting by its name to what a text says of it, as `32` of "width" or "all" of "anchor_rows";
/// names in a text are looked at by fit_options. `context`, a list, cannot be set. Throws Error on an unknown
/// name and on what is no number where one is needed.
void set_by_name(FitSettings& settings, const std::string& name, const std::string& text);
/// What is said of a setting, numbers in one form; empty where nothing is, and of names that are no setting.
std::string text_of(const FitSettings& settings, const std::string& name);

/// The preset with the settings over it; `auto` counts as bilinear. Throws Error on names and numbers that
/// are wrong by themselves; columns are not looked at.
FitOptions fit_options(const FitSettings& settings);

/// Writes what is said of networks, anchors and training over the options. Throws like fit_options.
void set_training(const FitSettings& settings, FitOptions& options);

/// Where the settings have networks trained. Throws Error on a name that is none.
Device device_of(const FitSettings& settings);

/// Seconds that the budget gives; nothing without one. Throws Error where steps are said too.
std::optional<double> budget_of(const FitSettings& settings);

/// Whether a trial chooses the model, or tunes the anchors, before the fit.
bool needs_trial(const FitSettings& settings);
/// How that trial goes; `models` as in CrossValidationOptions.
CrossValidationOptions trial_of(const FitSettings& settings, std::vector<std::string> models = {});
/// The same with the only candidate that the settings name, if they do.
CrossValidationOptions trial_of_fit(const FitSettings& settings);
/// What a fit takes after the trial: the recommended options, open where those were that the trial began
/// with.
FitOptions options_after(const CrossValidation& trial, const FitOptions& before);

}  // namespace kedge
