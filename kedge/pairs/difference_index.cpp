#include "kedge/pairs/difference_index.h"

#include <algorithm>
#include <cassert>

#include "kedge/pairs/anchor_search.h"

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

// Linear: the points themselves. Curved: their targets to the first one, which are compact where they are.
Matrix<float> projected_anchors(const DifferencePool& pool, const PrincipalAxes& axes) {
  Matrix<float> rows(pool.points.rows(), axes.count());
  std::vector<double> delta(pool.delta_size());
  for (size_t i = 0; i < rows.rows(); ++i) {
    if (pool.space.is_linear()) {
      axes.project_point(pool.points.row(i), rows.row(i).data(), 1);
    } else {
      pool.target(pool.points.row(i), 0, delta);
      axes.project_delta(pool, delta, rows.row(i).data(), 1);
    }
  }
  return rows;
}

}  // namespace

DifferenceIndex::DifferenceIndex(DifferencePool pool) : pool_(std::move(pool)), axes_(pool_) {
  assert(!pool_.pairs.empty() && pool_.points.rows() > 0);
  tree_ = BoxTree(projected_differences(pool_, axes_));
  const Matrix<float> rows = projected_anchors(pool_, axes_);
  anchors_ = compact_order(rows);
  if (!pool_.space.is_linear()) return;
  const size_t blocks = (anchors_.size() + search_width - 1) / search_width;
  projected_.assign(blocks * axes_.count() * search_width, 0);
  for (size_t i = 0; i < anchors_.size(); ++i) {
    float* const to = projected_.data() + i / search_width * axes_.count() * search_width + i % search_width;
    for (size_t k = 0; k < axes_.count(); ++k) to[k * search_width] = rows(anchors_[i], k);
  }
}

std::vector<NearestDifference> DifferenceIndex::closest(std::span<const double> point, size_t count) const {
  count = std::min(count, anchors_.size());
  std::vector<NearestDifference> found = AnchorSearch(*this, point, count, 0).run();
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), found.end(), closer);
  found.resize(count);
  return found;
}

std::vector<NearestDifference> DifferenceIndex::within(std::span<const double> point, double radius) const {
  std::vector<NearestDifference> found = AnchorSearch(*this, point, 1, radius).run();
  std::sort(found.begin(), found.end(), closer);
  const double reach = std::max(radius, found.front().distance());
  std::erase_if(found, [&](const NearestDifference& f) { return f.distance() > reach; });
  return found;
}

size_t DifferenceIndex::bytes() const { return tree_.bytes() + 4 * (anchors_.size() + projected_.size()); }

}  // namespace kedge
