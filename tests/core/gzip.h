#pragma once

// What gzip would write, without compressing anything: stored blocks.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace kedge {

inline uint32_t crc32_of(std::string_view bytes) {
  uint32_t crc = 0xffffffffu;
  for (const char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

inline std::string gzipped(std::string_view bytes) {
  std::string file("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  const auto number = [&](uint32_t value, int size) {
    for (int i = 0; i < size; ++i) file += static_cast<char>(value >> (8 * i));
  };
  std::string_view left = bytes;
  do {
    const std::string_view block = left.substr(0, 65535);
    left.remove_prefix(block.size());
    file += left.empty() ? '\x01' : '\0';
    number(static_cast<uint32_t>(block.size()), 2);
    number(~static_cast<uint32_t>(block.size()), 2);
    file += block;
  } while (!left.empty());
  number(crc32_of(bytes), 4);
  number(static_cast<uint32_t>(bytes.size()), 4);
  return file;
}

}  // namespace kedge
