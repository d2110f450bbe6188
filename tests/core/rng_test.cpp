#include "kedge/core/rng.h"

#include <gtest/gtest.h>

#include <vector>

namespace kedge {
namespace {

// Known answers of Philox 4x32-10 from the Random123 distribution (kat_vectors).
TEST(Rng, philox_gives_the_published_known_answers) {
  using Block = std::array<uint32_t, 4>;
  EXPECT_EQ(Rng::philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Rng::philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Rng::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Rng, the_same_name_gives_the_same_sequence_and_another_name_another) {
  auto draw = [](Rng rng) {
    std::vector<uint64_t> values;
    for (int i = 0; i < 8; ++i) values.push_back(rng.bits64());
    return values;
  };
  const auto base = draw(Rng(7, Stream::pairs, 3));
  EXPECT_EQ(base, draw(Rng(7, Stream::pairs, 3)));
  EXPECT_NE(base, draw(Rng(8, Stream::pairs, 3)));
  EXPECT_NE(base, draw(Rng(7, Stream::pool, 3)));
  EXPECT_NE(base, draw(Rng(7, Stream::pairs, 4)));
}

TEST(Rng, below_is_uniform_and_in_range) {
  Rng rng(1, Stream::split);
  std::vector<int> counts(7);
  const int draws = 70000;
  for (int i = 0; i < draws; ++i) ++counts.at(rng.below(7));
  for (int count : counts) EXPECT_NEAR(count, draws / 7, 500);
}

TEST(Rng, normal_has_mean_zero_and_unit_variance) {
  Rng rng(2, Stream::noise);
  double sum = 0, squares = 0;
  const int draws = 100000;
  for (int i = 0; i < draws; ++i) {
    const double z = rng.normal();
    sum += z;
    squares += z * z;
  }
  EXPECT_NEAR(sum / draws, 0.0, 0.02);
  EXPECT_NEAR(squares / draws, 1.0, 0.03);
}

}  // namespace
}  // namespace kedge
