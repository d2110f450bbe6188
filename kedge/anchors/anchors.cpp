#include "kedge/anchors/anchors.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/nearest_name.h"
#include "kedge/core/rng.h"

namespace kedge {
namespace {

constexpr const char* rules =
    "nearest, radius, radius=R, percentile=P, many=M, neighbour, near=M, all=M, weight, weight=M, "
    "weight=greatest, weight=sample, given or none";

double parse_number(const std::string& text, const std::string& whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    throw Error("anchors", fmt::format("needs a number after '='; found '{}'; write {}", whole, rules));
  return value;
}

/// A rule that takes a number of anchors, with the number it has where none is given.
std::optional<AnchorOptions> counted_rule(const std::string& name) {
  if (name == "many") return AnchorOptions{.rule = AnchorRule::many, .count = 20};
  if (name == "near") return AnchorOptions{.rule = AnchorRule::near, .count = 5};
  if (name == "all") return AnchorOptions{.rule = AnchorRule::all, .count = 200};
  if (name == "weight") return AnchorOptions{.rule = AnchorRule::weight, .count = 1};
  return std::nullopt;
}

bool is_count(double value) {
  return value >= 1 && value <= static_cast<double>(AnchorOptions::most_count) && value == std::floor(value);
}

/// All rows, or as many drawn at random, rising; the same for every query.
std::vector<uint32_t> sampled_rows(size_t rows, size_t count) {
  std::vector<uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0u);
  if (count >= rows) return order;
  Rng rng(0, Stream::anchor);
  for (size_t i = 0; i < count; ++i) std::swap(order[i], order[i + rng.below(rows - i)]);
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

[[noreturn]] void refuse(const std::string& found) {
  static const std::vector<std::string> names = {"nearest", "radius", "percentile", "many",  "neighbour",
                                                 "near",    "all",    "weight",     "given", "none"};
  const std::string all = fmt::format("write {} (P in (0, 100], M from 1 to {}, R >= 0)", rules,
                                      size_t{AnchorOptions::most_count});
  const std::string name = found.substr(0, found.find('='));
  const bool is_known = std::find(names.begin(), names.end(), name) != names.end();
  throw Error("anchors", fmt::format("needs a rule for anchors; found '{}'; {}", found,
                                     is_known ? all : did_you_mean(name, names, all)));
}

}  // namespace

uint64_t content_key(std::span<const double> point) {
  uint64_t key = 0x9E3779B97F4A7C15;
  for (double x : point) {
    key ^= std::bit_cast<uint64_t>(x == 0 ? 0.0 : x);
    key *= 0xBF58476D1CE4E5B9;
    key ^= key >> 29;
  }
  return key;
}

AnchorOptions parse_anchors(const std::string& text) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const bool has_value = equals != std::string::npos;
  if (text == "weight=greatest") return {.rule = AnchorRule::weight_greatest};
  if (text == "weight=sample") return {.rule = AnchorRule::weight_sample};
  const double value = has_value ? parse_number(text.substr(equals + 1), text) : 0;
  AnchorOptions options;
  if (name == "none" && !has_value) {
    options.rule = AnchorRule::none;
  } else if (name == "given" && !has_value) {
    options.rule = AnchorRule::given;
  } else if (name == "neighbour" && !has_value) {
    options.rule = AnchorRule::neighbour;
  } else if (name == "nearest" && !has_value) {
    options.rule = AnchorRule::nearest;
  } else if (name == "radius") {
    options.rule = AnchorRule::radius;
    options.radius = value;
  } else if (name == "percentile") {
    options.rule = AnchorRule::percentile;
    if (has_value) options.percentile = value;
  } else if (const auto counted = counted_rule(name); counted && (!has_value || is_count(value))) {
    options = *counted;
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
      (!takes_count(options.rule) || (options.count >= 1 && options.count <= AnchorOptions::most_count));
  if (!good) refuse(to_text(options));
}

std::string to_text(const AnchorOptions& options) {
  switch (options.rule) {
    case AnchorRule::none:
      return "none";
    case AnchorRule::given:
      return "given";
    case AnchorRule::nearest:
      return "nearest";
    case AnchorRule::radius:
      return options.radius == 0 ? "radius" : fmt::format("radius={}", options.radius);
    case AnchorRule::percentile:
      return fmt::format("percentile={}", options.percentile);
    case AnchorRule::many:
      return fmt::format("many={}", options.count);
    case AnchorRule::neighbour:
      return "neighbour";
    case AnchorRule::near:
      return fmt::format("near={}", options.count);
    case AnchorRule::all:
      return fmt::format("all={}", options.count);
    case AnchorRule::weight:
      return options.count == 1 ? "weight" : fmt::format("weight={}", options.count);
    case AnchorRule::weight_greatest:
      return "weight=greatest";
    case AnchorRule::weight_sample:
      return "weight=sample";
  }
  return "";
}

AnchorMatch AnchorIndex::match_of(const NearestDifference& found) const {
  return {found.anchor, pool()[found.place], found.distance()};
}

std::vector<std::vector<AnchorMatch>> AnchorIndex::nearest_rows(MatrixView<const double> points,
                                                                size_t count) const {
  std::vector<std::vector<AnchorMatch>> matches;
  ThreadPool own_thread(1);
  for (const std::vector<NearestRow>& found : rows_.closest(differences(), points, count, own_thread)) {
    std::vector<AnchorMatch>& of_point = matches.emplace_back();
    for (const NearestRow& near : found)
      of_point.push_back({near.row, {near.row, near.row}, near.distance()});
  }
  return matches;
}

std::vector<AnchorMatch> AnchorIndex::by_distance(std::span<const double> point,
                                                  std::span<const uint32_t> rows) const {
  std::vector<AnchorMatch> matches;
  matches.reserve(rows.size());
  std::vector<double> delta(differences().delta_size());
  for (uint32_t row : rows)
    matches.push_back({row, {row, row}, std::sqrt(row_squared_distance(differences(), point, row, delta))});
  std::stable_sort(matches.begin(), matches.end(),
                   [](const AnchorMatch& a, const AnchorMatch& b) { return a.distance < b.distance; });
  return matches;
}

std::vector<AnchorMatch> AnchorIndex::match_all(std::span<const double> point) const {
  std::vector<AnchorMatch> matches;
  const size_t count = differences().anchor_count();
  matches.reserve(count);
  for (size_t i = 0; i < count; ++i) matches.push_back(match(point, differences().anchor(i)));
  return matches;
}

AnchorMatch AnchorIndex::match(std::span<const double> point, size_t anchor) const {
  return match_of(index_.pool().nearest(point, anchor));
}

std::vector<AnchorMatch> AnchorIndex::find(std::span<const double> point, const AnchorOptions& options,
                                           std::span<const float> row_weights) const {
  check(options);
  if (goes_by_weight(options.rule)) return find_by_weight(point, options, row_weights);
  return std::move(find_all(MatrixView<const double>(point.data(), 1, point.size()), options)[0]);
}

std::vector<std::vector<AnchorMatch>> AnchorIndex::find_all(MatrixView<const double> points,
                                                            const AnchorOptions& options,
                                                            const StopCheck& stop_check) const {
  check(options);
  assert(!goes_by_weight(options.rule));
  std::vector<std::vector<AnchorMatch>> matches(points.rows());
  if (options.rule == AnchorRule::none || options.rule == AnchorRule::given) return matches;
  if (options.rule == AnchorRule::neighbour) return nearest_rows(points, 1);
  if (options.rule == AnchorRule::near) return nearest_rows(points, options.count);
  if (options.rule == AnchorRule::all) {
    const std::vector<uint32_t> rows = sampled_rows(this->points().rows(), options.count);
    for (size_t r = 0; r < points.rows(); ++r) {
      check_stop(stop_check);
      matches[r] = by_distance(points.row(r), rows);
    }
    return matches;
  }
  size_t count = 1;
  if (options.rule == AnchorRule::many) count = options.count;
  if (options.rule == AnchorRule::percentile)
    count =
        std::max<size_t>(1, static_cast<size_t>(std::ceil(static_cast<double>(differences().anchor_count()) *
                                                          options.percentile / 100)));
  std::vector<DifferenceIndex::Found> all = options.rule == AnchorRule::radius
                                                ? index_.within(points, options.radius, stop_check)
                                                : index_.closest(points, count, stop_check);
  for (size_t r = 0; r < all.size(); ++r) {
    DifferenceIndex::Found& found = all[r];
    if (options.rule == AnchorRule::radius || options.rule == AnchorRule::percentile) {
      Rng rng(content_key(points.row(r)), Stream::anchor);
      found = {found[rng.below(found.size())]};
    }
    matches[r].reserve(found.size());
    for (const NearestDifference& f : found) matches[r].push_back(match_of(f));
  }
  return matches;
}

}  // namespace kedge
