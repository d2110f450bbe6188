#include "kedge/predictor/outward.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/table/standardizer.h"

namespace kedge {
namespace {

constexpr double wholly = 0.75;

[[noreturn]] void refuse(const std::string& found) {
  throw Error(
      "outward",
      fmt::format("needs parts like from=0.6,low=0.5,high=1,anchors=near=20 (from 0.5 to below 1, low "
                  "and high 0 to {}); found '{}'",
                  Outward::most_stretch, found));
}

double number_in(const std::string& text, double low, double high, const std::string& whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= low && value <= high))
    refuse(whole);
  return value;
}

/// Of sorted numbers, between two of them in proportion.
double quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

OutputEnds ends_of(std::vector<double> values, double deviation, double from) {
  std::sort(values.begin(), values.end());
  const double full = from + wholly * (1 - from);
  return {.least = values.front(),
          .greatest = values.back(),
          .low = quantile(values, 1 - from),
          .high = quantile(values, from),
          .wholly_low = quantile(values, 1 - full),
          .wholly_high = quantile(values, full),
          .deviation = deviation};
}

/// 0 at `begin`, 1 at `end` and past it, seen from the middle.
double part_of_way(double value, double begin, double end) {
  if (!(value > begin)) return 0;
  return value < end ? (value - begin) / (end - begin) : 1;
}

}  // namespace

std::string to_text(const Outward& outward) {
  if (outward.is_none()) return "";
  std::string text = fmt::format("from={}", outward.from);
  if (outward.low > 0) text += fmt::format(",low={}", outward.low);
  if (outward.high > 0) text += fmt::format(",high={}", outward.high);
  if (outward.anchors) text += ",anchors=" + to_text(*outward.anchors);
  return text;
}

Outward parse_outward(const std::string& text) {
  Outward outward;
  size_t first = 0;
  while (first < text.size()) {
    const size_t comma = std::min(text.find(',', first), text.size());
    const std::string part = text.substr(first, comma - first);
    const size_t equals = part.find('=');
    if (equals == std::string::npos || comma + 1 == text.size()) refuse(text);
    const std::string name = part.substr(0, equals), value = part.substr(equals + 1);
    if (name == "from") {
      outward.from = number_in(value, 0.5, std::nextafter(1, 0), text);
    } else if (name == "low" || name == "high") {
      (name == "low" ? outward.low : outward.high) = number_in(value, 0, Outward::most_stretch, text);
    } else if (name == "anchors") {
      outward.anchors = parse_anchors(value);
      if (!goes_by_distance(outward.anchors->rule)) refuse(text);
    } else {
      refuse(text);
    }
    first = comma + 1;
  }
  return outward;
}

double OutputEnds::excess(double canonical) const {
  return std::max({0.0, canonical - greatest, least - canonical}) / deviation;
}

double OutputEnds::end_share(double a, double b) const {
  return std::max(part_of_way(std::max(a, b), high, wholly_high),
                  part_of_way(-std::min(a, b), -low, -wholly_low));
}

double OutputEnds::stretched(double canonical, const Outward& outward) const {
  if (canonical > high) return canonical + outward.high * (canonical - high);
  if (canonical < low) return canonical + outward.low * (canonical - low);
  return canonical;
}

OutputRange::OutputRange(MatrixView<const double> outputs, OutputSpace space, const Outward& outward)
    : space_(std::move(space)) {
  const Matrix<double> canonical = space_.canonical(outputs);
  const Standardizer scale = Standardizer::fit(canonical);
  for (size_t k = 0; k < canonical.cols(); ++k) {
    std::vector<double> values;
    for (size_t r = 0; r < canonical.rows(); ++r) values.push_back(canonical(r, k));
    ends_.push_back(ends_of(std::move(values), scale.scale[k], outward.from));
  }
}

OutputRange::Gap OutputRange::gap(std::span<const double> y) const {
  Gap least{.amount = std::numeric_limits<double>::infinity()};
  for (size_t k = 0; k < y.size(); ++k) {
    const double to_low = y[k] - space_.value(k, ends_[k].least),
                 to_high = space_.value(k, ends_[k].greatest) - y[k];
    const double amount = std::max(0.0, std::min(to_low, to_high));
    if (amount < least.amount) least = {amount, to_high < to_low};
  }
  return least;
}

double OutputRange::excess(std::span<const double> y) const {
  double most = 0;
  for (size_t k = 0; k < y.size(); ++k) most = std::max(most, ends_[k].excess(space_.canonical(k, y[k])));
  return most;
}

std::vector<Departure> OutputRange::departures(std::span<const double> y) const {
  std::vector<Departure> found;
  for (size_t k = 0; k < y.size(); ++k) {
    const OutputEnds& ends = ends_[k];
    const double canonical = space_.canonical(k, y[k]);
    const bool is_above = canonical > ends.greatest;
    if (!is_above && !(canonical < ends.least)) continue;
    const double end = is_above ? ends.greatest : ends.least, width = ends.greatest - ends.least;
    found.push_back({.column = k,
                     .amount = y[k] - space_.value(k, end),
                     .relative = width > 0 ? std::abs(canonical - end) / width
                                           : std::numeric_limits<double>::infinity()});
  }
  return found;
}

void OutputRange::mix(std::span<double> y, double& spread, std::span<const double> other,
                      double other_spread) const {
  double most = 0;
  for (size_t k = 0; k < y.size(); ++k) {
    const double a = space_.canonical(k, y[k]), b = space_.canonical(k, other[k]);
    const double share = ends_[k].end_share(a, b);
    most = std::max(most, share);
    if (share > 0) y[k] = space_.value(k, a + share * (b - a));
  }
  spread += most * (other_spread - spread);
}

void OutputRange::stretch(std::span<double> y, const Outward& outward) const {
  for (size_t k = 0; k < y.size(); ++k) {
    const double canonical = space_.canonical(k, y[k]), moved = ends_[k].stretched(canonical, outward);
    if (moved != canonical) y[k] = space_.value(k, moved);
  }
}

}  // namespace kedge
