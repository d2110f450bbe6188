#pragma once

// Rng: counter-based random numbers (Philox 4x32, ten rounds).
//
// A sequence is named by (seed, stream, step) and is the same on every machine, thread and compiler; any
// sequence can be opened at any time without running the ones before it. Two streams never share a number.

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "kedge/core/host_device.h"

namespace kedge {

/// What a sequence is for. Values are part of the reproducibility promise: append, never renumber.
enum class Stream : uint32_t {
  parameters = 1,
  pairs = 2,
  pool = 3,
  anchor = 4,
  split = 5,
  domain = 6,
  noise = 7,
  coverage = 8,
  tiles = 9,
  grasp = 10,
  grasp_shape = 11,
  example_pairs = 12,
  pair_weights = 13,
  evaluation = 14,
  goals = 15,
  expert = 16,
  slider = 17,
  laws = 18,
  replica = 19,
};

class Rng {
 public:
  Rng(uint64_t seed, Stream stream, uint64_t step = 0)
      : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
        counter_{0, static_cast<uint32_t>(stream), static_cast<uint32_t>(step),
                 static_cast<uint32_t>(step >> 32)} {}

  uint32_t bits32() {
    if (used_ == 4) {
      block_ = philox(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return block_[used_++];
  }

  uint64_t bits64() {
    const uint64_t high = bits32();
    return high << 32 | bits32();
  }

  /// Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(bits64() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Uniform in {0, ..., n-1}, n > 0. The bias of the multiply-shift is below n / 2^64.
  uint64_t below(uint64_t n) {
    const uint32_t high = bits32();
    return scale(high, bits32(), n);
  }

  /// Standard normal (Box-Muller, one of the two).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  /// Block number `index` of a sequence: the numbers 4 index ... 4 index + 3 of bits32().
  KEDGE_HOST_DEVICE static std::array<uint32_t, 4> block(uint64_t seed, Stream stream, uint64_t step,
                                                         uint32_t index) {
    return philox({index, static_cast<uint32_t>(stream), static_cast<uint32_t>(step),
                   static_cast<uint32_t>(step >> 32)},
                  {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  }

  /// 64 random bits to {0, ..., n-1}.
  KEDGE_HOST_DEVICE static uint64_t scale(uint32_t high, uint32_t low, uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>(static_cast<Wide>(uint64_t{high} << 32 | low) * n >> 64);
  }

  /// The bare generator, public so that another engine can be held to the same numbers.
  KEDGE_HOST_DEVICE static std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                                          std::array<uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * counter[0];
      const uint64_t b = uint64_t{0xCD9E8D57} * counter[2];
      counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
                 static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
      key[0] += 0x9E3779B9;
      key[1] += 0xBB67AE85;
    }
    return counter;
  }

 private:
  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 4> counter_;
  std::array<uint32_t, 4> block_{};
  size_t used_ = 4;
};

}  // namespace kedge
