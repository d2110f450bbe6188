#pragma once

// FitFlags: what a user wrote after `kedge fit`; `kedge cv` and `kedge imitate` share what they need.

#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/input.h"
#include "kedge/trials/settings.h"

namespace kedge {

struct FitFlags : FitSettings {
  std::string train, output;
  std::string html, validation;  ///< of `kedge fit` alone
  // Lists of columns as written, see split_names.
  std::string targets, inputs, ignore, contexts;
  std::string episode, row_weights;
  std::string categories, cycles, missing = "refuse";
  FormatFlags format;
  std::string anchor_row_count, pair_weights;  ///< --anchor-rows and --weights as written
  int threads = 0;
  bool quiet = false, json = false, keep_partial = false;
  /// What an error adds where no model was written; empty: what --keep-partial would do.
  std::string if_unsaved = {};
};

/// Declares all flags of a fit on a subcommand.
void declare(const Command& sub, FitFlags& flags);
/// Those that say what the table holds.
void declare_data(const Command& sub, FitFlags& flags);
/// Those of a training that matter for any number of fits: preset, steps, pairs, seed, threads, device.
void declare_training(const Command& sub, FitFlags& flags);
/// Those that say which model is fitted and how it answers; defaults shown are the preset's.
void declare_model(const Command& sub, FitFlags& flags, const FitOptions& preset);
/// Those of networks and anchors; defaults shown are the preset's.
void declare_network(const Command& sub, FitFlags& flags, const FitOptions& preset);
/// Preset, steps, seed, threads, device.
void declare_run(const Command& sub, FitFlags& flags, const FitOptions& preset);
/// How each update is made, and how expected errors are learned. `rows` is what epochs count.
void declare_updates(const Command& sub, FitFlags& flags, const FitOptions& preset, const std::string& rows);
/// The file to write, called `what` and `type`, and how to tell of it.
void declare_output(const Command& sub, FitFlags& flags, const std::string& what, const std::string& type);

/// The settings with what the flags say in words of their own: context, anchor rows, weights. Wrong usage
/// where two of them contradict each other.
FitSettings settings_of(const FitFlags& flags);

/// Where it was trained, "NVIDIA H200" or "the CPU"; empty where --device leaves no doubt of it.
std::string device_text(const FitFlags& flags, const std::optional<UsedDevice>& device);

/// The flag --beyond.
void declare_beyond(const Command& sub, FitFlags& flags);

/// What stands after `kedge fit` for the same fit of the same table with the same flags, as a shell takes it;
/// without the file to write.
std::string fit_words(const FitFlags& flags, const FitOptions& options);
/// The whole command.
std::string fit_command(const FitFlags& flags, const FitOptions& options);

/// The file of example pairs that --weights names; empty when it names none.
std::string example_file(const FitFlags& flags);

}  // namespace kedge
