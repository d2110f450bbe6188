#include "kedge/pairs/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kedge {
namespace {

constexpr size_t pairs_between_checks = 1 << 20;
// What the weights of all rows come to; with one more for each row it is still below 2^63.
constexpr double whole_weight = 0x1.0p62;

}  // namespace

PairSampler::PairSampler(size_t rows, SelfPairs self, std::span<const double> row_weights)
    : PairSampler(std::vector<double>(rows), self, row_weights) {}

PairSampler::PairSampler(const std::vector<double>& keys, SelfPairs self, std::span<const double> row_weights)
    : rows_(keys.size()), self_(self), group_of_(keys.size()), place_(keys.size()), order_(keys.size()) {
  assert(!keys.empty() && keys.size() < std::numeric_limits<uint32_t>::max());
  assert(row_weights.empty() || row_weights.size() == keys.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
  for (uint32_t place = 0; place < order_.size(); ++place) {
    const uint32_t row = order_[place];
    if (place == 0 || keys[row] != keys[order_[place - 1]]) start_.push_back(place);
    group_of_[row] = static_cast<uint32_t>(start_.size() - 1);
    place_[row] = place;
  }
  start_.push_back(static_cast<uint32_t>(order_.size()));
  if (!row_weights.empty()) weigh_rows(row_weights);
}

// Every row has at least 1, so that it can be drawn. There are about as many parts as rows, so that few
// places hold a part, and a place is found at once.
void PairSampler::weigh_rows(std::span<const double> weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  before_ = {0};
  for (uint32_t row : order_)
    before_.push_back(before_.back() +
                      std::max<uint64_t>(1, static_cast<uint64_t>(weights[row] / total * whole_weight)));
  while (before_.back() >> part_bits_ > weights.size()) ++part_bits_;
  uint32_t place = 0;
  for (uint64_t part = 0; part <= (before_.back() - 1) >> part_bits_; ++part) {
    while (before_[place + 1] <= part << part_bits_) ++place;
    guide_.push_back(place);
  }
  guide_.push_back(static_cast<uint32_t>(weights.size() - 1));
}

PairSampler::PairSampler(size_t rows, std::span<const Pair> pairs, std::span<const float> weights)
    : rows_(rows), draw_(PairDraw::by_weight) {
  assert(pairs.size() == weights.size());
  double total = 0;
  std::vector<double> share;
  for (size_t p = 0; p < pairs.size(); ++p) {
    if (!(weights[p] > 0)) continue;
    alias_.push_back({pairs[p], std::numeric_limits<uint32_t>::max(), 0, static_cast<uint32_t>(p)});
    share.push_back(static_cast<double>(weights[p]));
    total += share.back();
  }
  assert(!alias_.empty());
  // What a light pair leaves of its column is filled up by a heavy one.
  std::vector<uint32_t> light, heavy;
  for (uint32_t p = 0; p < share.size(); ++p) {
    share[p] *= static_cast<double>(share.size()) / total;
    alias_[p].other = p;
    (share[p] < 1 ? light : heavy).push_back(p);
  }
  while (!light.empty() && !heavy.empty()) {
    const uint32_t small = light.back(), large = heavy.back();
    light.pop_back();
    alias_[small].threshold = static_cast<uint32_t>(std::ldexp(share[small], 32));
    alias_[small].other = large;
    share[large] -= 1 - share[small];
    if (share[large] < 1) {
      heavy.pop_back();
      light.push_back(large);
    }
  }
}

PairSampler PairSampler::balanced(size_t rows, std::vector<Pair> list, const std::vector<bool>& is_first,
                                  Stream stream) {
  assert(!list.empty() && list.size() == is_first.size());
  PairSampler sampler(rows);
  sampler.draw_ = PairDraw::balanced;
  sampler.stream_ = stream;
  for (const bool part : {true, false}) {
    for (uint32_t p = 0; p < list.size(); ++p)
      if (is_first[p] == part) sampler.entries_.push_back(p);
    if (part) sampler.first_part_ = sampler.entries_.size();
  }
  sampler.list_ = std::move(list);
  return sampler;
}

PairSampler PairSampler::in_order(size_t rows, std::vector<Pair> list, size_t batch) {
  assert(!list.empty() && batch > 0);
  PairSampler sampler(rows);
  sampler.draw_ = PairDraw::in_order;
  sampler.list_ = std::move(list);
  sampler.batch_ = batch;
  return sampler;
}

PairTables PairSampler::tables() const {
  return {.draw = draw_,
          .stream = stream_,
          .self = self_,
          .group_of = group_of_,
          .place = place_,
          .order = order_,
          .start = start_,
          .before = before_,
          .guide = guide_,
          .part_bits = part_bits_,
          .alias = alias_,
          .list = list_,
          .entries = entries_,
          .first_part = first_part_,
          .batch = batch_};
}

bool PairSampler::has_pairs() const {
  const auto is_pair = [](const Pair& pair) { return pair.query != pair.anchor; };
  if (draw_ == PairDraw::by_group) return start_.size() - 1 < order_.size();
  return std::any_of(list_.begin(), list_.end(), is_pair) ||
         std::any_of(alias_.begin(), alias_.end(), [&](const AliasColumn& one) { return is_pair(one.pair); });
}

std::vector<Pair> PairSampler::all_pairs(size_t limit) const {
  std::vector<Pair> pairs;
  if (draw_ != PairDraw::by_group) {
    if (alias_.size() + list_.size() > limit) return {};
    for (const AliasColumn& one : alias_) pairs.push_back(one.pair);
    pairs.insert(pairs.end(), list_.begin(), list_.end());
    std::erase_if(pairs, [](const Pair& pair) { return pair.query == pair.anchor; });
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
      return a.query != b.query ? a.query < b.query : a.anchor < b.anchor;
    });
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
  }
  const size_t count = pairs_in_groups();
  if (count > limit) return {};
  pairs.reserve(count);
  for (uint32_t query = 0; query < rows(); ++query) {
    const uint32_t group = group_of_[query];
    for (uint32_t place = start_[group]; place < start_[group + 1]; ++place) {
      if (order_[place] != query) pairs.push_back({query, order_[place]});
    }
  }
  return pairs;
}

size_t PairSampler::pairs_in_groups() const {
  size_t count = 0;
  for (size_t g = 0; g + 1 < start_.size(); ++g) {
    const size_t size = start_[g + 1] - start_[g];
    count += size * (size - 1);
  }
  return count;
}

std::vector<double> PairSampler::pool_weights(std::span<const Pair> pool) const {
  if (before_.empty() || pool.size() < pairs_in_groups()) return {};
  const auto weight = [&](uint32_t row) {
    return static_cast<double>(before_[place_[row] + 1] - before_[place_[row]]) / whole_weight;
  };
  std::vector<double> weights;
  weights.reserve(pool.size());
  for (const Pair& pair : pool) weights.push_back(weight(pair.query) * weight(pair.anchor));
  return weights;
}

std::vector<Pair> draw_pool(const PairSampler& sampler, size_t count, uint64_t seed,
                            const StopCheck& stop_check) {
  std::vector<Pair> pool = sampler.all_pairs(count);
  if (!pool.empty()) return pool;
  const PairTables tables = sampler.tables();
  pool.reserve(count);
  for (size_t p = 0; p < count; ++p) {
    if (p % pairs_between_checks == 0) check_stop(stop_check);
    pool.push_back(draw_pair(tables, seed, Stream::pool, 0, static_cast<uint32_t>(p)).pair);
  }
  return pool;
}

}  // namespace kedge
