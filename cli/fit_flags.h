#pragma once

// FitFlags: what a user wrote after `kedge fit`; `kedge cv` and `kedge imitate` share what they need. A flag
// that was not given leaves the preset's value.

#include <cstdint>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/input.h"
#include "kedge/predictor/options.h"
#include "kedge/trials/cross_validation.h"

namespace kedge {

/// What stands for a model that cross-validation is to choose, or for anchors that it is to tune.
inline constexpr const char* auto_model = "auto";

struct FitFlags {
  std::string train, output;
  std::string html, budget;  ///< of `kedge fit` alone
  // Lists of columns as written, see split_names.
  std::string targets, inputs, ignore, context;
  std::string label, time, episode, row_weights;
  std::string categories, cycles, missing = "refuse";
  FormatFlags format;
  std::string space, same_unit, pairs, anchors, anchor_rows, weights;
  std::string base, inside_anchors, outward, beyond = "both";
  std::string model = "bilinear", preset = "default";
  std::string fourier, schedule, loss, calibration;
  std::optional<int> layers, width, embedding;
  std::optional<size_t> pool, batch, replicas;
  std::optional<uint64_t> seed, steps;
  std::optional<double> epochs, learning_rate, weight_decay, share;
  int threads = 0;
  bool quiet = false, json = false, keep_partial = false;
};

/// Declares all flags of a fit on a subcommand.
void declare(const Command& sub, FitFlags& flags);
/// Those that say what the table holds.
void declare_data(const Command& sub, FitFlags& flags);
/// Those of a training that matter for any number of fits: preset, steps, pairs, seed, threads.
void declare_training(const Command& sub, FitFlags& flags);
/// Those of networks and anchors; defaults shown are the preset's.
void declare_network(const Command& sub, FitFlags& flags, const FitOptions& preset);
/// Preset, steps, seed, threads.
void declare_run(const Command& sub, FitFlags& flags, const FitOptions& preset);
/// How each update is made, and how expected errors are learned. `rows` is what epochs count.
void declare_updates(const Command& sub, FitFlags& flags, const FitOptions& preset, const std::string& rows);
/// The file to write, called `what` and `type`, and how to tell of it.
void declare_output(const Command& sub, FitFlags& flags, const std::string& what, const std::string& type);

/// The preset with the given flags over it; `auto` counts as bilinear. Throws Error on names and numbers that
/// are wrong by themselves; columns are not looked at.
FitOptions options_of(const FitFlags& flags);

/// Whether a trial chooses the model, or tunes the anchors, before the fit.
bool needs_trial(const FitFlags& flags);
/// How that trial goes; `models` as in CrossValidationOptions.
CrossValidationOptions trial_of(const FitFlags& flags, std::vector<std::string> models);
/// The flag --beyond.
void declare_beyond(const Command& sub, FitFlags& flags);

/// Writes the flags of declare_network, declare_run and declare_updates over the options. Throws like
/// options_of.
void set_training(const FitFlags& flags, FitOptions& options);

/// The command that makes the same fit of the same table with the same flags (those of data and training), as
/// a shell takes it.
std::string fit_command(const FitFlags& flags, const FitOptions& options);

/// The file of example pairs that --weights names; empty when it names none.
std::string example_file(const FitFlags& flags);

}  // namespace kedge
