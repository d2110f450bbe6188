#include "kedge/anchors/spread_rows.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "kedge/anchors/box_tree.h"
#include "kedge/anchors/difference_index.h"
#include "kedge/anchors/principal_axes.h"
#include "kedge/core/thread_pool.h"

namespace kedge {
namespace {

constexpr size_t outermost_of = 4;  // one anchor of so many is an outermost row
constexpr size_t probes = 32;
constexpr double moved_out = 1.5;

/// Marks the outermost rows, about `count` of them.
std::vector<bool> outermost(const Matrix<float>& rows, size_t count) {
  std::vector<bool> is_outer(rows.rows());
  const size_t axes = std::min(rows.cols(), std::max<size_t>(1, count / 2));
  const auto each_end = static_cast<std::ptrdiff_t>(std::max<size_t>(1, count / (2 * axes)));
  std::vector<uint32_t> order(rows.rows());
  std::iota(order.begin(), order.end(), 0u);
  for (size_t k = 0; k < axes; ++k) {
    const auto lower = [&](uint32_t a, uint32_t b) {
      return rows(a, k) != rows(b, k) ? rows(a, k) < rows(b, k) : a < b;
    };
    std::nth_element(order.begin(), order.begin() + each_end, order.end(), lower);
    std::nth_element(order.begin() + each_end, order.end() - each_end, order.end(), lower);
    for (std::ptrdiff_t i = 0; i < each_end; ++i) {
      is_outer[*(order.begin() + i)] = true;
      is_outer[*(order.end() - 1 - i)] = true;
    }
  }
  return is_outer;
}

Matrix<double> outward_probes(const DifferencePool& pool) {
  const size_t rows = pool.points.rows(), count = std::min(probes, rows);
  Matrix<double> moved(count, pool.points.cols());
  for (size_t p = 0; p < count; ++p)
    std::ranges::copy(pool.points.row(p * rows / count), moved.row(p).begin());
  for (const LinearCoordinate& at : pool.space.linear_coordinates()) {
    double center = 0;
    for (size_t r = 0; r < rows; ++r) center += pool.points(r, at.point) / static_cast<double>(rows);
    for (size_t p = 0; p < count; ++p)
      moved(p, at.point) = center + moved_out * (moved(p, at.point) - center);
  }
  return moved;
}

}  // namespace

std::vector<uint32_t> spread_rows(const DifferencePool& pool, size_t count) {
  const size_t all = pool.points.rows();
  if (all <= count) return {};
  const Matrix<float> rows = PrincipalAxes(pool, PrincipalAxes::Of::points).project_points(pool);
  std::vector<bool> is_outer(all);
  if (count >= 2 * outermost_of) is_outer = outermost(rows, count / outermost_of);
  std::vector<uint32_t> chosen, others;
  for (uint32_t row : compact_order(rows)) (is_outer[row] ? chosen : others).push_back(row);
  const size_t wanted = count - chosen.size();
  for (size_t i = 0; i < wanted; ++i) chosen.push_back(others[(2 * i + 1) * others.size() / (2 * wanted)]);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

double anchor_stretch(const DifferencePool& pool, size_t count, int threads, const StopCheck& stop_check) {
  if (pool.anchors.empty()) return 0;
  const Matrix<double> queries = outward_probes(pool);
  DifferencePool whole = pool;
  whole.anchors.clear();
  const std::array<DifferenceIndex, 2> indices = {DifferenceIndex(pool), DifferenceIndex(std::move(whole))};
  count = std::min(count, pool.anchors.size());
  // Each index searches both halves of the queries.
  const size_t half = (queries.rows() + 1) / 2;
  std::array<double, 4> sums{};
  ThreadPool(threads).run(sums.size(), [&](size_t task) {
    const size_t first = task / 2 * half, some = std::min(half, queries.rows() - first);
    const MatrixView<const double> part(queries.row(first).data(), some, queries.cols());
    for (const DifferenceIndex::Found& found : indices[task % 2].closest(part, count, stop_check))
      for (const NearestDifference& one : found) sums[task] += one.distance();
  });
  const double serving = sums[0] + sums[2], all = sums[1] + sums[3];
  return all > 0 ? serving / all - 1 : 0;
}

}  // namespace kedge
