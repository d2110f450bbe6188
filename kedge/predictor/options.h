#pragma once

// FitOptions: everything that decides what a fit does, and the presets that fill it in. All of it is stored
// in the model file.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kedge/anchors/anchors.h"
#include "kedge/core/names.h"
#include "kedge/models/models.h"
#include "kedge/nn/engine.h"
#include "kedge/pairs/encoder.h"
#include "kedge/pairs/sampler.h"
#include "kedge/predictor/outward.h"
#include "kedge/weights/pair_weights.h"

namespace kedge {

/// Whether an input column that never changes is refused (it has no differences) or kept.
enum class ConstantInputs { refuse, keep };

/// How expected errors are learned: not at all, or from rehearsals on held-out outer shells. They take about
/// as long again as the fit, and up to twice as long where each of them has a choice to make.
enum class Calibration { none, shells };

/// Which options of a fit are open: they follow the table (kedge/predictor/sizes.h), unless their value is no
/// longer the preset's.
struct OpenOptions {
  bool width = false, batch = false, steps = false, replicas = false;
  bool learning_rate = false, loss = false, predicts = false;
};

struct FitOptions {
  std::string preset = "custom";  ///< the name these options started from
  std::string model = "bilinear";
  Architecture architecture;
  TrainOptions training;
  /// When positive, steps = epochs * max(1, floor(rows / batch)), as the released code counts. The paper does
  /// not say how it counts.
  double epochs = 0;
  Scaling inputs = Scaling::standard;
  Scaling outputs = Scaling::standard;
  PairRule pairs = PairRule::any;
  SelfPairs self = SelfPairs::exclude;
  AnchorOptions anchors;
  /// The rule for queries that are in support, such as one that averages more; nothing: `anchors`.
  std::optional<AnchorOptions> inside_anchors = {};
  size_t pool = 10000;  ///< training differences kept to choose anchors by
  /// Training rows that may serve as anchors, at most; 0: all. Of a larger table they are spread_rows.
  /// Training pairs are drawn from all rows.
  size_t anchor_rows = 4000;
  uint64_t seed = 0;
  size_t replicas = 1;               ///< networks trained side by side, see replica_seed; their mean predicts
  std::string space;                 ///< of inputs and outputs, see Spaces::parse
  std::string same_unit;             ///< columns scaled together, see SameUnit::parse
  std::vector<std::string> context;  ///< input columns embedded apart by deepsets and bilinear-direct
  ConstantInputs constants = ConstantInputs::refuse;
  Calibration calibration = Calibration::none;
  OpenOptions open;  ///< not stored: in a model nothing is open
  /// A closed form of the query alone (linear, ridge, quadratic) that is fitted first; the model learns what
  /// it leaves. Empty: none.
  std::string base = {};
  double share = 1;       ///< of what the model learned over the base, that is added to it; 0 to 1
  Outward outward = {};   ///< what becomes of answers near the ends of the training outputs
  WeightOptions weights;  ///< whether and how weights of pairs are learned
};

// As users and files write them.
constexpr auto names_of(Fourier) {
  return std::to_array<Named<Fourier>>(
      {{Fourier::off, "off"}, {Fourier::on, "on"}, {Fourier::automatic, "auto"}});
}
constexpr auto names_of(Predicts) {
  return std::to_array<Named<Predicts>>({{Predicts::value, "value"}, {Predicts::change, "change"}});
}
constexpr auto names_of(Schedule) {
  return std::to_array<Named<Schedule>>({{Schedule::constant, "constant"}, {Schedule::cosine, "cosine"}});
}
constexpr auto names_of(Loss) { return std::to_array<Named<Loss>>({{Loss::mse, "mse"}, {Loss::l2, "l2"}}); }
constexpr auto names_of(Scaling) {
  return std::to_array<Named<Scaling>>({{Scaling::none, "none"}, {Scaling::standard, "standard"}});
}
constexpr auto names_of(PairRule) {
  return std::to_array<Named<PairRule>>(
      {{PairRule::any, "any"}, {PairRule::same_label, "same-label"}, {PairRule::same_time, "same-time"}});
}
constexpr auto names_of(SelfPairs) {
  return std::to_array<Named<SelfPairs>>({{SelfPairs::exclude, "exclude"}, {SelfPairs::allow, "allow"}});
}
constexpr auto names_of(ConstantInputs) {
  return std::to_array<Named<ConstantInputs>>(
      {{ConstantInputs::refuse, "refuse"}, {ConstantInputs::keep, "keep"}});
}
constexpr auto names_of(WeightSource) {
  return std::to_array<Named<WeightSource>>(
      {{WeightSource::none, "none"}, {WeightSource::examples, "labels"}, {WeightSource::joint, "joint"}});
}
constexpr auto names_of(Calibration) {
  return std::to_array<Named<Calibration>>({{Calibration::none, "none"}, {Calibration::shells, "shells"}});
}

struct Preset {
  std::string name;
  std::string title;
  FitOptions options;
};

const std::vector<Preset>& all_presets();

/// A preset's options for a model. Throws Error naming what there is.
FitOptions preset_options(const std::string& preset, const std::string& model);

/// Turns learned weights of pairs on. Anchors are then chosen by weight, as many as before. The loss becomes
/// the distance: learned weights let some wrong pairs through, and squared error would follow those.
void weigh_pairs(FitOptions& options, WeightSource source);

/// Throws Error when a number is out of its range.
void check(const FitOptions& options);

/// The seed of one of a fit's replicas: that of the fit for the first, and for the others one that no other
/// fit has, so that fits of different seeds share no network.
uint64_t replica_seed(uint64_t seed, size_t replica);

/// Steps of a training on this many rows: `training.steps`, or what `epochs` come to.
uint64_t training_steps(const FitOptions& options, size_t rows);

std::string to_json(const FitOptions& options);
/// Throws Error on damaged text. Keys that are missing keep their defaults.
FitOptions options_from_json(const std::string& text);

/// Names of the values of an enum as users write them, "any, same-label, same-time".
std::string pair_rule_names();
PairRule parse_pair_rule(const std::string& text);

}  // namespace kedge
