// Ten training steps of every neural model, held to PyTorch. The formulas are in the header of dump_torch.py,
// which made torch.json.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kedge/models/models.h"
#include "kedge/nn/train.h"

namespace kedge {
namespace {

// Both sides round in float over ten steps; rounding alone is 1.2e-7 (double_deviation in torch.json).
constexpr double torch_tolerance = 2e-6;

constexpr size_t rows = 40, inputs = 5, outputs = 2, batch = 8, steps = 10, anchor_of_prediction = 3;

struct Data {
  Data() : x(rows, inputs), y(rows, outputs) {
    for (size_t i = 0; i < rows; ++i) {
      const double n = static_cast<double>(i + 1);
      for (size_t c = 0; c < inputs; ++c)
        x(i, c) = static_cast<float>(std::sin(0.1 * n * static_cast<double>(c + 1)) +
                                     0.05 * static_cast<double>(c));
      for (size_t k = 0; k < outputs; ++k)
        y(i, k) = static_cast<float>(std::cos(0.2 * n * static_cast<double>(k + 1)) * std::sin(0.1 * n) +
                                     0.1 * static_cast<double>(k));
    }
  }
  Matrix<float> x, y;
};

// The pairs of all steps, one after the other, with their weights in the loss.
struct GoldenPairs {
  GoldenPairs() {
    std::vector<Pair> list;
    for (size_t step = 0; step < steps; ++step) {
      for (size_t p = 0; p < batch; ++p) {
        list.push_back({static_cast<uint32_t>((7 * step + 3 * p) % rows),
                        static_cast<uint32_t>((11 * step + 5 * p + 1) % rows)});
        weights.push_back(static_cast<float>(0.5 + 0.1 * static_cast<double>((step + p) % 5)));
      }
    }
    sampler = PairSampler::in_order(rows, std::move(list), batch);
  }
  PairSampler sampler{rows, SelfPairs::allow};
  std::vector<float> weights;
};

std::vector<float> golden_parameters(const Program& program) {
  std::vector<float> parameters;
  int tensor = 0;
  for (const Op& op : program.ops()) {
    if (op.kind != OpKind::dense) continue;
    const int in = program.width(op.from[0]);
    const double scale = 0.5 / std::sqrt(static_cast<double>(in));
    for (int size : {op.width * in, op.width}) {
      for (int j = 0; j < size; ++j)
        parameters.push_back(static_cast<float>(scale * std::sin(1.0 + 0.7 * tensor + 0.37 * j)));
      ++tensor;
    }
  }
  return parameters;
}

Program golden_program(const nlohmann::json& golden) {
  const Shape shape{static_cast<int>(inputs), static_cast<int>(outputs), {3, 4}};
  const Architecture architecture{
      .layers = 3,
      .width = 16,
      .embedding = 4,
      .fourier = golden.at("fourier").get<bool>() ? Fourier::on : Fourier::off,
      .predicts = golden.at("change").get<bool>() ? Predicts::change : Predicts::value};
  return find_model(golden.at("model")).program(shape, architecture);
}

std::vector<float> predict(const Engine& engine, const Data& data) {
  Matrix<float> query(1, inputs), anchor(1, inputs), delta(1, inputs), anchor_output(1, outputs),
      y(1, outputs);
  for (size_t c = 0; c < inputs; ++c) {
    query(0, c) = static_cast<float>(0.3 + 0.2 * static_cast<double>(c));
    anchor(0, c) = data.x(anchor_of_prediction, c);
    delta(0, c) = query(0, c) - anchor(0, c);
  }
  for (size_t k = 0; k < outputs; ++k) anchor_output(0, k) = data.y(anchor_of_prediction, k);
  engine.forward(0, {1, query, anchor, delta, anchor_output}, y);
  return y.values();
}

void check_case(const nlohmann::json& golden, const Data& data) {
  SCOPED_TRACE(golden.at("name").get<std::string>());
  const std::string loss = golden.at("loss");
  const TrainOptions options{
      .adam = {.learning_rate = 1e-3,
               .schedule = golden.at("schedule") == "cosine" ? Schedule::cosine : Schedule::constant},
      .loss = loss == "l2" ? Loss::l2 : Loss::mse,
      .batch = batch,
      .steps = steps};
  const Program program = golden_program(golden);
  const auto engine = make_engine(program, {golden_parameters(program)});
  const GoldenPairs pairs;
  TrainingRun run{.data = {.rows = {.points = {}, .features = data.x, .outputs = data.y, .curved = {}},
                           .pairs = pairs.sampler.tables()},
                  .options = options};
  if (loss == "weighted") run.data.pair_weights = pairs.weights;
  const TrainOutcome outcome = train(*engine, 0, run);
  ASSERT_EQ(outcome.losses.size(), steps);
  for (size_t s = 0; s < steps; ++s)
    EXPECT_NEAR(outcome.losses[s], golden.at("losses").at(s).get<double>(), torch_tolerance) << "step " << s;
  const std::vector<float> y = predict(*engine, data);
  for (size_t k = 0; k < outputs; ++k)
    EXPECT_NEAR(static_cast<double>(y[k]), golden.at("prediction").at(k).get<double>(), torch_tolerance);
}

TEST(Torch, ten_training_steps_of_every_model_give_its_losses_and_prediction) {
  std::ifstream file(KEDGE_SOURCE_DIR "/tests/golden/torch.json");
  const auto golden = nlohmann::json::parse(file);
  const Data data;
  ASSERT_EQ(golden.at("cases").size(), 37u);
  for (const auto& one : golden.at("cases")) check_case(one, data);
}

}  // namespace
}  // namespace kedge
