// Which programs are chains, and who owns their weights.

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "kedge/models/models.h"
#include "kedge/nn/device_plan.h"

namespace kedge {
namespace {

constexpr Activation relu = Activation::relu, none = Activation::none;

Program model_program(const std::string& model, const Architecture& architecture) {
  return find_model(model).program({.features = 12, .outputs = 3, .context = {0, 1}}, architecture);
}

TEST(EmulatedChains, are_models_of_one_plain_network_or_of_a_product_of_two) {
  for (const Model& model : all_models()) {
    if (!model.is_trained()) continue;
    for (Predicts predicts : {Predicts::value, Predicts::change})
      for (Fourier fourier : {Fourier::off, Fourier::on}) {
        const size_t expected = model.name == "bilinear"                             ? 2
                                : model.name == "mlp" || model.name == "equivariant" ? 1
                                                                                     : 0;
        const Program program = model_program(
            model.name,
            {.layers = 3, .width = 32, .embedding = 32, .fourier = fourier, .predicts = predicts});
        EXPECT_EQ(chains_of(program).size(), expected) << model.name;
      }
  }
}

TEST(EmulatedChains, have_no_op_that_something_else_reads_or_that_shares_its_weights) {
  Program shared_layer(4, 1);
  const int hidden = shared_layer.dense(Program::input(Input::query), 8, relu);
  shared_layer.bilinear(shared_layer.dense(hidden, 8, none), shared_layer.dense(hidden, 8, none), 1);
  EXPECT_TRUE(chains_of(shared_layer).empty());

  Program shared_weights(4, 1);
  const int f = shared_weights.dense(Program::input(Input::query), 8, none);
  shared_weights.bilinear(f, shared_weights.dense_like(f, Program::input(Input::anchor), none), 1);
  EXPECT_TRUE(chains_of(shared_weights).empty());

  Program squared(4, 1);
  const int g = squared.dense(Program::input(Input::query), 8, none);
  squared.bilinear(g, g, 1);
  EXPECT_TRUE(chains_of(squared).empty());

  Program from_output(4, 1);
  from_output.dense(Program::input(Input::anchor_output), 1, none);
  EXPECT_TRUE(chains_of(from_output).empty());

  Program bent(4, 1);
  bent.dense(Program::input(Input::query), 1, relu);
  EXPECT_TRUE(chains_of(bent).empty()) << "an activation at its end";
}

TEST(EmulatedChains, have_each_weight_in_one_tile_and_tiles_of_a_warp_from_the_last_layer_on) {
  for (int layers : {1, 2, 3, 4})
    for (int width : {7, 32, 40, 64}) {
      const Program program = model_program("bilinear", {.layers = layers, .width = width, .embedding = 21});
      const DevicePlan plan(program, 32, DeviceForm::chains);
      ASSERT_EQ(plan.chains.count, 2u);
      const DeviceChain& chain = plan.chains.chain[0];
      if (chain.most_of_warp * DeviceChain::warps > DeviceChain::most_tiles) continue;  // no block takes it
      std::map<std::tuple<int, int, int>, int> times;  // layer, row, column of 16 x 8 weights
      for (size_t w = 0; w < DeviceChain::warps; ++w)
        for (size_t i = chain.first_tile[w]; i < chain.first_tile[w + 1]; ++i) {
          const DeviceTile& tile = chain.tile[i];
          if (i > chain.first_tile[w]) {
            EXPECT_LE(tile.layer, chain.tile[i - 1].layer);
          }
          for (int half = 0; half < tile.halves; ++half)
            ++times[{tile.layer, tile.row, tile.column + 8 * half}];
        }
      size_t all = 0;
      for (uint32_t l = 0; l < chain.layers; ++l) all += chain.layer[l].out / 16 * (chain.layer[l].in / 8);
      EXPECT_EQ(times.size(), all);
      for (const auto& [place, count] : times) EXPECT_EQ(count, 1);
    }
}

TEST(EmulatedChains, give_parameters_back_as_they_came) {
  const Program program = model_program("bilinear", {.layers = 3, .width = 20, .embedding = 5});
  const DevicePlan plan(program, 20, DeviceForm::chains);
  std::vector<float> flat(program.parameters());
  for (size_t i = 0; i < flat.size(); ++i) flat[i] = static_cast<float>(i + 1);
  EXPECT_EQ(plan.flat_parameters(program, plan.padded_parameters(program, flat).data()), flat);
}

}  // namespace
}  // namespace kedge
