#include "kedge/anchors/product_scan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kedge/kernels/kernels.h"

namespace kedge {
namespace {

constexpr size_t width = search_width;
constexpr float largest = std::numeric_limits<float>::max();
constexpr float epsilon = std::numeric_limits<float>::epsilon();
// Vector operations: for each 16 points in addition to the axes, and for each pair that is near enough.
constexpr double pass_overhead = 4, survivor_cost = 60;

float squared_distance(std::span<const float> target, const float* points) {
  float sum = 0;
  for (size_t k = 0; k < target.size(); ++k) {
    const float e = target[k] - points[k * width];
    sum += e * e;
  }
  return sum;
}

}  // namespace

double ProductScan::cost(const BoxTree& tree, size_t targets) {
  return static_cast<double>(targets) * static_cast<double>(tree.leaves()) *
         (static_cast<double>(tree.axes()) + pass_overhead);
}

ProductScan::ProductScan(const BoxTree& tree, size_t targets)
    : tree_(tree),
      count_(targets),
      targets_(targets * tree.axes()),
      values_(targets * width),
      squares_(targets),
      limits_(targets),
      masks_(targets) {}

size_t ProductScan::cheapest_axes(const Limit& limit) const {
  constexpr size_t tried_targets = 64, tried_leaves = 16;
  const size_t all = tree_.axes(), tried = std::min(tried_targets, count_);
  std::vector<size_t> survivors(all + 1, 0);
  for (size_t i = 0; i < tried; ++i) {
    const size_t t = i * count_ / tried;
    const float most = limit(t);
    for (size_t l = 0; l < tried_leaves; ++l) {
      const float* const points = tree_.points(l * tree_.leaves() / tried_leaves);
      for (size_t j = 0; j < width; ++j) {
        float sum = 0;
        for (size_t k = 0; k < all && sum <= most; ++k) {
          const float e = target(t)[k] - points[k * width + j];
          sum += e * e;
          if (sum <= most) ++survivors[k + 1];
        }
      }
    }
  }
  const auto pairs = static_cast<double>(tried * tried_leaves * width);
  size_t cheapest = all;
  double least = std::numeric_limits<double>::infinity();
  for (size_t k = 1; k <= all; ++k) {
    const double share = static_cast<double>(survivors[k]) / pairs;
    const double cost = static_cast<double>(k) + static_cast<double>(width) * share * survivor_cost;
    if (cost < least) {
      least = cost;
      cheapest = k;
    }
  }
  return cheapest;
}

void ProductScan::fill_factors(size_t axes) {
  axes_ = axes;
  terms_ = axes_ + 1;
  left_.assign(count_ * terms_, 1);
  right_.assign(terms_ * width, 0);
  for (size_t t = 0; t < count_; ++t) {
    squares_[t] = 0;
    for (size_t k = 0; k < axes_; ++k) {
      const float x = target(t)[k];
      left_[t * terms_ + k] = -2 * x;
      squares_[t] += x * x;
    }
  }
}

// The product subtracts large numbers, so its rounding error grows with the squared lengths of t and d.
float ProductScan::product_limit(float limit, size_t t) const {
  if (limit < 0) return -largest;
  const float length = std::sqrt(squares_[t]) + tree_.longest();
  const float error = static_cast<float>(2 * terms_ + 16) * epsilon * length * length;
  return std::min(largest, limit + error);
}

void ProductScan::multiply(const float* points) {
  std::copy(points, points + axes_ * width, right_.begin());
  float* const square = right_.data() + axes_ * width;
  std::fill(square, square + width, 0.0f);
  for (size_t k = 0; k < axes_; ++k)
    for (size_t j = 0; j < width; ++j) square[j] += points[k * width + j] * points[k * width + j];
  kernels().gemm({.m = count_,
                  .n = width,
                  .k = terms_,
                  .a = left_.data(),
                  .a_row = terms_,
                  .a_col = 1,
                  .b = right_.data(),
                  .b_row = width,
                  .c = values_.data(),
                  .c_row = width,
                  .bias = squares_.data()});
  search_kernels().values_within(values_.data(), count_, limits_.data(), masks_.data());
}

void ProductScan::run(size_t axes, const Limit& limit, const Look& look) {
  constexpr size_t refresh_every = 64;
  fill_factors(axes);
  for (size_t leaf = 0; leaf < tree_.leaves(); ++leaf) {
    for (size_t t = 0; leaf % refresh_every == 0 && t < count_; ++t) limits_[t] = product_limit(limit(t), t);
    const float* const points = tree_.points(leaf);
    multiply(points);
    for (size_t t = 0; t < count_; ++t) {
      if (!masks_[t]) continue;
      for (uint32_t mask = masks_[t]; mask; mask &= mask - 1) {
        const auto place = static_cast<size_t>(std::countr_zero(mask));
        if (squared_distance(target(t), points + place) <= limit(t)) look(t, tree_.row(leaf, place));
      }
      limits_[t] = product_limit(limit(t), t);
    }
  }
}

}  // namespace kedge
