#pragma once

// Form chains of a device: programs of one or two chains of small dense layers, each from an input to a
// value. One chain is the prediction; two are the operands of its product. A thread block has one chain.
//
// Values stand slot by slot. Rows are so far apart that eight slots of four neighbours, and four slots of
// eight, fall into different banks of shared memory.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kedge/core/host_device.h"
#include "kedge/nn/program.h"

namespace kedge {

/// The next multiple.
KEDGE_HOST_DEVICE constexpr uint32_t up_to(size_t number, size_t multiple) {
  return static_cast<uint32_t>((number + multiple - 1) / multiple * multiple);
}

/// From one row of a multiple of eight numbers to the next: eight times an odd number.
KEDGE_HOST_DEVICE constexpr uint32_t row_of(uint32_t width) { return width % 16 == 8 ? width : width + 8; }

/// Offsets are in floats: of parameters in those of the chain, of values in the memory of its block.
struct DeviceLayer {
  uint32_t in = 0, out = 0;  ///< widths, to multiples of 8 and 16
  uint32_t weight_at = 0, weight_row = 0, bias_at = 0;
  /// What it reads; of the first layer in the buffer of inputs. x_row is weight_row.
  uint32_t x_at = 0, x_row = 0;
  uint32_t y_at = 0, y_row = 0;  ///< what it gives
  uint32_t gradient_at = 0;      ///< of that; of the last layer in its place
  uint32_t slope_at = 0;         ///< sin_pi: derivative from the forward pass
  uint32_t biases_before = 0;    ///< in earlier layers
  uint32_t is_relu = 0, is_sin = 0;
};

/// What a warp owns: up to 16 x 16 weights, of which the second half may not be there.
struct DeviceTile {
  uint16_t layer = 0, row = 0, column = 0, halves = 0;
};

struct DeviceChain {
  static constexpr uint32_t most_layers = 6;
  /// Of these warps the first compute the values; they have less time for tiles than the others.
  static constexpr uint32_t warps = 15, computing_warps = 8;
  static constexpr uint32_t most_of_a_warp = 4, most_tiles = warps * most_of_a_warp;
  uint32_t input = 0;              ///< which of the program's inputs it begins with
  uint32_t layers = 0, width = 0;  ///< width: of what it gives, without padding
  uint32_t parameter_at = 0, parameter_floats = 0;
  uint32_t most_of_warp = 0;  ///< tiles of the warp that has the most, were there room for them
  DeviceLayer layer[most_layers];
  uint8_t first_tile[warps + 1] = {};  ///< by warp; each has its own from the last layer on
  DeviceTile tile[most_tiles];
};

struct DeviceChains {
  static constexpr size_t most_slots = 64;
  uint32_t count = 0;  ///< 0: this is no such program
  DeviceChain chain[2];
  uint32_t rank = 0;                       ///< of the product; of one chain 1
  uint32_t adds_anchor = 0;                ///< the anchor's output is added in the end
  uint32_t anchor_at = 0, anchor_row = 0;  ///< of that, in the buffer of inputs
  uint32_t parameter_floats = 0;           ///< of the larger chain
  uint32_t bias_floats = 0;                ///< of these the biases
  uint32_t value_floats = 0;               ///< of the larger chain: values, gradients and slopes
  uint32_t other_at = 0;                   ///< two buffers for what the other chain gives
  uint32_t error_at = 0;                   ///< of each slot and output
  uint32_t squares_at = 0;                 ///< two buffers, by slot
  uint32_t signal_at = 0;                  ///< two signals
};

/// The ops of each chain of a program, first to last; none where it is no such program.
std::vector<std::vector<size_t>> chains_of(const Program& program);

}  // namespace kedge
