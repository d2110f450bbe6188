#include "kedge/anchors/difference_index.h"

#include <algorithm>
#include <cassert>

#include "kedge/anchors/anchor_search.h"

namespace kedge {
namespace {

Matrix<float> projected_differences(const DifferencePool& pool, const PrincipalAxes& axes) {
  Matrix<float> rows(pool.pairs.size(), axes.count());
  std::vector<double> delta(pool.delta_size());
  for (size_t p = 0; p < pool.pairs.size(); ++p) {
    pool.target(pool.points.row(pool.pairs[p].query), pool.pairs[p].anchor, delta);
    axes.project_delta(pool, delta, rows.row(p).data(), 1);
  }
  return rows;
}

// Linear spaces: the points. Other spaces: their differences to the first point; near points have near ones.
Matrix<float> projected_anchors(const DifferencePool& pool, const PrincipalAxes& axes) {
  Matrix<float> rows(pool.points.rows(), axes.count());
  std::vector<double> delta(pool.delta_size());
  for (size_t i = 0; i < rows.rows(); ++i) {
    if (pool.space.is_linear()) {
      axes.project_point(pool, pool.points.row(i), rows.row(i).data(), 1);
    } else {
      pool.target(pool.points.row(i), 0, delta);
      axes.project_delta(pool, delta, rows.row(i).data(), 1);
    }
  }
  return rows;
}

}  // namespace

DifferenceIndex::Built::Built(const DifferencePool& pool)
    : axes(pool), tree(projected_differences(pool, axes)) {
  const Matrix<float> rows = projected_anchors(pool, axes);
  anchors = compact_order(rows);
  if (!pool.space.is_linear()) return;
  const size_t blocks = (anchors.size() + search_width - 1) / search_width;
  projected.assign(blocks * axes.count() * search_width, 0);
  for (size_t i = 0; i < anchors.size(); ++i) {
    float* const to = projected.data() + i / search_width * axes.count() * search_width + i % search_width;
    for (size_t k = 0; k < axes.count(); ++k) to[k * search_width] = rows(anchors[i], k);
  }
  for (size_t block = 0; block < blocks; ++block) {
    const size_t count = std::min(search_width, anchors.size() - block * search_width);
    for (size_t k = 0; k < tree.leading(); ++k) {
      const float* const from = projected.data() + (block * axes.count() + k) * search_width;
      const auto [least, greatest] = std::minmax_element(from, from + count);
      anchor_boxes.insert(anchor_boxes.end(), {*least, *greatest});
    }
  }
}

DifferenceIndex::DifferenceIndex(DifferencePool pool)
    : pool_(std::move(pool)), later_(std::make_shared<Later>()) {
  assert(!pool_.pairs.empty() && pool_.points.rows() > 0);
}

const DifferenceIndex::Built& DifferenceIndex::built() const {
  std::call_once(later_->once, [&] { later_->built = std::make_unique<const Built>(pool_); });
  return *later_->built;
}

std::vector<NearestDifference> DifferenceIndex::closest(std::span<const double> point, size_t count) const {
  count = std::min(count, pool_.points.rows());
  std::vector<NearestDifference> found = AnchorSearch(*this, point, count, 0).run();
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), found.end(), closer);
  found.resize(count);
  return found;
}

std::vector<NearestDifference> DifferenceIndex::within(std::span<const double> point, double radius) const {
  std::vector<NearestDifference> found = AnchorSearch(*this, point, 1, radius).run();
  std::sort(found.begin(), found.end(), closer);
  const double farthest = std::max(radius, found.front().distance());
  std::erase_if(found, [&](const NearestDifference& f) { return f.distance() > farthest; });
  return found;
}

size_t DifferenceIndex::bytes() const {
  return built().tree.bytes() +
         4 * (built().anchors.size() + built().projected.size() + built().anchor_boxes.size());
}

}  // namespace kedge
