#include "kedge/table/split.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/linear_algebra.h"
#include "kedge/core/rng.h"
#include "kedge/table/standardizer.h"

namespace kedge {
namespace {

size_t part_of(size_t rows, double fraction) {
  if (rows < 2) throw Error("split", fmt::format("needed at least 2 rows; found {}; add rows", rows));
  if (!(fraction >= 0 && fraction <= 1)) {
    throw Error("split",
                fmt::format("needed a fraction from 0 to 1; found {}; choose one, such as 0.2", fraction));
  }
  const auto part = static_cast<size_t>(std::llround(fraction * static_cast<double>(rows)));
  return std::clamp<size_t>(part, 1, rows - 1);
}

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

void require_finite(MatrixView<const double> points) {
  for (size_t r = 0; r < points.rows(); ++r) {
    for (size_t c = 0; c < points.cols(); ++c) {
      if (std::isfinite(points(r, c))) continue;
      throw Error("split", fmt::format("needed finite numbers; found {} in row {}, column {}; drop the row",
                                       points(r, c), r, c));
    }
  }
}

std::vector<double> outwardness(MatrixView<const double> points) {
  std::vector<double> scores(points.rows(), 0.0);
  std::vector<double> values(points.rows());
  for (size_t c = 0; c < points.cols(); ++c) {
    for (size_t r = 0; r < points.rows(); ++r) values[r] = points(r, c);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double half_range = *high / 2 - *low / 2;
    if (!(half_range > 0)) continue;
    const double median = median_of(values);
    for (size_t r = 0; r < points.rows(); ++r) {
      // Halves, since the difference of two finite numbers need not be finite.
      scores[r] = std::max(scores[r], 2 * (std::abs(points(r, c) / 2 - median / 2) / half_range));
    }
  }
  return scores;
}

/// Row numbers of the two parts, ascending; the first `count` of `order` are the second part.
std::pair<std::vector<size_t>, std::vector<size_t>> parts(std::vector<size_t> order, size_t count) {
  const auto border = order.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(order.begin(), border);
  std::sort(border, order.end());
  return {{border, order.end()}, {order.begin(), border}};
}

std::vector<size_t> all_rows(size_t rows) {
  std::vector<size_t> order(rows);
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

OuterShell highest_outside(const std::vector<double>& scores, size_t count) {
  std::vector<size_t> order = all_rows(scores.size());
  std::nth_element(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](size_t a, size_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  auto [inside, outside] = parts(std::move(order), count);
  return {.inside = std::move(inside), .outside = std::move(outside)};
}

/// Each row's place along the leading axis of the standardized columns.
std::vector<double> along_leading_axis(MatrixView<const double> points) {
  const Standardizer scale = Standardizer::fit(points);
  Matrix<double> rows(points.rows(), points.cols());
  for (size_t r = 0; r < rows.rows(); ++r)
    for (size_t c = 0; c < rows.cols(); ++c) rows(r, c) = scale.redo(c, points(r, c));
  return along(rows, leading_axes(rows, 1)).values();
}

}  // namespace

OuterShell outer_shell(MatrixView<const double> points, double fraction) {
  const size_t count = part_of(points.rows(), fraction);
  require_finite(points);
  return highest_outside(outwardness(points), count);
}

OuterShell outer_end(MatrixView<const double> points, double fraction, End end) {
  const size_t count = part_of(points.rows(), fraction);
  require_finite(points);
  std::vector<double> scores = along_leading_axis(points);
  if (end == End::low)
    for (double& score : scores) score = -score;
  return highest_outside(scores, count);
}

RandomSplit random_split(size_t rows, double fraction, uint64_t seed) {
  const size_t count = part_of(rows, fraction);
  std::vector<size_t> order = all_rows(rows);
  Rng rng(seed, Stream::split);
  for (size_t i = 0; i < count; ++i) std::swap(order[i], order[i + rng.below(rows - i)]);
  auto [kept, held_out] = parts(std::move(order), count);
  return {.kept = std::move(kept), .held_out = std::move(held_out)};
}

}  // namespace kedge
