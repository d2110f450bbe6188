#include "kedge/trials/tuning.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace kedge {
namespace {

// Errors far below a deviation are all alike.
constexpr double negligible = 0.0001;
constexpr double least_gain = 0.005, least_gain_outward = 0.02;
// Errors inside count down to this part of those beyond.
constexpr double inside_counts = 0.25;
constexpr std::array shares = {1.0, 0.75, 0.5, 0.25, 0.0};
constexpr std::array begins = {0.5, 0.6, 0.7, 0.8, 0.9};
constexpr std::array stretches = {0.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0};

struct Weights {
  double inside, inputs, outputs;
};

Weights weights_of(Beyond beyond) {
  switch (beyond) {
    case Beyond::inputs:
      return {0.25, 1, 0};
    case Beyond::outputs:
      return {0.5, 0, 1};
    case Beyond::both:
      break;
  }
  return {2, 2, 1};
}

/// How much more error answers near the ends may cost elsewhere.
double allowance(Beyond beyond) { return beyond == Beyond::outputs ? 1.2 : 1.02; }

/// The geometric mean over trials of what each of them tells; NaN where none does.
class MeanOfTrials {
 public:
  void add(double value) {
    if (std::isnan(value)) return;
    sum_ += std::log(value + negligible);
    ++count_;
  }
  double mean() const { return std::exp(sum_ / static_cast<double>(count_)) - negligible; }

 private:
  double sum_ = 0;
  size_t count_ = 0;
};

enum class Part { inside, shell };

double error_of(const Rehearsal& rehearsal, const Matrix<double>& answers, Part part,
                std::span<const double> scale) {
  double sum = 0, count = 0;
  for (size_t r = 0; r < answers.rows(); ++r) {
    if (rehearsal.outside[r] != (part == Part::shell)) continue;
    for (size_t k = 0; k < answers.cols(); ++k) {
      sum += std::abs(answers(r, k) - rehearsal.truth(r, k)) / scale[k];
      ++count;
    }
  }
  return sum / count;
}

/// base + share * (answers - base), on the scale that outputs are learned on.
Matrix<double> with_share(const Matrix<double>& base, Matrix<double> answers, double share,
                          const OutputSpace& space) {
  for (size_t r = 0; r < answers.rows(); ++r)
    for (size_t k = 0; k < answers.cols(); ++k) {
      const double from = space.canonical(k, base(r, k));
      answers(r, k) = space.value(k, std::lerp(from, space.canonical(k, answers(r, k)), share));
    }
  return answers;
}

class Tuner {
 public:
  Tuner(std::span<const TunedTrial> trials, const FitOptions& options, const OutputSpace& space,
        std::span<const double> scale, Beyond beyond)
      : trials_(trials), options_(options), space_(space), scale_(scale), beyond_(beyond) {}

  Tuning run() {
    Tuning tuned = with_rules_and_share();
    if (beyond_ != Beyond::inputs) go_outward(tuned);
    return tuned;
  }

 private:
  bool has_rules() const {
    return std::all_of(trials_.begin(), trials_.end(), [](const TunedTrial& trial) {
      return trial.rehearsal.by_rule.size() == tried_rules().size();
    });
  }

  /// One of tried_rules, or none: that of the options.
  using Rule = std::optional<size_t>;

  std::vector<Rule> rules() const {
    std::vector<Rule> all = {std::nullopt};
    for (size_t i = 0; has_rules() && i < tried_rules().size(); ++i) all.emplace_back(i);
    return all;
  }

  AnchorOptions named(Rule rule) const { return rule ? tried_rules()[*rule] : options_.anchors; }

  static const Matrix<double>& answers_of(const Rehearsal& rehearsal, Rule rule) {
    return rule ? rehearsal.by_rule[*rule] : rehearsal.predictions.y;
  }

  /// By every trial; `inside` is the rule for rows in support.
  std::vector<Matrix<double>> answers_by(Rule rule, Rule inside, double share) const {
    std::vector<Matrix<double>> answers;
    for (const TunedTrial& trial : trials_) {
      Matrix<double> plain = answers_of(trial.rehearsal, rule);
      if (inside != rule)
        for (size_t r = 0; r < plain.rows(); ++r)
          if (trial.rehearsal.in_support[r])
            std::ranges::copy(answers_of(trial.rehearsal, inside).row(r), plain.row(r).begin());
      answers.push_back(trial.base && share < 1 ? with_share(*trial.base, std::move(plain), share, space_)
                                                : std::move(plain));
    }
    return answers;
  }

  Tuning with_rules_and_share() const {
    Tuning best{.anchors = options_.anchors, .share = 1, .answers = answers_by({}, {}, 1)};
    double least = weighed(errors_of(trials_, best.answers, scale_), beyond_) - least_gain;
    const bool has_base = std::all_of(trials_.begin(), trials_.end(),
                                      [](const TunedTrial& trial) { return trial.base != nullptr; });
    for (Rule rule : rules()) {
      for (Rule inside : rules()) {
        for (double share : shares) {
          if (share < 1 && !has_base) break;
          std::vector<Matrix<double>> answers = answers_by(rule, inside, share);
          const double score = weighed(errors_of(trials_, answers, scale_), beyond_);
          if (!(score < least)) continue;
          least = score;
          best = {.anchors = named(rule), .share = share, .answers = std::move(answers)};
          if (inside != rule) best.inside_anchors = named(inside);
        }
      }
    }
    return best;
  }

