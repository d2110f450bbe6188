#include "kedge/weights/joint_weights.h"

#include <algorithm>
#include <limits>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/nn/pair_errors.h"

namespace kedge {
namespace {

// Pairs whose errors teach the weights: enough to know which differences are wrong, few enough to be weighed
// in seconds.
constexpr size_t most_examples = 200000;

uint64_t round_steps(const WeightOptions& options, uint64_t steps) {
  return std::max<uint64_t>(1, static_cast<uint64_t>(options.effort * static_cast<double>(steps)));
}

// What a pair should weigh for its error to cost least.
PairExamples best_weights(std::span<const Pair> pairs, const std::vector<double>& errors, double tolerance,
                          const PairExamples& known) {
  PairExamples best = known;
  for (size_t p = 0; p < pairs.size(); ++p) {
    const double root = tolerance / (tolerance + errors[p]);
    best.pairs.push_back(pairs[p]);
    best.weights.push_back(static_cast<float>(root * root));
  }
  return best;
}

// Epochs count passes over examples, which are few; what errors tell is learned in steps.
WeightOptions from_errors(WeightOptions options) {
  options.epochs = 0;
  return options;
}

}  // namespace

uint64_t weight_steps(const WeightOptions& options, uint64_t steps, size_t examples) {
  if (options.source == WeightSource::none) return 0;
  const uint64_t given = examples > 0 ? steps_of(options.training, options.epochs, examples) : 0;
  if (options.source == WeightSource::examples) return given;
  return given +
         static_cast<uint64_t>(options.rounds) * (round_steps(options, steps) + options.training.steps);
}

PairWeights learn_jointly(const EncodedRows& rows, const PairSampler& sampler, const JointTraining& model,
                          const PairExamples& examples, const WeightOptions& options,
                          const ProgressFn& progress) {
  const std::vector<Pair> tried = draw_pool(sampler, most_examples, model.seed);
  TrainOptions training = model.training;
  training.steps = round_steps(options, model.training.steps);
  const uint64_t total = weight_steps(options, model.training.steps, examples.size());
  uint64_t done = 0;  // steps of the phases before
  bool goes_on = true;
  const ProgressFn watch = [&](const Progress& p) {
    goes_on = goes_on && (!progress || progress({done + p.step, total, p.loss}));
    return goes_on;
  };
  const StopCheck stop_check = [&] {
    if (!watch({.loss = std::numeric_limits<double>::quiet_NaN()})) throw weights_stopped();
  };
  std::unique_ptr<PairWeights> weights;
  if (!examples.empty()) {
    weights = std::make_unique<PairWeights>(learn_weights(rows, examples, options, model.seed, watch));
    done += steps_of(options.training, options.epochs, examples.size());
  }
  for (int round = 0; round < options.rounds; ++round) {
    const PairSampler drawn =
        weights ? weighted_sampler(sampler, *weights, rows, options.cut, model.seed, stop_check) : sampler;
    const auto engine = make_engine(model.program, {initial_parameters(model.program, model.seed)});
    const TrainOutcome outcome =
        train(*engine, 0, {{.rows = rows, .pairs = drawn.tables()}, training, model.seed}, watch);
    if (outcome.status == TrainStatus::diverged)
      throw Error("weights", fmt::format("a trial of joint training diverged after step {}; take a smaller "
                                         "learning rate than {}",
                                         outcome.steps, training.adam.learning_rate));
    done += training.steps;
    stop_check();
    const std::vector<double> errors = pair_errors(*engine, rows, tried, stop_check);
    weights = std::make_unique<PairWeights>(
        learn_weights(rows, best_weights(tried, errors, options.tolerance, examples), from_errors(options),
                      model.seed, watch));
    done += options.training.steps;
  }
  return std::move(*weights);
}

}  // namespace kedge
