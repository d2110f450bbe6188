#include <memory>
#include <set>

#include "kedge/core/format.h"
#include "kedge/models/models.h"
#include "kedge/predictor/options.h"
#include "tests/nn/op_cases.h"
#include "tests/nn/random_pairs.h"
#include "tests/numerics/cases.h"

namespace kedge {
namespace {

/// Refuses to compile where a value of an enum has no case, and so no computation that goes by it.
constexpr bool is_computed(PairDraw draw) {
  switch (draw) {
    case PairDraw::by_group:
    case PairDraw::by_weight:
    case PairDraw::balanced:
    case PairDraw::in_order:
      return true;
  }
  return false;
}
static_assert(is_computed(PairDraw::by_group));

/// Parameters and losses after a training of two replicas.
std::vector<double> trained(const EngineMaker& make, const Program& program, const TrainingData& data,
                            const TrainOptions& options) {
  program.check();
  const auto engine = make(program, {initial_parameters(program, 1), initial_parameters(program, 2)});
  const std::vector<TrainingRun> runs = {{data, options, 3}, {data, options, 4}};
  std::vector<TrainOutcome> outcomes(runs.size());
  engine->train(
      0, runs, [](size_t, const Progress&) { return true; }, outcomes);
  std::vector<double> numbers;
  for (size_t r = 0; r < runs.size(); ++r) {
    append(numbers, engine->read(r));
    append(numbers, outcomes[r].losses);
  }
  return numbers;
}

Program small_program() {
  return find_model("bilinear")
      .program({op_features, op_outputs, {}}, {.layers = 2, .width = 9, .embedding = 3});
}

void add_ops(BitList& list, const EngineMaker& make, uint64_t steps) {
  const RandomData data(op_features, op_outputs, 19, LossWeights::drawn);
  for (const OpCase& op : op_cases)
    list.add("op " + op.name, trained(make, between_dense_ops(op, Readers::the_op_alone), data.data(),
                                      {.loss = Loss::mse, .batch = 19, .steps = steps}));
  for (int width : {15, 17, 130}) {
    Program p(op_features, op_outputs);
    p.dense(p.dense(p.dense(query_input(), 2 * width, Activation::relu), width, Activation::sin_pi),
            op_outputs, Activation::none);
    list.add(fmt::format("dense ops of {} units", width),
             trained(make, p, data.data(), {.loss = Loss::l2, .batch = 19, .steps = steps}));
  }
}

void add_optimizers(BitList& list, const EngineMaker& make, uint64_t steps) {
  const RandomData data(op_features, op_outputs, 33, LossWeights::equal);
  const TrainOptions usual{.batch = 33, .steps = steps};
  const auto add = [&](const std::string& name, const TrainOptions& options) {
    list.add(name, trained(make, small_program(), data.data(), options));
  };
  for (const auto& [loss, name] : names_of(Loss{})) {
    TrainOptions options = usual;
    options.loss = loss;
    add(fmt::format("loss {}", name), options);
  }
  for (const auto& [schedule, name] : names_of(Schedule{})) {
    TrainOptions options = usual;
    options.adam.schedule = schedule;
    add(fmt::format("schedule {}", name), options);
  }
  TrainOptions decay = usual;
  decay.adam.weight_decay = 0.1;
  add("weight decay", decay);
}

void add_draws(BitList& list, const EngineMaker& make, uint64_t steps) {
  const RandomData data(op_features, op_outputs, 16, LossWeights::equal);
  const size_t rows = data.features().rows();
  std::vector<double> keys(rows), row_weights(rows);
  for (size_t r = 0; r < rows; ++r) {
    keys[r] = static_cast<double>(r % 7);
    row_weights[r] = 0.5 + static_cast<double>(r % 5);
  }
  std::vector<Pair> pairs;
  std::vector<float> weights;
  std::vector<bool> is_first;
  for (uint32_t r = 0; r + 1 < rows; ++r) {
    pairs.push_back({r, r + 1});
    weights.push_back(static_cast<float>(r % 4));
    is_first.push_back(r % 3 == 0);
  }
  const auto add = [&](const std::string& name, const PairSampler& sampler) {
    TrainingData drawn = data.data();
    drawn.pairs = sampler.tables();
    drawn.pair_weights = {};
    std::vector<double> numbers = trained(make, small_program(), drawn, {.batch = 16, .steps = steps});
    for (uint32_t slot = 0; slot < 40; ++slot) {
      const Pair pair = sampler.draw(5, Stream::pairs, 6, slot);
      append(numbers, std::vector<uint32_t>{pair.query, pair.anchor});
    }
    list.add("pairs " + name, numbers);
  };
  for (const auto& [self, name] : names_of(SelfPairs{})) {
    add(fmt::format("of any rows, self {}", name), PairSampler(rows, self));
    add(fmt::format("of one key, self {}", name), PairSampler(keys, self));
    add(fmt::format("of weighted rows, self {}", name), PairSampler(rows, self, row_weights));
    add(fmt::format("of weighted rows of one key, self {}", name), PairSampler(keys, self, row_weights));
  }
  add("by weight", PairSampler(rows, pairs, weights));
  add("balanced", PairSampler::balanced(rows, pairs, is_first, Stream::pair_weights));
  add("in order", PairSampler::in_order(rows, pairs, 16));
}

/// Rows of a line, an angle and a rotation.
void add_curved_rows(BitList& list, const EngineMaker& make, uint64_t steps) {
  const Space space = Space::parse("a=angle,w+x+y+z=rotation", {"l", "a", "w", "x", "y", "z"});
  const size_t rows = 50, width = static_cast<size_t>(space.features());
  Matrix<double> points(rows, static_cast<size_t>(space.point_size()));
  Matrix<float> features(rows, width), outputs(rows, op_outputs);
  Rng rng(8, Stream::pairs);
  for (size_t r = 0; r < rows; ++r) {
    std::vector<double> row(6), seen(width);
    for (double& x : row) x = rng.uniform(-3, 3);
    space.to_point(row, points.row(r));
    space.point_features(points.row(r), seen);
    for (size_t f = 0; f < width; ++f) features(r, f) = static_cast<float>(seen[f]);
    for (float& y : outputs.row(r)) y = static_cast<float>(rng.uniform(-1, 1));
  }
  const std::vector<CurvedGroup> groups = space.curved_groups();
  const std::vector<double> mean(width, 0.25), scale(width, 1.5);
  const PairSampler sampler(rows, SelfPairs::exclude);
  const Program program =
      find_model("bilinear")
          .program({space.features(), op_outputs, {}}, {.layers = 2, .width = 9, .embedding = 3});
  list.add("differences of angles and rotations",
           trained(make, program,
                   {.rows = {points, features, outputs, {groups, mean, scale}}, .pairs = sampler.tables()},
                   {.batch = 16, .steps = steps}));
}

}  // namespace

void add_trainings(BitList& list, const EngineMaker& make, uint64_t steps) {
  add_ops(list, make, steps);
  add_optimizers(list, make, steps);
  add_draws(list, make, steps);
  add_curved_rows(list, make, steps);
}

void add_trained_models(BitList& list, const EngineMaker& make, int width, uint64_t steps) {
  const RandomData data(6, 2, 20, LossWeights::equal);
  for (const Model& model : all_models())
    for (const auto& [predicts, name] : names_of(Predicts{})) {
      if (!model.is_trained()) continue;
      const Program program =
          model.program({.features = 6, .outputs = 2, .context = {0, 4}},
                        {.layers = 3, .width = width, .embedding = 5, .predicts = predicts});
      list.add(fmt::format("model {}, width {}, predicts {}", model.name, width, name),
               trained(make, program, data.data(), {.batch = 20, .steps = steps}));
    }
}

}  // namespace kedge