  /// Of all ways to move answers outward, the one of least error on shells of outputs, among those that cost
  /// little elsewhere.
  void go_outward(Tuning& tuned) const {
    const TrialErrors plain = errors_of(trials_, tuned.answers, scale_);
    if (std::isnan(plain.outputs)) return;
    const double most = allowance(beyond_);
    double least = plain.outputs * (1 - least_gain_outward);
    const std::vector<Matrix<double>> before = tuned.answers;
    for (double from : begins) {
      const std::vector<OutputRange> ranges = ranges_from(from);
      for (Rule rule : rules()) {
        if (rule && tried_rules()[*rule].rule != AnchorRule::near) continue;
        Outward outward{.from = from};
        if (rule) outward.anchors = tried_rules()[*rule];
        const std::vector<Matrix<double>> mixed =
            rule ? mixed_with(before, answers_by(rule, rule, tuned.share), ranges) : before;
        for (double low : stretches) {
          for (double high : stretches) {
            outward.low = low;
            outward.high = high;
            std::vector<Matrix<double>> answers = stretched(mixed, ranges, outward);
            const TrialErrors errors = errors_of(trials_, answers, scale_);
            if (!(errors.outputs < least) || errors.inside > most * plain.inside ||
                (beyond_ == Beyond::both && errors.inputs > most * plain.inputs))
              continue;
            least = errors.outputs;
            tuned.outward = outward;
            tuned.answers = std::move(answers);
          }
        }
      }
    }
  }

  std::vector<OutputRange> ranges_from(double from) const {
    std::vector<OutputRange> ranges;
    for (const TunedTrial& trial : trials_)
      ranges.emplace_back(trial.rehearsal.fitted_outputs, space_, Outward{.from = from});
    return ranges;
  }

  static std::vector<Matrix<double>> mixed_with(std::vector<Matrix<double>> answers,
                                                const std::vector<Matrix<double>>& at_ends,
                                                const std::vector<OutputRange>& ranges) {
    double no_spread = 0;
    for (size_t t = 0; t < answers.size(); ++t)
      for (size_t r = 0; r < answers[t].rows(); ++r)
        ranges[t].mix(answers[t].row(r), no_spread, at_ends[t].row(r), 0);
    return answers;
  }

  static std::vector<Matrix<double>> stretched(std::vector<Matrix<double>> answers,
                                               const std::vector<OutputRange>& ranges,
                                               const Outward& outward) {
    for (size_t t = 0; t < answers.size(); ++t)
      for (size_t r = 0; r < answers[t].rows(); ++r) ranges[t].stretch(answers[t].row(r), outward);
    return answers;
  }

  std::span<const TunedTrial> trials_;
  const FitOptions& options_;
  const OutputSpace& space_;
  std::span<const double> scale_;
  const Beyond beyond_;
};

}  // namespace

ShellErrors errors_of(const TunedTrial& trial, const Matrix<double>& answers, std::span<const double> scale) {
  return {trial.shell, error_of(trial.rehearsal, answers, Part::inside, scale),
          error_of(trial.rehearsal, answers, Part::shell, scale)};
}

TrialErrors joined(std::span<const ShellErrors> shells) {
  MeanOfTrials inside, inputs, outputs;
  for (const ShellErrors& one : shells) {
    inside.add(one.inside);
    (is_of_outputs(one.shell) ? outputs : inputs).add(one.outside);
  }
  return {inside.mean(), inputs.mean(), outputs.mean()};
}

TrialErrors errors_of(std::span<const TunedTrial> trials, const std::vector<Matrix<double>>& answers,
                      std::span<const double> scale) {
  std::vector<ShellErrors> shells;
  for (size_t t = 0; t < trials.size(); ++t) shells.push_back(errors_of(trials[t], answers[t], scale));
  return joined(shells);
}

double weighed(const TrialErrors& errors, Beyond beyond) {
  const Weights weights = weights_of(beyond);
  double sum = 0, total = 0;
  const auto add = [&](double error, double weight) {
    if (std::isnan(error) || weight == 0) return;
    sum += weight * std::log(error + negligible);
    total += weight;
  };
  // Where answers beyond are far worse anyway, a little less error inside buys nothing.
  add(std::isnan(errors.inputs) ? errors.inside : std::max(errors.inside, inside_counts * errors.inputs),
      weights.inside);
  add(errors.inputs, weights.inputs);
  add(errors.outputs, weights.outputs);
  return total > 0 ? sum / total : std::numeric_limits<double>::quiet_NaN();
}

const std::vector<AnchorOptions>& tried_rules() {
  static const std::vector<AnchorOptions> rules = {{.rule = AnchorRule::all, .count = 200},
                                                   {.rule = AnchorRule::near, .count = 20},
                                                   {.rule = AnchorRule::near, .count = 3}};
  return rules;
}

Tuning tune(std::span<const TunedTrial> trials, const FitOptions& options, const OutputSpace& space,
            std::span<const double> scale, Beyond beyond) {
  return Tuner(trials, options, space, scale, beyond).run();
}

}  // namespace kedge
