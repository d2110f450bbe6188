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

  Program unread(4, 1);  // as many ops as places of ops
  unread.dense(Program::input(Input::anchor), 8, none);
  const int twice = unread.dense(Program::input(Input::query), 8, relu);
  unread.bilinear(unread.dense(twice, 8, none), unread.dense(twice, 8, none), 1);
  EXPECT_TRUE(chains_of(unread).empty());

  Program of_input(4, 1);
  of_input.bilinear(Program::input(Input::query), of_input.dense(Program::input(Input::anchor), 4, none), 1);
  EXPECT_TRUE(chains_of(of_input).empty());

  Program bent(4, 1);
  bent.dense(Program::input(Input::query), 1, relu);
  EXPECT_TRUE(chains_of(bent).empty()) << "an activation at its end";
}

TEST(EmulatedChains, add_the_output_of_the_anchor_last_and_behind_their_own) {
  const auto chains_with = [](bool is_first) {
    Program program(4, 1);
    const int x = program.dense(Program::input(Input::query), 1, none),
              output = Program::input(Input::anchor_output);
    is_first ? program.add(output, x) : program.add(x, output);
    return chains_of(program).size();
  };
  EXPECT_EQ(chains_with(false), 1u);
  EXPECT_EQ(chains_with(true), 0u);
}

TEST(EmulatedChains, have_up_to_six_layers) {
  Program program(4, 1);
  int value = Program::input(Input::query);
  for (uint32_t layers = 1; layers <= DeviceChain::most_layers + 1; ++layers) {
    value = program.dense(value, 1, none);
    EXPECT_EQ(chains_of(program).size(), layers <= DeviceChain::most_layers ? 1u : 0u) << layers;
  }
}

/// Each 16 x 8 weights have one place, and of a warp those of later layers come first.
void expect_each_weight_once(const DeviceChain& chain) {
  std::map<std::tuple<int, int, int>, int> times;  // layer, row, column
  for (size_t w = 0; w < DeviceChain::warps; ++w)
    for (size_t i = chain.first_tile[w]; i < chain.first_tile[w + 1]; ++i) {
      const DeviceTile& tile = chain.tile[i];
      if (i > chain.first_tile[w]) {
        EXPECT_LE(tile.layer, chain.tile[i - 1].layer);
      }
      for (int half = 0; half < tile.halves; ++half) ++times[{tile.layer, tile.row, tile.column + 8 * half}];
    }
  size_t all = 0;
  for (uint32_t l = 0; l < chain.layers; ++l) all += chain.layer[l].out / 16 * (chain.layer[l].in / 8);
  EXPECT_EQ(times.size(), all);
  for (const auto& [place, count] : times) EXPECT_EQ(count, 1);
}

TEST(EmulatedChains, have_each_weight_in_one_tile_and_tiles_of_a_warp_from_the_last_layer_on) {
  for (int layers : {1, 2, 3})
    for (int width : {7, 32, 40, 64}) {
      const Program program = model_program("bilinear", {.layers = layers, .width = width, .embedding = 21});
      const DevicePlan plan(program, 32, DeviceForm::chains);
      ASSERT_EQ(plan.chains.count, 2u);
      for (const DeviceChain& chain : plan.chains.chain) {
        EXPECT_LE(chain.most_of_warp, DeviceChain::most_of_a_warp) << layers << " layers, width " << width;
        expect_each_weight_once(chain);
      }
    }
}

TEST(EmulatedChains, have_room_for_as_many_tiles_as_their_warps_and_for_no_more) {
  const auto chain_of = [](int outputs) {
    Program program(64, outputs);
    program.dense(Program::input(Input::query), outputs, none);
    return DevicePlan(program, 8, DeviceForm::chains).chains.chain[0];
  };
  const DeviceChain full = chain_of(16 * 15), more = chain_of(16 * 15 + 1);
  EXPECT_EQ(full.first_tile[DeviceChain::warps], DeviceChain::most_tiles);
  EXPECT_EQ(full.most_of_warp, DeviceChain::most_of_a_warp);
  expect_each_weight_once(full);
  EXPECT_GT(more.most_of_warp, DeviceChain::most_of_a_warp);
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
