#include "kedge/weights/pair_weights.h"

#include <algorithm>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/rng.h"

namespace kedge {
namespace {

constexpr size_t most_candidates = 1 << 20;
// Pairs weighed at once: their features stay in the cache.
constexpr size_t block_pairs = 1024;

Program weight_program(size_t features, const Architecture& architecture) {
  return find_model("bilinear").program({static_cast<int>(features), 1, {}}, architecture);
}

}  // namespace

void check(const WeightOptions& o) {
  const auto require = [](bool good, const char* name, const char* range, double found) {
    if (!good) throw Error("options", fmt::format("{} of weights needs {}; found {}", name, range, found));
  };
  const Architecture& a = o.architecture;
  require(a.layers >= 1 && a.layers <= 20, "layers", "1 to 20", a.layers);
  require(a.width >= 1 && a.width <= 16384, "width", "1 to 16384", a.width);
  require(a.embedding >= 1 && a.embedding <= 4096, "embedding", "1 to 4096", a.embedding);
  require(a.fourier_scale > 0 && a.fourier_scale <= 1e6, "fourier scale", "a positive number",
          a.fourier_scale);
  require(o.training.batch >= 1 && o.training.batch <= 65536, "batch", "1 to 65536",
          static_cast<double>(o.training.batch));
  require(o.training.steps >= 1 || o.epochs > 0, "steps", "at least 1",
          static_cast<double>(o.training.steps));
  require(o.epochs >= 0 && o.epochs <= 1e9, "epochs", "0 to 1e9", o.epochs);
  require(o.training.adam.learning_rate > 0 && o.training.adam.learning_rate < 100, "learning rate",
          "a positive number below 100", o.training.adam.learning_rate);
  require(o.cut >= 0 && o.cut < 1, "cut", "0 to below 1", o.cut);
  require(o.rounds >= 1 && o.rounds <= 100, "rounds", "1 to 100", o.rounds);
  require(o.effort > 0 && o.effort <= 1, "effort", "a number above 0 up to 1", o.effort);
  require(o.tolerance > 0 && o.tolerance <= 1000, "tolerance", "a positive number", o.tolerance);
}

PairWeights::PairWeights(const Program& program, const std::vector<float>& parameters)
    : engine_(make_engine(program, {parameters})) {}

template <class Set>
std::vector<float> PairWeights::weigh_all(const EncodedRows& rows, size_t count, const Set& set,
                                          const StopCheck& stop_check) const {
  std::vector<float> weights;
  weights.reserve(count);
  for (size_t first = 0; first < count; first += block_pairs) {
    check_stop(stop_check);
    const size_t some = std::min(block_pairs, count - first);
    PairBatch batch(rows, some);
    Matrix<float> out(some, 1);
    for (size_t slot = 0; slot < some; ++slot) set(batch, slot, first + slot);
    engine_->forward(0, batch.inputs(), out);
    // What is not a number is no reason to trust a pair.
    for (float weight : out.values()) weights.push_back(weight > 0 ? std::min(weight, 1.0f) : 0.0f);
  }
  return weights;
}

std::vector<float> PairWeights::weigh(const EncodedRows& rows, std::span<const Pair> pairs,
                                      const StopCheck& stop_check) const {
  return weigh_all(
      rows, pairs.size(), [&](PairBatch& batch, size_t slot, size_t p) { batch.set(slot, pairs[p]); },
      stop_check);
}

std::vector<float> PairWeights::weigh_anchors(const EncodedRows& rows, const QueryRow& query,
                                              std::span<const uint32_t> anchors) const {
  const size_t all = rows.features.rows();
  const auto row_of = [&](size_t i) { return anchors.empty() ? i : anchors[i]; };
  const std::vector<float> weights =
      weigh_all(rows, anchors.empty() ? all : anchors.size(),
                [&](PairBatch& batch, size_t slot, size_t i) { batch.set(slot, query, row_of(i)); }, {});
  std::vector<float> by_row(all);
  for (size_t i = 0; i < weights.size(); ++i) by_row[row_of(i)] = weights[i];
  return by_row;
}

Error weights_stopped() { return {"weights", "stopped before the weights of pairs were learned"}; }

PairWeights learn_weights(const EncodedRows& rows, const PairExamples& examples, const WeightOptions& options,
                          uint64_t seed, const ProgressFn& progress) {
  const Program program = weight_program(rows.features.cols(), options.architecture);
  const auto engine = make_engine(program, {initial_parameters(program, seed)});
  // As many pairs of high weight as of low weight in a batch, however few there are of one kind.
  std::vector<bool> is_high;
  for (float weight : examples.weights) is_high.push_back(weight >= 0.5f);
  const PairSampler sampler =
      PairSampler::balanced(rows.features.rows(), examples.pairs, is_high, Stream::pair_weights);
  TrainingRun run{.data = {.rows = rows, .pairs = sampler.tables(), .pair_targets = examples.weights},
                  .options = options.training,
                  .seed = seed};
  run.options.steps = steps_of(options.training, options.epochs, examples.size());
  // Noted, since a training that is asked at its last step counts as finished.
  bool goes_on = true;
  const TrainOutcome outcome = train(*engine, 0, run, [&](const Progress& p) {
    goes_on = goes_on && (!progress || progress(p));
    return goes_on;
  });
  if (!goes_on) throw weights_stopped();
  if (outcome.status == TrainStatus::diverged)
    throw Error("weights", fmt::format("learning of weights diverged after step {} of {}; look for extreme "
                                       "values in the table",
                                       outcome.steps, run.options.steps));
  return {engine->program(), engine->read(0)};
}

PairSampler weighted_sampler(const PairSampler& sampler, const PairWeights& weights, const EncodedRows& rows,
                             double cut, uint64_t seed, const StopCheck& stop_check) {
  const std::vector<Pair> candidates = draw_pool(sampler, most_candidates, seed);
  std::vector<float> found = weights.weigh(rows, candidates, stop_check);
  for (float& weight : found) weight = weight < static_cast<float>(cut) ? 0.0f : weight;
  if (std::all_of(found.begin(), found.end(), [](float weight) { return weight == 0; }))
    throw Error("weights",
                fmt::format("training needs pairs of a weight of at least {}; found none among {}; "
                            "give more example pairs",
                            cut, candidates.size()));
  return {sampler.rows(), candidates, found};
}

}  // namespace kedge
