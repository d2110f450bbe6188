// The part of AnchorSearch for small pools in which boxes rule out too little: see PairSieve.

#include <algorithm>
#include <cmath>

#include "kedge/anchors/anchor_search.h"

namespace kedge {
namespace {

// Vector operations for each anchor and chunk: for each axis, and beside them.
constexpr double per_axis = 3, overhead = 30;
// Pairs of an anchor and a chunk that the masks may let through before a matrix product pays better.
constexpr size_t most_let_through = 24;

}  // namespace

double AnchorSearch::sieve_cost(size_t blocks) const {
  const PairSieve& sieve = built_.sieve;
  return static_cast<double>(blocks * width * sieve.chunks()) *
         (per_axis * static_cast<double>(sieve.axes()) + overhead);
}

bool AnchorSearch::sift(std::span<const uint32_t> blocks) {
  const PairSieve& sieve = built_.sieve;
  AlignedVector<float> targets(blocks.size() * width * sieve_row);
  for (size_t b = 0; b < blocks.size(); ++b) {
    const float* const anchors = built_.projected.data() + blocks[b] * axes_ * width;
    for (size_t k = 0; k < sieve.axes(); ++k)
      for (size_t i = 0; i < width; ++i)
        targets[(b * width + i) * sieve_row + k] = query_[k] - anchors[k * width + i];
  }
  AlignedVector<uint64_t> apart;
  PairSieve::Cuts cuts;
  std::vector<SieveHit> hits(most_sieve_hits);
  float cut_for = -1;
  size_t let_through = 0;
  for (size_t chunk = 0; chunk < sieve.chunks(); ++chunk) {
    if (let_through > chunk * blocks.size() * width * most_let_through) return false;
    const float limit = limit_;
    if (cut_for != limit) sieve.cut(query_, std::sqrt(static_cast<double>(limit)), cuts);
    cut_for = limit;
    sieve.fill(chunk, cuts, apart);
    for (size_t b = 0; b < blocks.size(); ++b) {
      const uint32_t first = blocks[b] * static_cast<uint32_t>(width);
      const size_t count =
          search_kernels().sieve({apart.data(), sieve.points(chunk), sieve.axes()},
                                 {sieve.buckets(blocks[b]), targets.data() + b * width * sieve_row, limit,
                                  std::min(width, anchors_ - first)},
                                 hits.data(), &let_through);
      for (size_t h = 0; h < count; ++h) {
        if (hits[h].distance > limit_) continue;
        const size_t place = chunk * sieve_chunk + hits[h].place;
        look_exactly(first + hits[h].anchor, built_.tree.row(place / width, place % width));
      }
    }
  }
  return true;
}

}  // namespace kedge
