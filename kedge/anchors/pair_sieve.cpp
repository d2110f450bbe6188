#include "kedge/anchors/pair_sieve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace kedge {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr size_t sample_size = 2048;

// Values that part a sample of `count` numbers into equal shares, ascending.
template <typename At>
std::vector<float> quantiles(size_t count, size_t shares, const At& at) {
  const size_t step = (count + sample_size - 1) / sample_size;
  std::vector<float> sample;
  for (size_t i = 0; i < count; i += step) sample.push_back(at(i));
  std::sort(sample.begin(), sample.end());
  std::vector<float> out;
  for (size_t s = 1; s < shares; ++s) out.push_back(sample[s * sample.size() / shares]);
  return out;
}

}  // namespace

PairSieve::PairSieve(const BoxTree& tree, std::span<const float> anchors, size_t count)
    : axes_(std::min(tree.axes(), most_axes)) {
  cut_differences(tree);
  sort_anchors(anchors, count, tree.axes());
}

void PairSieve::cut_differences(const BoxTree& tree) {
  const size_t places = tree.leaves() * search_width, chunk_count = (places + sieve_chunk - 1) / sieve_chunk;
  const auto value = [&](size_t place, size_t k) {
    return tree.points(place / search_width)[k * search_width + place % search_width];
  };
  at_.assign(axes_ * cuts_per_axis, infinity);
  below_.assign(chunk_count * axes_ * cuts_per_axis * words, 0);
  points_.assign(chunk_count * sieve_chunk * sieve_row, 0);
  for (size_t k = 0; k < axes_; ++k) {
    float* const at = at_.data() + k * cuts_per_axis;
    const std::vector<float> inner =
        quantiles(places, cuts_per_axis - 1, [&](size_t place) { return value(place, k); });
    at[0] = -infinity;
    std::copy(inner.begin(), inner.end(), at + 1);
    for (size_t place = 0; place < places; ++place) {
      const float x = value(place, k);
      // A place that holds nothing is below no cut, and so apart from every bucket.
      if (x == infinity) continue;
      points_[place * sieve_row + k] = x;
      uint64_t* const to = below_.data() + (place / sieve_chunk * axes_ + k) * cuts_per_axis * words +
                           place % sieve_chunk / 64;
      const size_t first = static_cast<size_t>(std::upper_bound(at, at + cuts_per_axis, x) - at);
      for (size_t c = first; c < cuts_per_axis; ++c) to[c * words] |= uint64_t{1} << place % 64;
    }
  }
}

void PairSieve::sort_anchors(std::span<const float> anchors, size_t count, size_t all_axes) {
  const auto value = [&](size_t i, size_t k) {
    return anchors[(i / search_width * all_axes + k) * search_width + i % search_width];
  };
  widest_.assign(axes_, 0);
  least_.assign(axes_ * sieve_buckets, infinity);
  greatest_.assign(axes_ * sieve_buckets, -infinity);
  buckets_.assign((count + search_width - 1) / search_width * search_width * sieve_row, 0);
  for (size_t k = 0; k < axes_; ++k) {
    const std::vector<float> inner = quantiles(count, sieve_buckets, [&](size_t i) { return value(i, k); });
    for (size_t i = 0; i < count; ++i) {
      const float x = value(i, k);
      widest_[k] = std::max(widest_[k], std::abs(x));
      const size_t bucket =
          static_cast<size_t>(std::upper_bound(inner.begin(), inner.end(), x) - inner.begin());
      buckets_[i * sieve_row + k] = static_cast<uint8_t>(bucket);
      least_[k * sieve_buckets + bucket] = std::min(least_[k * sieve_buckets + bucket], x);
      greatest_[k * sieve_buckets + bucket] = std::max(greatest_[k * sieve_buckets + bucket], x);
    }
  }
}

void PairSieve::cut(std::span<const float> query, double distance, Cuts& cuts) const {
  cuts.low.resize(axes_ * sieve_buckets);
  cuts.high.resize(axes_ * sieve_buckets);
  for (size_t k = 0; k < axes_; ++k) {
    const float* const at = at_.data() + k * cuts_per_axis;
    const float *const least = least_.data() + k * sieve_buckets, *const greatest =
                                                                      greatest_.data() + k * sieve_buckets;
    const double x = query[k];
    const double gap = distance / std::numbers::sqrt2 * (1 + 1e-6) +
                       2 * std::numeric_limits<float>::epsilon() * (std::abs(x) + widest_[k]);
    // The higher the anchors of a bucket, the lower their targets.
    size_t low = cuts_per_axis - 2, high = cuts_per_axis - 1;
    for (size_t b = 0; b < sieve_buckets; ++b) {
      // No anchor is in an empty bucket.
      if (least[b] > greatest[b]) continue;
      const double from = x - greatest[b] - gap, to = x - least[b] + gap;
      while (low > 0 && at[low] > from) --low;
      while (high > 1 && at[high - 1] > to) --high;
      cuts.low[k * sieve_buckets + b] = static_cast<uint8_t>(low);
      cuts.high[k * sieve_buckets + b] = static_cast<uint8_t>(high);
    }
  }
}

void PairSieve::fill(size_t chunk, const Cuts& cuts, AlignedVector<uint64_t>& apart) const {
  apart.resize(axes_ * sieve_buckets * words);
  for (size_t i = 0; i < axes_ * sieve_buckets; ++i) {
    const uint64_t* const below = below_.data() + (chunk * axes_ + i / sieve_buckets) * cuts_per_axis * words;
    const uint64_t *const low = below + cuts.low[i] * words, *const high = below + cuts.high[i] * words;
    for (size_t w = 0; w < words; ++w) apart[i * words + w] = low[w] | ~high[w];
  }
}

size_t PairSieve::bytes() const {
  return 4 * (at_.size() + widest_.size() + least_.size() + greatest_.size() + points_.size()) +
         8 * below_.size() + buckets_.size();
}

}  // namespace kedge
