#include "kedge/anchors/difference_index.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "kedge/anchors/anchor_search.h"
#include "kedge/anchors/product_scan.h"
#include "kedge/anchors/sum_scan.h"

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
  Matrix<float> rows(pool.anchor_count(), axes.count());
  std::vector<double> delta(pool.delta_size());
  for (size_t i = 0; i < rows.rows(); ++i) {
    const std::span<const double> point = pool.points.row(pool.anchor(i));
    if (pool.space.is_linear()) {
      axes.project_point(pool, point, rows.row(i).data(), 1);
    } else {
      pool.target(point, 0, delta);
      axes.project_delta(pool, delta, rows.row(i).data(), 1);
    }
  }
  return rows;
}

}  // namespace

DifferenceIndex::Built::Built(const DifferencePool& pool)
    : axes(pool), tree(projected_differences(pool, axes)) {
  const Matrix<float> rows = projected_anchors(pool, axes);
  const AlignedVector<uint32_t> order = compact_order(rows);
  for (uint32_t number : order) anchors.push_back(pool.anchor(number));
  if (!pool.space.is_linear()) return;
  const size_t blocks = (anchors.size() + search_width - 1) / search_width;
  projected.assign(blocks * axes.count() * search_width, 0);
  for (size_t i = 0; i < anchors.size(); ++i) {
    float* const to = projected.data() + i / search_width * axes.count() * search_width + i % search_width;
    for (size_t k = 0; k < axes.count(); ++k) to[k * search_width] = rows(order[i], k);
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

// Searches that the tree is too slow for go on together; so do all after two of them, without the tree.
void DifferenceIndex::search_together(MatrixView<const double> points, size_t count, double radius,
                                      const StopCheck& stop_check, std::span<Found> found) const {
  constexpr size_t most_given_up = 2;
  const Built& built = this->built();
  const bool together = points.rows() >= SumScan::fewest_queries && built.axes.keeps_distances();
  const double cost = together ? SumScan::cost(built.tree, points.rows()) : ProductScan::cost(built.tree, 1);
  std::vector<std::unique_ptr<AnchorSearch>> left;
  std::vector<size_t> rows;  // of those
  for (size_t r = 0; r < points.rows(); ++r) {
    check_stop(stop_check);
    auto search = std::make_unique<AnchorSearch>(*this, points.row(r), count, radius);
    const bool tries = !together || left.size() < most_given_up || !search->can_project();
    if (tries && search->search_tree(cost)) {
      found[r] = search->result();
    } else if (together) {
      left.push_back(std::move(search));
      rows.push_back(r);
    } else {
      search->scan_left();
      found[r] = search->result();
    }
  }
  if (left.empty()) return;
  Matrix<float> queries(left.size(), built.axes.count());
  for (size_t i = 0; i < left.size(); ++i) std::ranges::copy(left[i]->query(), queries.row(i).begin());
  const SumScan scan(built.tree, built.projected);
  const Matrix<float> nearest = scan.nearest(queries, stop_check);
  for (size_t i = 0; i < left.size(); ++i) {
    check_stop(stop_check);
    left[i]->scan_near(nearest.row(i), scan.error(queries.row(i)));
    found[rows[i]] = left[i]->result();
    left[i].reset();
  }
}

std::vector<DifferenceIndex::Found> DifferenceIndex::search(MatrixView<const double> points, size_t count,
                                                            double radius,
                                                            const StopCheck& stop_check) const {
  // Numbers that searches keep of all their anchors: some 20 bytes each.
  constexpr size_t most_kept = size_t{1} << 22, most_together = 64;
  const size_t group = std::clamp<size_t>(most_kept / pool_.anchor_count(), 1, most_together);
  std::vector<Found> found(points.rows());
  for (size_t first = 0; first < found.size(); first += group) {
    const size_t some = std::min(group, found.size() - first);
    search_together({points.row(first).data(), some, points.cols()}, count, radius, stop_check,
                    std::span(found).subspan(first, some));
  }
  return found;
}

std::vector<DifferenceIndex::Found> DifferenceIndex::closest(MatrixView<const double> points, size_t count,
                                                             const StopCheck& stop_check) const {
  count = std::min(count, pool_.anchor_count());
  std::vector<Found> all = search(points, count, 0, stop_check);
  for (Found& found : all) {
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), found.end(), closer);
    found.resize(count);
  }
  return all;
}

std::vector<DifferenceIndex::Found> DifferenceIndex::within(MatrixView<const double> points, double radius,
                                                            const StopCheck& stop_check) const {
  std::vector<Found> all = search(points, 1, radius, stop_check);
  for (Found& found : all) {
    std::sort(found.begin(), found.end(), closer);
    const double farthest = std::max(radius, found.front().distance());
    std::erase_if(found, [&](const NearestDifference& f) { return f.distance() > farthest; });
  }
  return all;
}

DifferenceIndex::Found DifferenceIndex::closest(std::span<const double> point, size_t count) const {
  return std::move(closest(MatrixView<const double>(point.data(), 1, point.size()), count)[0]);
}

DifferenceIndex::Found DifferenceIndex::within(std::span<const double> point, double radius) const {
  return std::move(within(MatrixView<const double>(point.data(), 1, point.size()), radius)[0]);
}

size_t DifferenceIndex::bytes() const {
  return built().tree.bytes() +
         4 * (built().anchors.size() + built().projected.size() + built().anchor_boxes.size());
}

}  // namespace kedge
