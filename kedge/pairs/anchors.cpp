#include "kedge/pairs/anchors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/kernels.h"
#include "kedge/core/rng.h"

namespace kedge {
namespace {

constexpr size_t most_anchors = 1000000000;
constexpr double relative_resolution = 1e-9;
constexpr const char* rules = "nearest, radius, radius=R, percentile=P, many=M or none";

double parse_number(const std::string& text, const std::string& whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    throw Error("anchors", fmt::format("needs a number after '='; found '{}'; write {}", whole, rules));
  return value;
}

[[noreturn]] void refuse(const std::string& found) {
  throw Error("anchors",
              fmt::format("needs a rule for anchors; found '{}'; write {} (P in (0, 100], M >= 1, R >= 0)",
                          found, rules));
}

bool closer(const AnchorMatch& a, const AnchorMatch& b) {
  return a.distance != b.distance ? a.distance < b.distance : a.anchor < b.anchor;
}

// Names the random draw of a query by its content alone.
uint64_t content_key(std::span<const double> point) {
  uint64_t key = 0x9E3779B97F4A7C15;
  for (double x : point) {
    key ^= std::bit_cast<uint64_t>(x == 0 ? 0.0 : x);
    key *= 0xBF58476D1CE4E5B9;
    key ^= key >> 29;
  }
  return key;
}

}  // namespace

AnchorOptions parse_anchors(const std::string& text) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const bool has_value = equals != std::string::npos;
  const double value = has_value ? parse_number(text.substr(equals + 1), text) : 0;
  AnchorOptions options;
  if (name == "none" && !has_value) {
    options.rule = AnchorRule::none;
  } else if (name == "nearest" && !has_value) {
    options.rule = AnchorRule::nearest;
  } else if (name == "radius") {
    options.rule = AnchorRule::radius;
    options.radius = value;
  } else if (name == "percentile") {
    options.rule = AnchorRule::percentile;
    if (has_value) options.percentile = value;
  } else if (name == "many" && (!has_value || (value >= 1 && value <= static_cast<double>(most_anchors) &&
                                               value == std::floor(value)))) {
    options.rule = AnchorRule::many;
    if (has_value) options.count = static_cast<size_t>(value);
  } else {
    refuse(text);
  }
  check(options);
  return options;
}

void check(const AnchorOptions& options) {
  const bool good =
      (options.rule != AnchorRule::radius || options.radius >= 0) &&
      (options.rule != AnchorRule::percentile || (options.percentile > 0 && options.percentile <= 100)) &&
      (options.rule != AnchorRule::many || (options.count >= 1 && options.count <= most_anchors));
  if (!good) refuse(to_text(options));
}

std::string to_text(const AnchorOptions& options) {
  switch (options.rule) {
    case AnchorRule::none:
      return "none";
    case AnchorRule::nearest:
      return "nearest";
    case AnchorRule::radius:
      return options.radius == 0 ? "radius" : fmt::format("radius={}", options.radius);
    case AnchorRule::percentile:
      return fmt::format("percentile={}", options.percentile);
    case AnchorRule::many:
      return fmt::format("many={}", options.count);
  }
  return "";
}

AnchorIndex::AnchorIndex(Space space, Matrix<double> points, std::vector<double> scale,
                         std::vector<Pair> pool)
    : space_(std::move(space)),
      points_(std::move(points)),
      scale_(std::move(scale)),
      pool_(std::move(pool)),
      differences_(static_cast<size_t>(space_.delta_size()), pool_.size()) {
  assert(!pool_.empty() && points_.rows() > 0);
  for (double s : scale_) weight_.push_back(1 / s);
  std::vector<double> delta(scale_.size());
  const std::vector<double> zero(scale_.size());
  double squares = 0;
  for (size_t p = 0; p < pool_.size(); ++p) {
    space_.minus(points_.row(pool_[p].query), points_.row(pool_[p].anchor), delta);
    squares += space_.squared_distance(delta, zero, scale_);
    for (size_t j = 0; j < delta.size(); ++j) differences_(j, p) = delta[j];
  }
  // A power of two, so that rounding leaves halves and whole numbers what they are.
  resolution_ = std::exp2(
      std::round(std::log2(relative_resolution * std::sqrt(squares / static_cast<double>(pool_.size())))));
}

AnchorMatch AnchorIndex::match(std::span<const double> point, size_t anchor,
                               std::span<double> scratch) const {
  std::vector<double> delta(scale_.size());
  space_.minus(point, points_.row(anchor), delta);
  if (space_.is_linear()) {
    kernels().squared_distances(differences_.data(), pool_.size(), delta.size(), delta.data(), weight_.data(),
                                pool_.size(), scratch.data());
  } else {
    std::vector<double> other(delta.size());
    for (size_t p = 0; p < pool_.size(); ++p) {
      for (size_t j = 0; j < other.size(); ++j) other[j] = differences_(j, p);
      scratch[p] = space_.squared_distance(delta, other, scale_);
    }
  }
  const size_t best = static_cast<size_t>(std::min_element(scratch.begin(), scratch.end()) - scratch.begin());
  const double distance = std::sqrt(scratch[best]);
  // Differences that are all zero, or too large to be squared, have no typical size.
  if (!std::isnormal(resolution_)) return {static_cast<uint32_t>(anchor), pool_[best], distance};
  return {static_cast<uint32_t>(anchor), pool_[best], resolution_ * std::round(distance / resolution_)};
}

std::vector<AnchorMatch> AnchorIndex::match_all(std::span<const double> point) const {
  std::vector<double> scratch(pool_.size());
  std::vector<AnchorMatch> matches;
  matches.reserve(points_.rows());
  for (size_t i = 0; i < points_.rows(); ++i) matches.push_back(match(point, i, scratch));
  return matches;
}

std::vector<AnchorMatch> AnchorIndex::find(std::span<const double> point,
                                           const AnchorOptions& options) const {
  check(options);
  if (options.rule == AnchorRule::none) return {};
  std::vector<AnchorMatch> matches = match_all(point);
  size_t keep = 1;
  if (options.rule == AnchorRule::many) keep = std::min(options.count, matches.size());
  if (options.rule == AnchorRule::percentile)
    keep = std::max<size_t>(
        1, static_cast<size_t>(std::ceil(static_cast<double>(matches.size()) * options.percentile / 100)));
  if (options.rule == AnchorRule::radius) {
    const double least = std::min_element(matches.begin(), matches.end(), closer)->distance;
    const double radius = std::max(least, options.radius);
    std::erase_if(matches, [&](const AnchorMatch& m) { return m.distance > radius; });
    keep = matches.size();
  }
  std::partial_sort(matches.begin(), matches.begin() + static_cast<std::ptrdiff_t>(keep), matches.end(),
                    closer);
  matches.resize(keep);
  if (options.rule == AnchorRule::radius || options.rule == AnchorRule::percentile) {
    Rng rng(content_key(point), Stream::anchor);
    matches = {matches[rng.below(keep)]};
  }
  return matches;
}

std::vector<Pair> draw_pool(const PairSampler& sampler, size_t count, uint64_t seed) {
  std::vector<Pair> pool = sampler.all_pairs(count);
  if (!pool.empty()) return pool;
  pool.reserve(count);
  for (size_t p = 0; p < count; ++p)
    pool.push_back(sampler.draw(seed, Stream::pool, 0, static_cast<uint32_t>(p)));
  return pool;
}

}  // namespace kedge
