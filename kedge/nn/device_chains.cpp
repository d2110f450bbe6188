#include "kedge/nn/device_chains.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kedge/nn/device_plan.h"

namespace kedge {
namespace {

bool is_layer(const Program& program, int value) {
  if (value < input_count) return false;
  const Op& op = program.ops()[static_cast<size_t>(value - input_count)];
  return op.kind == OpKind::dense && op.shares < 0;
}

/// Dense ops from an input of features to this value; empty where there is anything else on the way.
std::vector<size_t> chain_to(const Program& program, int value) {
  std::vector<size_t> ops;
  for (; is_layer(program, value); value = program.ops()[ops.back()].from[0])
    ops.push_back(static_cast<size_t>(value - input_count));
  if (value >= Program::input(Input::anchor_output) || ops.size() > DeviceChain::most_layers) return {};
  std::reverse(ops.begin(), ops.end());
  return ops;
}

/// Each tile to the warp that has least to do, of those that have room. Who computes comes later, by about as
/// much as two tiles take.
void share_tiles(DeviceChain& chain) {
  constexpr size_t warps = DeviceChain::warps, head_start = 2;
  std::array<std::vector<DeviceTile>, warps> own;
  const auto load = [&](size_t w) {
    const bool is_full = own[w].size() >= DeviceChain::most_of_a_warp;
    return std::pair(is_full, own[w].size() + (w < DeviceChain::computing_warps ? head_start : 0));
  };
  for (uint32_t l = chain.layers; l-- > 0;) {
    const DeviceLayer& layer = chain.layer[l];
    for (uint32_t row = 0; row < layer.out; row += 16)
      for (uint32_t column = 0; column < layer.in; column += 16) {
        size_t least = warps - 1;  // of equals the last: it does not compute
        for (size_t w = warps; w-- > 0;)
          if (load(w) < load(least)) least = w;
        own[least].push_back({static_cast<uint16_t>(l), static_cast<uint16_t>(row),
                              static_cast<uint16_t>(column),
                              static_cast<uint16_t>(column + 8 < layer.in ? 2 : 1)});
      }
  }
  size_t count = 0;
  for (size_t w = 0; w < warps; ++w) {
    chain.most_of_warp = std::max(chain.most_of_warp, static_cast<uint32_t>(own[w].size()));
    // What no warp has room for is left out: no block takes such a chain.
    own[w].resize(std::min<size_t>(own[w].size(), DeviceChain::most_of_a_warp));
    for (const DeviceTile& tile : own[w]) chain.tile[count++] = tile;
    chain.first_tile[w + 1] = static_cast<uint8_t>(count);
  }
}

}  // namespace

std::vector<std::vector<size_t>> chains_of(const Program& program) {
  const std::vector<Op>& ops = program.ops();
  std::vector<int> times(ops.size());  // that an op has a place in the form
  const auto op_of = [&](int value) -> const Op& {
    const auto op = static_cast<size_t>(value - input_count);
    ++times[op];
    return ops[op];
  };
  int value = input_count + static_cast<int>(ops.size()) - 1;
  if (const Op& last = ops.back(); last.kind == OpKind::add && last.from[0] >= input_count &&
                                   last.from[1] == Program::input(Input::anchor_output))
    value = op_of(value).from[0];
  std::vector<int> ends = {value};
  if (ops[static_cast<size_t>(value - input_count)].kind == OpKind::bilinear) ends = op_of(value).from;
  std::vector<std::vector<size_t>> chains;
  for (int end : ends) {
    chains.push_back(chain_to(program, end));
    if (chains.back().empty() || ops[chains.back().back()].activation != Activation::none) return {};
    for (size_t op : chains.back()) ++times[op];
  }
  const bool each_once = std::all_of(times.begin(), times.end(), [](int count) { return count == 1; });
  return each_once ? chains : std::vector<std::vector<size_t>>{};
}

void DevicePlan::place_chains(const Program& program) {
  const std::vector<std::vector<size_t>> all = chains_of(program);
  chains.count = static_cast<uint32_t>(all.size());
  values.resize(input_count);
  for (size_t v = 0; v < values.size(); ++v) {
    DeviceValue& value = values[v];
    value.width = static_cast<uint32_t>(program.width(static_cast<int>(v)));
    value.rows = up_to(value.width, 8);
    value.feature_stride = 1;
    value.slot_stride = row_of(value.rows);
    value.at = static_cast<uint32_t>(input_floats);
    if (program.reads(static_cast<Input>(v))) input_floats += slots * value.slot_stride;
  }
  place_targets(program);
  ops.resize(program.ops().size());
  for (size_t c = 0; c < all.size(); ++c) place_chain(program, all[c], chains.chain[c]);
  chains.adds_anchor = program.ops().back().kind == OpKind::add;
  const DeviceValue& anchor = values[static_cast<size_t>(Input::anchor_output)];
  chains.anchor_at = anchor.at;
  chains.anchor_row = anchor.slot_stride;
  const DeviceChain& first = chains.chain[0];
  chains.rank = chains.count == 2 ? first.width / static_cast<uint32_t>(program.outputs()) : 1;
  const auto place = [&](size_t floats) {
    const uint32_t at = chains.value_floats;
    chains.value_floats += up_to(floats, 4);
    return at;
  };
  const uint32_t row = first.layer[first.layers - 1].y_row;
  if (chains.count == 2) chains.other_at = place(2 * slots * row);
  chains.error_at = place(slots * static_cast<size_t>(program.outputs()));
  chains.squares_at = place(2 * slots);
  chains.signal_at = place(4);
}

void DevicePlan::place_chain(const Program& program, const std::vector<size_t>& of, DeviceChain& chain) {
  chain.layers = static_cast<uint32_t>(of.size());
  chain.input = static_cast<uint32_t>(program.ops()[of[0]].from[0]);
  chain.width = static_cast<uint32_t>(program.ops()[of.back()].width);
  chain.parameter_at = static_cast<uint32_t>(parameter_floats);
  uint32_t parameters = 0, biases = 0, floats = 0;
  const auto place = [&](uint32_t row) {
    const uint32_t at = floats;
    floats += static_cast<uint32_t>(slots) * row;
    return at;
  };
  const DeviceValue& input = values[chain.input];
  for (uint32_t l = 0; l < chain.layers; ++l) {
    const Op& op = program.ops()[of[l]];
    DeviceLayer& layer = chain.layer[l];
    layer.in = l == 0 ? input.rows : chain.layer[l - 1].out;
    layer.out = up_to(static_cast<size_t>(op.width), 16);
    layer.weight_at = parameters;
    layer.weight_row = row_of(layer.in);
    layer.bias_at = layer.weight_at + layer.out * layer.weight_row;
    parameters = layer.bias_at + layer.out;
    layer.biases_before = biases;
    biases += layer.out;
    layer.x_at = l == 0 ? input.at : chain.layer[l - 1].y_at;
    layer.x_row = l == 0 ? input.slot_stride : chain.layer[l - 1].y_row;
    layer.y_row = row_of(layer.out);
    layer.y_at = place(layer.y_row);
    layer.gradient_at = l + 1 == chain.layers ? layer.y_at : place(layer.y_row);
    layer.is_relu = op.activation == Activation::relu;
    layer.is_sin = op.activation == Activation::sin_pi;
    if (layer.is_sin) layer.slope_at = place(layer.y_row);
    DeviceOp& placed = ops[of[l]];
    placed.weight_at = chain.parameter_at + layer.weight_at;
    placed.weight_row = layer.weight_row;
    placed.bias_at = chain.parameter_at + layer.bias_at;
  }
  share_tiles(chain);
  chain.parameter_floats = parameters;
  parameter_floats += parameters;
  chains.parameter_floats = std::max(chains.parameter_floats, parameters);
  chains.bias_floats = std::max(chains.bias_floats, biases);
  chains.value_floats = std::max(chains.value_floats, floats);
}

}  // namespace kedge
