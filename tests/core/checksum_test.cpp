#include "kedge/core/checksum.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

uint64_t checksum_of(std::string_view bytes) {
  Checksum sum;
  sum.add(std::as_bytes(std::span(bytes)));
  return sum.value();
}

std::string random_bytes(size_t count) {
  Rng rng(1, Stream::noise);
  std::string bytes;
  for (size_t i = 0; i < count; ++i) bytes += static_cast<char>(static_cast<unsigned char>(rng.below(256)));
  return bytes;
}

TEST(Checksum, is_crc_64_xz_by_its_known_answer) {
  EXPECT_EQ(checksum_of("123456789"), 0x995DC9BBDF1939FA);
  EXPECT_EQ(checksum_of(""), 0u);
}

TEST(Checksum, does_not_depend_on_how_the_bytes_are_cut) {
  const std::string bytes = random_bytes(100);
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    Checksum sum;
    sum.add(std::as_bytes(std::span(bytes).first(cut)));
    sum.add(std::as_bytes(std::span(bytes).subspan(cut)));
    EXPECT_EQ(sum.value(), checksum_of(bytes)) << cut;
  }
}

TEST(Checksum, changes_with_every_flipped_bit_and_every_burst_within_64_bits) {
  const std::string bytes = random_bytes(64);
  Rng rng(2, Stream::noise);
  for (size_t bit = 0; bit + 64 <= 8 * bytes.size(); ++bit) {
    for (uint64_t burst : {uint64_t{1}, ~uint64_t{0}, uint64_t{1} | uint64_t{1} << 63, rng.bits64() | 1}) {
      std::string flipped = bytes;
      for (size_t i = 0; i < 64; ++i)
        if (burst >> i & 1)
          flipped[(bit + i) / 8] = static_cast<char>(flipped[(bit + i) / 8] ^ 1 << (bit + i) % 8);
      EXPECT_NE(checksum_of(flipped), checksum_of(bytes)) << bit << " " << burst;
    }
  }
}

TEST(Checksum, keeps_texts_apart) {
  Checksum one, other;
  one.add(std::string_view("ab"));
  one.add(std::string_view("c"));
  other.add(std::string_view("a"));
  other.add(std::string_view("bc"));
  EXPECT_NE(one.value(), other.value());
}

TEST(Checksum, takes_a_number_as_eight_bytes_and_a_text_behind_its_length) {
  Checksum number, text;
  number.add(uint64_t{0x0807060504030201});
  EXPECT_EQ(number.value(), checksum_of("\x01\x02\x03\x04\x05\x06\x07\x08"));
  text.add(std::string_view("hi"));
  EXPECT_EQ(text.value(), checksum_of(std::string_view("\x02\0\0\0\0\0\0\0hi", 10)));
}

}  // namespace
}  // namespace kedge
