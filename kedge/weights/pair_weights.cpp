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

/// Labelled pairs as a program of one output reads them; those of low and of high weight equally often,
/// however many there are of either.
class LabelledSource : public PairSource {
 public:
  LabelledSource(SampledPairs::Data data, const PairLabels& labels) : data_(data), labels_(labels) {
    for (size_t p = 0; p < labels.size(); ++p) (labels.weights[p] < 0.5f ? low_ : high_).push_back(p);
    if (low_.empty() || high_.empty()) low_ = high_ = low_.empty() ? high_ : low_;
  }

  void fill(uint64_t seed, uint64_t step, const Batch& batch) const override {
    const size_t width = data_.features.cols();
    for (size_t p = 0; p < batch.pairs; ++p) {
      const auto block = Rng::block(seed, Stream::pair_weights, step, static_cast<uint32_t>(p));
      const std::vector<size_t>& kind = p % 2 == 0 ? high_ : low_;
      const size_t drawn = kind[Rng::scale(block[0], block[1], kind.size())];
      const Pair pair = labels_.pairs[drawn];
      const auto query = data_.features.row(pair.query), anchor = data_.features.row(pair.anchor);
      std::copy_n(anchor.data(), width, batch.anchor + p * batch.feature_stride);
      data_.encoder.encode_delta(data_.points.row(pair.query), data_.points.row(pair.anchor), query, anchor,
                                 {batch.delta + p * batch.feature_stride, width});
      batch.target[p * batch.output_stride] = labels_.weights[drawn];
    }
  }

 private:
  SampledPairs::Data data_;
  const PairLabels& labels_;
  std::vector<size_t> high_, low_;  // pairs by their weight
};

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
    : engine_(make_cpu_engine(program, {0}, {parameters})) {}

std::vector<float> PairWeights::weigh(const ForwardInputs& inputs) const {
  Matrix<float> out(inputs.rows, 1);
  engine_->forward(0, inputs, out);
  std::vector<float> weights(inputs.rows);
  // What is not a number is no reason to trust a pair.
  for (size_t r = 0; r < weights.size(); ++r) weights[r] = out(r, 0) > 0 ? std::min(out(r, 0), 1.0f) : 0.0f;
  return weights;
}

std::vector<float> PairWeights::weigh(const SampledPairs::Data& data, std::span<const Pair> pairs) const {
  const size_t width = data.features.cols();
  std::vector<float> weights;
  weights.reserve(pairs.size());
  for (size_t first = 0; first < pairs.size(); first += block_pairs) {
    const size_t count = std::min(block_pairs, pairs.size() - first);
    Matrix<float> anchor(count, width), delta(count, width);
    for (size_t p = 0; p < count; ++p) {
      const Pair pair = pairs[first + p];
      std::copy_n(data.features.row(pair.anchor).data(), width, anchor.row(p).data());
      data.encoder.encode_delta(data.points.row(pair.query), data.points.row(pair.anchor),
                                data.features.row(pair.query), anchor.row(p), delta.row(p));
    }
    const std::vector<float> some = weigh({count, {}, anchor, delta, {}});
    weights.insert(weights.end(), some.begin(), some.end());
  }
  return weights;
}

std::vector<float> PairWeights::weigh_anchors(const SampledPairs::Data& data,
                                              std::span<const double> point) const {
  const size_t width = data.features.cols(), rows = data.points.rows();
  std::vector<float> query(width), weights;
  data.encoder.encode_point(point, query);
  weights.reserve(rows);
  for (size_t first = 0; first < rows; first += block_pairs) {
    const size_t count = std::min(block_pairs, rows - first);
    Matrix<float> anchor(count, width), delta(count, width);
    for (size_t p = 0; p < count; ++p) {
      std::copy_n(data.features.row(first + p).data(), width, anchor.row(p).data());
      data.encoder.encode_delta(point, data.points.row(first + p), query, anchor.row(p), delta.row(p));
    }
    const std::vector<float> some = weigh({count, {}, anchor, delta, {}});
    weights.insert(weights.end(), some.begin(), some.end());
  }
  return weights;
}

PairWeights learn_weights(const SampledPairs::Data& data, const PairLabels& labels,
                          const WeightOptions& options, uint64_t seed, const ProgressFn& progress) {
  const auto engine = make_cpu_engine(weight_program(data.features.cols(), options.architecture), {seed});
  TrainOptions training = options.training;
  training.steps = steps_of(training, options.epochs, labels.size());
  Pool pool(1);
  const TrainOutcome outcome = train(*engine, LabelledSource(data, labels), training, pool, progress);
  if (outcome.status == TrainStatus::diverged)
    throw Error("weights", fmt::format("learning of weights diverged after step {} of {}; look for extreme "
                                       "values in the table",
                                       outcome.steps, training.steps));
  return {engine->program(), engine->read(0)};
}

PairSampler weighted_sampler(const PairSampler& sampler, const PairWeights& weights,
                             const SampledPairs::Data& data, double cut, uint64_t seed) {
  const std::vector<Pair> candidates = draw_pool(sampler, most_candidates, seed);
  std::vector<float> found = weights.weigh(data, candidates);
  for (float& weight : found) weight = weight < static_cast<float>(cut) ? 0.0f : weight;
  if (std::all_of(found.begin(), found.end(), [](float weight) { return weight == 0; }))
    throw Error("weights",
                fmt::format("training needs pairs of a weight of at least {}; found none among {}; "
                            "label more pairs",
                            cut, candidates.size()));
  return {sampler.rows(), candidates, found};
}

}  // namespace kedge
