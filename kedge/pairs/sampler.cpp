#include "kedge/pairs/sampler.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

namespace kedge {

PairSampler::PairSampler(size_t rows, SelfPairs self) : PairSampler(std::vector<double>(rows), self) {}

PairSampler::PairSampler(const std::vector<double>& keys, SelfPairs self)
    : self_(self), group_of_(keys.size()), place_(keys.size()), order_(keys.size()) {
  assert(!keys.empty() && keys.size() < std::numeric_limits<uint32_t>::max());
  std::iota(order_.begin(), order_.end(), 0u);
  std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
  for (uint32_t place = 0; place < order_.size(); ++place) {
    const uint32_t row = order_[place];
    if (place == 0 || keys[row] != keys[order_[place - 1]]) start_.push_back(place);
    group_of_[row] = static_cast<uint32_t>(start_.size() - 1);
    place_[row] = place;
  }
  start_.push_back(static_cast<uint32_t>(order_.size()));
}

bool PairSampler::has_pairs() const { return start_.size() - 1 < order_.size(); }

std::vector<Pair> PairSampler::all_pairs(size_t limit) const {
  size_t count = 0;
  for (size_t g = 0; g + 1 < start_.size(); ++g) {
    const size_t size = start_[g + 1] - start_[g];
    count += size * (size - 1);
  }
  std::vector<Pair> pairs;
  if (count > limit) return pairs;
  pairs.reserve(count);
  for (uint32_t query = 0; query < rows(); ++query) {
    const uint32_t group = group_of_[query];
    for (uint32_t place = start_[group]; place < start_[group + 1]; ++place) {
      if (order_[place] != query) pairs.push_back({query, order_[place]});
    }
  }
  return pairs;
}

Pair PairSampler::draw(uint64_t seed, Stream stream, uint64_t step, uint32_t slot) const {
  const auto block = Rng::block(seed, stream, step, slot);
  const uint32_t query = static_cast<uint32_t>(Rng::scale(block[0], block[1], order_.size()));
  const uint32_t first = start_[group_of_[query]];
  const uint32_t size = start_[group_of_[query] + 1] - first;
  if (self_ == SelfPairs::allow || size == 1)
    return {query, order_[first + Rng::scale(block[2], block[3], size)]};
  const uint32_t place = first + static_cast<uint32_t>(Rng::scale(block[2], block[3], size - 1));
  return {query, order_[place < place_[query] ? place : place + 1]};
}

}  // namespace kedge
