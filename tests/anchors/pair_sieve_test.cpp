#include "kedge/anchors/pair_sieve.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

struct Sieved {
  Sieved(size_t axes, size_t pairs, size_t anchor_count, uint64_t seed)
      : rows(pairs, axes), anchors(anchor_count, axes), query(axes) {
    Rng rng(seed, Stream::domain);
    for (size_t i = 0; i < pairs * axes; ++i) rows.data()[i] = static_cast<float>(rng.normal());
    for (size_t i = 0; i < anchor_count * axes; ++i) anchors.data()[i] = static_cast<float>(rng.normal());
    for (float& x : query) x = static_cast<float>(rng.normal());
    tree = BoxTree(rows);
    std::vector<float> blocks((anchor_count + 15) / 16 * 16 * axes);
    for (size_t i = 0; i < anchor_count; ++i)
      for (size_t k = 0; k < axes; ++k) blocks[(i / 16 * axes + k) * 16 + i % 16] = anchors(i, k);
    sieve = PairSieve(tree, blocks, anchor_count);
  }

  // On how many axes a place of the tree is marked as apart from an anchor.
  size_t marks(const AlignedVector<uint64_t>& apart, size_t anchor, size_t place) const {
    size_t count = 0;
    for (size_t k = 0; k < sieve.axes(); ++k) {
      const size_t bucket = sieve.buckets(anchor / 16)[anchor % 16 * sieve_row + k];
      const uint64_t word =
          apart[(k * sieve_buckets + bucket) * (sieve_chunk / 64) + place % sieve_chunk / 64];
      count += word >> place % 64 & 1;
    }
    return count;
  }

  Matrix<float> rows, anchors;
  std::vector<float> query;
  BoxTree tree;
  PairSieve sieve;
};

TEST(PairSieve, marks_no_pair_within_the_distance_on_two_axes_and_most_far_pairs_on_many) {
  const Sieved s(6, 1300, 70, 1);
  for (const double distance : {0.0, 0.4, 1.5}) {
    PairSieve::Cuts cuts;
    s.sieve.cut(s.query, distance, cuts);
    size_t within = 0, far = 0, ruled_out = 0;
    for (size_t chunk = 0; chunk < s.sieve.chunks(); ++chunk) {
      AlignedVector<uint64_t> apart;
      s.sieve.fill(chunk, cuts, apart);
      for (size_t place = chunk * sieve_chunk; place < std::min<size_t>((chunk + 1) * sieve_chunk, 1300);
           ++place) {
        const std::span<const float> row = s.rows.row(s.tree.row(place / 16, place % 16));
        for (size_t a = 0; a < s.anchors.rows(); ++a) {
          double squared = 0;
          for (size_t k = 0; k < 6; ++k)
            squared += std::pow(double{s.query[k]} - s.anchors(a, k) - row[k], 2);
          const size_t marks = s.marks(apart, a, place);
          if (squared <= distance * distance) {
            ++within;
            ASSERT_LE(marks, 1u) << "anchor " << a << " place " << place << " distance " << distance;
          } else {
            ++far;
            ruled_out += marks >= 2 ? 1 : 0;
          }
        }
      }
    }
    EXPECT_EQ(within > 0, distance > 1);
    EXPECT_GT(ruled_out, far * 7 / 10);
  }
}

TEST(PairSieve, marks_places_that_hold_nothing_on_every_axis) {
  const Sieved s(5, 517, 20, 2);
  PairSieve::Cuts cuts;
  s.sieve.cut(s.query, 100, cuts);
  AlignedVector<uint64_t> apart;
  s.sieve.fill(1, cuts, apart);
  ASSERT_EQ(s.sieve.chunks(), 2u);
  for (size_t a = 0; a < 20; ++a) {
    for (size_t place = 512; place < 517; ++place) EXPECT_EQ(s.marks(apart, a, place), 0u);
    for (size_t place = 517; place < 1024; ++place) EXPECT_EQ(s.marks(apart, a, place), 5u);
  }
}

}  // namespace
}  // namespace kedge
