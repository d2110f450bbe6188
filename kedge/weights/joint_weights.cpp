#include "kedge/weights/joint_weights.h"

#include <algorithm>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"

namespace kedge {
namespace {

// Pairs whose errors teach the weights: enough to know which differences are wrong, few enough to be weighed
// in seconds.
constexpr size_t most_examples = 200000;
constexpr size_t block_pairs = 1024;

uint64_t round_steps(const WeightOptions& options, uint64_t steps) {
  return std::max<uint64_t>(1, static_cast<uint64_t>(options.effort * static_cast<double>(steps)));
}

// Distance between prediction and truth for each pair, as the model was trained on them.
std::vector<double> errors_of(const Engine& engine, const EncodedRows& rows, std::span<const Pair> pairs) {
  const size_t outputs = rows.outputs.cols();
  std::vector<double> errors;
  errors.reserve(pairs.size());
  for (size_t first = 0; first < pairs.size(); first += block_pairs) {
    const size_t count = std::min(block_pairs, pairs.size() - first);
    PairBatch batch(rows, count);
    Matrix<float> y(count, outputs);
    for (size_t p = 0; p < count; ++p) batch.set(p, pairs[first + p]);
    engine.forward(0, batch.inputs(), y);
    for (size_t p = 0; p < count; ++p) {
      double squares = 0;
      for (size_t k = 0; k < outputs; ++k) {
        const double e = static_cast<double>(y(p, k) - rows.outputs(pairs[first + p].query, k));
        squares += e * e;
      }
      errors.push_back(std::sqrt(squares / static_cast<double>(outputs)));
    }
  }
  return errors;
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

}  // namespace

uint64_t joint_steps(const WeightOptions& options, uint64_t steps) {
  if (options.source != WeightSource::joint) return 0;
  return static_cast<uint64_t>(options.rounds) * round_steps(options, steps);
}

PairWeights learn_jointly(const EncodedRows& rows, const PairSampler& sampler, const JointTraining& model,
                          const PairExamples& examples, const WeightOptions& options,
                          const ProgressFn& progress) {
  const std::vector<Pair> tried = draw_pool(sampler, most_examples, model.seed);
  TrainOptions training = model.training;
  training.steps = round_steps(options, model.training.steps);
  const uint64_t total = joint_steps(options, model.training.steps);
  // While weights are learned nothing is counted, but a wish to stop is heard.
  const auto heartbeat = [&](uint64_t step) -> ProgressFn {
    return [&progress, step, total](const Progress& p) {
      return !progress || progress({step, total, p.loss});
    };
  };
  std::unique_ptr<PairWeights> weights;
  if (!examples.empty())
    weights = std::make_unique<PairWeights>(learn_weights(rows, examples, options, model.seed, heartbeat(0)));
  WeightOptions from_errors = options;
  from_errors.epochs = 0;  // they count passes over examples, which are few
  for (int round = 0; round < options.rounds; ++round) {
    const PairSampler drawn =
        weights ? weighted_sampler(sampler, *weights, rows, options.cut, model.seed) : sampler;
    const auto engine = make_engine(model.program, {initial_parameters(model.program, model.seed)});
    const uint64_t before = static_cast<uint64_t>(round) * training.steps;
    const ProgressFn watch = [&](const Progress& p) {
      return !progress || progress({before + p.step, total, p.loss});
    };
    const TrainOutcome outcome =
        train(*engine, 0, {{.rows = rows, .pairs = drawn.tables()}, training, model.seed}, watch);
    if (outcome.status == TrainStatus::stopped && weights) break;
    if (outcome.status == TrainStatus::diverged)
      throw Error("weights", fmt::format("a trial of joint training diverged after step {}; take a smaller "
                                         "learning rate than {}",
                                         outcome.steps, training.adam.learning_rate));
    const std::vector<double> errors = errors_of(*engine, rows, tried);
    weights = std::make_unique<PairWeights>(
        learn_weights(rows, best_weights(tried, errors, options.tolerance, examples), from_errors, model.seed,
                      heartbeat(before + training.steps)));
    if (outcome.status == TrainStatus::stopped) break;
  }
  return std::move(*weights);
}

}  // namespace kedge
