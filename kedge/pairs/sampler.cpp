#include "kedge/pairs/sampler.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace kedge {

PairSampler::PairSampler(size_t rows, SelfPairs self) : PairSampler(std::vector<double>(rows), self) {}

PairSampler::PairSampler(const std::vector<double>& keys, SelfPairs self)
    : rows_(keys.size()), self_(self), group_of_(keys.size()), place_(keys.size()), order_(keys.size()) {
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

PairSampler::PairSampler(size_t rows, std::span<const Pair> pairs, std::span<const float> weights)
    : rows_(rows) {
  assert(pairs.size() == weights.size());
  double total = 0;
  std::vector<double> share;
  for (size_t p = 0; p < pairs.size(); ++p) {
    if (!(weights[p] > 0)) continue;
    listed_.push_back({pairs[p], std::numeric_limits<uint32_t>::max(), 0});
    share.push_back(static_cast<double>(weights[p]));
    total += share.back();
  }
  assert(!listed_.empty());
  // What a light pair leaves of its column is filled up by a heavy one.
  std::vector<uint32_t> light, heavy;
  for (uint32_t p = 0; p < share.size(); ++p) {
    share[p] *= static_cast<double>(share.size()) / total;
    listed_[p].other = p;
    (share[p] < 1 ? light : heavy).push_back(p);
  }
  while (!light.empty() && !heavy.empty()) {
    const uint32_t small = light.back(), large = heavy.back();
    light.pop_back();
    listed_[small].threshold = static_cast<uint32_t>(std::ldexp(share[small], 32));
    listed_[small].other = large;
    share[large] -= 1 - share[small];
    if (share[large] < 1) {
      heavy.pop_back();
      light.push_back(large);
    }
  }
}

bool PairSampler::has_pairs() const {
  if (listed_.empty()) return start_.size() - 1 < order_.size();
  return std::any_of(listed_.begin(), listed_.end(),
                     [](const Listed& one) { return one.pair.query != one.pair.anchor; });
}

std::vector<Pair> PairSampler::all_pairs(size_t limit) const {
  if (!listed_.empty()) {
    std::vector<Pair> pairs;
    if (listed_.size() > limit) return pairs;
    for (const Listed& one : listed_) {
      if (one.pair.query != one.pair.anchor) pairs.push_back(one.pair);
    }
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
      return a.query != b.query ? a.query < b.query : a.anchor < b.anchor;
    });
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
  }
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

Pair PairSampler::draw_listed(const std::array<uint32_t, 4>& block) const {
  const Listed& column = listed_[Rng::scale(block[0], block[1], listed_.size())];
  return block[2] < column.threshold ? column.pair : listed_[column.other].pair;
}

Pair PairSampler::draw(uint64_t seed, Stream stream, uint64_t step, uint32_t slot) const {
  const auto block = Rng::block(seed, stream, step, slot);
  if (!listed_.empty()) return draw_listed(block);
  const uint32_t query = static_cast<uint32_t>(Rng::scale(block[0], block[1], order_.size()));
  const uint32_t first = start_[group_of_[query]];
  const uint32_t size = start_[group_of_[query] + 1] - first;
  if (self_ == SelfPairs::allow || size == 1)
    return {query, order_[first + Rng::scale(block[2], block[3], size)]};
  const uint32_t place = first + static_cast<uint32_t>(Rng::scale(block[2], block[3], size - 1));
  return {query, order_[place < place_[query] ? place : place + 1]};
}

}  // namespace kedge
