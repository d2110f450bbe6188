#pragma once

// Checksum: 64 bits that tell whether bytes are still what they were. CRC-64/XZ: polynomial
// 0x42F0E1EBA9EA3693 with the low bit first, start and final mask of all ones.
//
// Laws: the value depends on the bytes alone, not on how they were cut into parts. Every single flipped bit,
// and every burst of flips within 64 bits in a row, changes it; other damage stays unseen once in 2^64 times.
// It is no protection against a person who means to deceive.

#include <cstdint>
#include <span>
#include <string_view>

namespace kedge {

class Checksum {
 public:
  void add(std::span<const std::byte> bytes);
  /// A number as eight bytes, little-endian.
  void add(uint64_t number);
  /// The length of the text as a number, then its bytes, so that texts cannot run into each other.
  void add(std::string_view text);

  uint64_t value() const { return ~state_; }

 private:
  uint64_t state_ = ~uint64_t{0};
};

}  // namespace kedge
