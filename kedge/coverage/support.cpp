#include "kedge/coverage/support.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kedge {
namespace {

constexpr size_t most_probes = 300, fewest_probes = 30;
// Distances that probing may cost: a second or so, however large the pool.
constexpr double probe_work = 2e8;
constexpr size_t fewest_different_rows = 10;
constexpr double percentile = 0.99, most_medians = 10;
// Rows closer than this, in deviations, are one measured twice.
constexpr double same_row = 1e-6;

/// Of sorted values, by linear interpolation.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// The 99th percentile, or 10 medians where that is less: of few rows the highest percentiles are outliers.
double usual_spacing(const std::vector<double>& sorted) {
  const double median = quantile(sorted, 0.5), high = quantile(sorted, percentile);
  return median > 0 ? std::min(high, most_medians * median) : high;
}

size_t probes_for(size_t candidates, size_t available) {
  const double affordable = probe_work / static_cast<double>(std::max<size_t>(1, candidates));
  const auto probes = std::clamp(static_cast<size_t>(affordable), fewest_probes, most_probes);
  return std::min(probes, available);
}

/// Distances of some training rows to the nearest row that differs, sorted.
std::vector<double> row_spacings(const DifferencePool& pool, const RowIndex& index,
                                 const StopCheck& stop_check) {
  const size_t rows = pool.points.rows(), probes = probes_for(rows, rows);
  Matrix<double> probed(probes, pool.points.cols());
  for (size_t p = 0; p < probes; ++p) {
    const std::span<const double> point = pool.points.row(p * rows / probes);
    std::copy(point.begin(), point.end(), probed.row(p).begin());
  }
  check_stop(stop_check);
  ThreadPool own_thread(1);
  std::vector<double> spacings;
  for (const NearestRow& nearest : index.nearest(pool, probed, own_thread, same_row))
    if (std::isfinite(nearest.squared)) spacings.push_back(nearest.distance());
  std::sort(spacings.begin(), spacings.end());
  return spacings;
}

/// Distances of fresh differences to the nearest of the pool that does not share their query, sorted.
std::vector<double> delta_spacings(const DifferencePool& pool, const PairSampler& sampler, uint64_t seed,
                                   const StopCheck& stop_check) {
  const size_t probes = probes_for(pool.pairs.size(), most_probes);
  std::vector<double> spacings, delta(pool.delta_size());
  for (uint32_t slot = 0; slot < probes; ++slot) {
    check_stop(stop_check);
    const Pair pair = sampler.draw(seed, Stream::coverage, 0, slot);
    if (pair.query == pair.anchor) continue;
    pool.target(pool.points.row(pair.query), pair.anchor, delta);
    double nearest = std::numeric_limits<double>::infinity();
    for (size_t place = 0; place < pool.pairs.size(); ++place) {
      const Pair& other = pool.pairs[place];
      if (other.query == pair.query || other.anchor == pair.query) continue;
      nearest = std::min(nearest, pool.squared_distance(delta, place));
    }
    if (std::isfinite(nearest)) spacings.push_back(std::sqrt(nearest));
  }
  std::sort(spacings.begin(), spacings.end());
  return spacings;
}

bool has_different_rows(const DifferencePool& pool, size_t wanted) {
  std::vector<size_t> found;
  std::vector<double> delta(pool.delta_size());
  for (size_t r = 0; r < pool.points.rows() && found.size() < wanted; ++r) {
    const bool is_new = std::none_of(found.begin(), found.end(), [&](size_t other) {
      return std::sqrt(row_squared_distance(pool, pool.points.row(r), other, delta)) < same_row;
    });
    if (is_new) found.push_back(r);
  }
  return found.size() >= wanted;
}

}  // namespace

Support::Support(const DifferencePool& pool, const PairSampler& sampler, uint64_t seed, RowIndex rows,
                 const StopCheck& stop_check)
    : rows_(std::move(rows)), ranges_(pool) {
  if (!has_different_rows(pool, fewest_different_rows)) return;
  const std::vector<double> spacings = row_spacings(pool, rows_, stop_check),
                            deltas = delta_spacings(pool, sampler, seed, stop_check);
  if (spacings.empty() || deltas.empty()) return;
  thresholds_.support_radius = usual_spacing(spacings);
  thresholds_.delta_radius = std::max(thresholds_.support_radius, usual_spacing(deltas));
  for (int percent = 0; percent <= 100; ++percent)
    delta_quantiles_.push_back(quantile(deltas, percent / 100.0));
}

Support::Support(const DifferencePool& pool, Thresholds thresholds, std::vector<double> delta_quantiles,
                 RowIndex rows)
    : rows_(std::move(rows)),
      thresholds_(thresholds),
      delta_quantiles_(std::move(delta_quantiles)),
      ranges_(pool) {}

double Support::delta_percentile(double distance) const {
  if (delta_quantiles_.empty() || std::isnan(distance)) return std::numeric_limits<double>::quiet_NaN();
  const auto& q = delta_quantiles_;
  const auto above = std::lower_bound(q.begin(), q.end(), distance);
  if (above == q.begin()) return 0;
  if (above == q.end()) return 100;
  const double low = *(above - 1), share = (distance - low) / (*above - low);
  return 100 * (static_cast<double>(above - q.begin() - 1) + share) / static_cast<double>(q.size() - 1);
}

double Support::distance(const DifferencePool& pool, std::span<const double> point) const {
  return rows_.nearest(pool, point).distance();
}

std::vector<double> Support::distances(const DifferencePool& pool, MatrixView<const double> points,
                                       ThreadPool& threads) const {
  std::vector<double> distances;
  distances.reserve(points.rows());
  for (const NearestRow& nearest : rows_.nearest(pool, points, threads))
    distances.push_back(nearest.distance());
  return distances;
}

Position Support::locate(const DifferencePool& pool, std::span<const double> point, double distance,
                         std::span<const AnchorMatch> matches, const Thresholds& thresholds) const {
  Position position;
  position.support_distance = distance;
  position.columns_in_range = ranges_.holds(point);
  std::vector<double> delta(pool.delta_size());
  for (const AnchorMatch& match : matches) {
    if (!(match.distance >= position.delta_distance)) position.delta_distance = match.distance;
    if (!(match.distance <= thresholds.delta_radius)) continue;
    pool.target(point, match.anchor, delta);
    if (ranges_.holds_difference(delta)) ++position.admissible_anchors;
  }
  return position;
}

std::vector<Departure> Support::departures(std::span<const double> point, double distance,
                                           const Thresholds& thresholds) const {
  std::vector<Departure> found = ranges_.departures(point);
  if (found.empty() && distance > thresholds.support_radius)
    found.push_back({.amount = distance, .relative = distance / thresholds.support_radius});
  return found;
}

}  // namespace kedge
