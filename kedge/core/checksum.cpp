#include "kedge/core/checksum.h"

#include <array>
#include <bit>
#include <cstring>

namespace kedge {
namespace {

static_assert(std::endian::native == std::endian::little, "eight bytes are read as one number");

constexpr uint64_t polynomial = 0xC96C5795D7870F42;  // low bit first
constexpr size_t step = 8;

// tables[k][b]: what byte b does to the value when k bytes follow it.
constexpr auto tables = [] {
  std::array<std::array<uint64_t, 256>, step> all{};
  for (uint64_t b = 0; b < 256; ++b) {
    uint64_t value = b;
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ polynomial : value >> 1;
    all[0][b] = value;
  }
  for (size_t k = 1; k < step; ++k)
    for (size_t b = 0; b < 256; ++b) all[k][b] = all[0][all[k - 1][b] & 0xFF] ^ all[k - 1][b] >> 8;
  return all;
}();

}  // namespace

void Checksum::add(std::span<const std::byte> bytes) {
  uint64_t state = state_;
  for (; bytes.size() >= step; bytes = bytes.subspan(step)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), step);
    word ^= state;
    state = 0;
    for (size_t k = 0; k < step; ++k) state ^= tables[step - 1 - k][word >> 8 * k & 0xFF];
  }
  for (std::byte byte : bytes) state = tables[0][(state ^ static_cast<uint64_t>(byte)) & 0xFF] ^ state >> 8;
  state_ = state;
}

void Checksum::add(uint64_t number) { add(std::as_bytes(std::span(&number, 1))); }

void Checksum::add(std::string_view text) {
  add(uint64_t{text.size()});
  add(std::as_bytes(std::span(text)));
}

}  // namespace kedge
