#include "kedge/coverage/seen_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace kedge {
namespace {

constexpr double turn = 2 * std::numbers::pi;
constexpr double least_unseen = turn / 12;
// Of evenly drawn angles the widest of n gaps is beyond ln(n / chance) mean gaps with this chance.
constexpr double chance = 0.01;
constexpr double same_angle = 1e-9;

/// From `from` counter-clockwise to `to`, in [0, turn).
double way_round(double from, double to) {
  const double way = std::fmod(to - from, turn);
  return way < 0 ? way + turn : way;
}

/// Where the angle stands in the arc, from its beginning; NaN beside it and at its ends.
double place_in(const Arc& arc, double angle) {
  const double place = way_round(arc.begin, angle);
  return place > 0 && place < arc.width ? place : std::numeric_limits<double>::quiet_NaN();
}

double over(double amount, double width) {
  return width > 0 ? amount / width : std::numeric_limits<double>::infinity();
}

}  // namespace

std::vector<Arc> unseen_arcs(std::vector<double> angles) {
  std::sort(angles.begin(), angles.end());
  const auto same = [](double a, double b) { return b - a < same_angle; };
  angles.erase(std::unique(angles.begin(), angles.end(), same), angles.end());
  if (angles.size() < 2) return {};
  std::vector<double> gaps;
  for (size_t i = 0; i + 1 < angles.size(); ++i) gaps.push_back(angles[i + 1] - angles[i]);
  gaps.push_back(way_round(angles.back(), angles.front()));
  std::vector<double> sorted = gaps;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const double mean_gap = *middle / std::numbers::ln2;  // of gaps by chance, whose median is ln 2 means
  const double widest_by_chance = mean_gap * std::log(static_cast<double>(gaps.size()) / chance);
  std::vector<Arc> unseen;
  for (size_t i = 0; i < gaps.size(); ++i)
    if (gaps[i] > std::max(least_unseen, widest_by_chance)) unseen.push_back({angles[i], gaps[i]});
  return unseen;
}

SeenRanges::SeenRanges(const DifferencePool& pool) {
  size_t point = 0;
  for (const Group& group : pool.space.groups()) {
    const auto column = static_cast<size_t>(group.columns.front());
    std::vector<double> values;
    if (group.kind != GroupKind::rotation)
      for (size_t r = 0; r < pool.points.rows(); ++r) values.push_back(pool.points(r, point));
    if (group.kind == GroupKind::angle) {
      circles_.push_back({column, point, group.unit, unseen_arcs(std::move(values))});
    } else if (group.kind != GroupKind::rotation) {
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      const auto delta = static_cast<size_t>(pool.space.deltas_of(group.columns.front()).front());
      ranges_.push_back({.column = column,
                         .point = point,
                         .delta = delta,
                         .is_log = group.kind == GroupKind::log,
                         .low = *low,
                         .high = *high});
    }
    point += group.columns.size();
  }
  measure_differences(pool);
}

void SeenRanges::measure_differences(const DifferencePool& pool) {
  for (const Pair& pair : pool.pairs) {
    for (Range& range : ranges_) {
      const size_t c = range.point;
      range.largest_difference = std::max(range.largest_difference,
                                          std::abs(pool.points(pair.query, c) - pool.points(pair.anchor, c)));
    }
  }
}

bool SeenRanges::holds(std::span<const double> point) const {
  return std::all_of(ranges_.begin(), ranges_.end(),
                     [&](const Range& range) {
                       return point[range.point] >= range.low && point[range.point] <= range.high;
                     }) &&
         std::none_of(circles_.begin(), circles_.end(), [&](const Circle& circle) {
           return std::any_of(circle.unseen.begin(), circle.unseen.end(), [&](const Arc& arc) {
             return !std::isnan(place_in(arc, point[circle.point]));
           });
         });
}

bool SeenRanges::holds_difference(std::span<const double> delta) const {
  return std::all_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
    return std::abs(delta[range.delta]) <= range.largest_difference;
  });
}

std::vector<Departure> SeenRanges::departures(std::span<const double> point) const {
  std::vector<Departure> found;
  for (const Range& range : ranges_) {
    const double x = point[range.point], end = std::clamp(x, range.low, range.high);
    if (x == end) continue;
    found.push_back({.column = range.column,
                     .amount = range.is_log ? std::exp(x) - std::exp(end) : x - end,
                     .relative = over(std::abs(x - end), range.high - range.low)});
  }
  for (const Circle& circle : circles_) {
    double seen = turn;
    for (const Arc& arc : circle.unseen) seen -= arc.width;
    for (const Arc& arc : circle.unseen) {
      const double place = place_in(arc, point[circle.point]);
      if (std::isnan(place)) continue;
      const double amount = place <= arc.width - place ? place : place - arc.width;
      found.push_back({.column = circle.column,
                       .amount = amount / circle.unit,
                       .relative = over(std::abs(amount), seen)});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Departure& a, const Departure& b) { return a.relative > b.relative; });
  return found;
}

}  // namespace kedge
