#include "kedge/anchors/row_index.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "kedge/anchors/box_search.h"
#include "kedge/anchors/principal_axes.h"
#include "kedge/anchors/product_scan.h"

namespace kedge {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr float largest = std::numeric_limits<float>::max();
constexpr NearestRow nobody{std::numeric_limits<uint32_t>::max(), infinity};
// Points that one task searches: a scan reads the whole tree for them.
constexpr size_t task_points = 256;
// With fewer rows or numbers a tree would cost more than it saves.
constexpr size_t fewest_rows = 256, fewest_numbers = 1 << 14;

bool is_small(const DifferencePool& pool) {
  return pool.points.rows() < fewest_rows || pool.points.rows() * pool.delta_size() < fewest_numbers;
}

}  // namespace

double row_squared_distance(const DifferencePool& pool, std::span<const double> point, size_t row,
                            std::span<double> delta) {
  if (!pool.space.is_linear()) {
    const std::vector<double> origin(pool.delta_size(), 0.0);
    pool.target(point, row, delta);
    return pool.space.squared_distance(delta, origin, pool.scale);
  }
  // The same operations as Space has for linear groups, without its copies.
  double sum = 0;
  const std::span<const double> other = pool.points.row(row);
  for (size_t j = 0; j < pool.scale.size(); ++j) {
    const double e = (point[j] - other[j]) / pool.scale[j];
    sum += e * e;
  }
  return sum;
}

struct RowIndex::Built {
  explicit Built(const DifferencePool& pool) {
    if (is_small(pool)) return;
    axes = PrincipalAxes(pool, PrincipalAxes::Of::points);
    tree = BoxTree(axes.project_points(pool));
  }

  PrincipalAxes axes;
  BoxTree tree;
};

struct RowIndex::Later {
  std::once_flag once;
  std::unique_ptr<const Built> built;
};

/// Searches for up to task_points points. Sixteen go through the tree together. Where that costs more than a
/// matrix product would, it is given up, and these and the following points are scanned.
class RowSearch : private BoxSearch {
 public:
  RowSearch(const RowIndex::Built& built, const DifferencePool& pool, MatrixView<const double> points,
            double least, size_t count, std::span<NearestRow> found)
      : BoxSearch(built.tree),
        built_(built),
        pool_(pool),
        points_(points),
        least_(least),
        count_(count),
        found_(found),
        slack_(points.rows()),
        own_limit_(points.rows(), largest),
        delta_(pool.delta_size()) {
    for (size_t p = 0; p < points.rows(); ++p)
      slack_[p] = is_small(pool) ? infinity : built.axes.slack(points.row(p));
    std::ranges::fill(found_, nobody);
  }

  void run() {
    bool is_worthwhile = true;
    std::vector<size_t> left;  // to be scanned
    std::vector<size_t> block;
    for (size_t p = 0; p < points_.rows(); ++p) {
      if (slack_[p] < greatest_slack)
        block.push_back(p);
      else
        search_everything(p);
      if (block.empty() || (block.size() < width && p + 1 < points_.rows())) continue;
      if (!search_tree(block, is_worthwhile)) {
        is_worthwhile = false;
        left.insert(left.end(), block.begin(), block.end());
      }
      block.clear();
    }
    if (!left.empty()) scan(left);
    std::ranges::replace(found_, nobody, NearestRow{0, infinity});
  }

 private:
  float limit(uint32_t lane) const override { return lane < block_.size() ? own_limit_[block_[lane]] : 0; }
  void look(uint32_t lane, uint32_t row) override { look_exactly(block_[lane], row); }

  void look_exactly(size_t p, uint32_t row) {
    const double squared = row_squared_distance(pool_, points_.row(p), row, delta_);
    const std::span<NearestRow> best = found_.subspan(p * count_, count_);
    const auto is_before = [](const NearestRow& a, const NearestRow& b) {
      return a.squared < b.squared || (a.squared == b.squared && a.row < b.row);
    };
    const NearestRow one{row, squared};
    if (!is_before(one, best.back())) return;
    if (least_ > 0 && !(std::sqrt(squared) >= least_)) return;
    const auto place = std::lower_bound(best.begin(), best.end(), one, is_before);
    // A leaf's nearest row is looked at twice.
    if (*place == one) return;
    std::shift_right(place, best.end(), 1);
    *place = one;
    if (best.back().squared < infinity) own_limit_[p] = projected_limit(best.back().distance(), slack_[p]);
  }

  void search_everything(size_t p) {
    for (size_t row = 0; row < pool_.points.rows(); ++row) look_exactly(p, static_cast<uint32_t>(row));
  }

  /// False when the search was given up.
  bool search_tree(const std::vector<size_t>& block, bool is_worthwhile) {
    block_ = block;
    const uint32_t lanes = (1u << block.size()) - 1;
    for (size_t i = 0; i < block.size(); ++i)
      built_.axes.project_point(pool_, points_.row(block[i]), targets() + i, width);
    finish_targets(lanes);
    for (uint32_t lane = 0; lane < block.size(); ++lane) descend(lane);
    if (!is_worthwhile) return false;
    refresh_limits();
    work_ = 0;
    most_work_ = ProductScan::cost(built_.tree, block.size());
    visit(built_.tree.top_level(), 0, lanes);
    return work_ <= most_work_;
  }

  void scan(const std::vector<size_t>& points) {
    ProductScan scan(built_.tree, points.size());
    for (size_t t = 0; t < points.size(); ++t)
      built_.axes.project_point(pool_, points_.row(points[t]), scan.target(t).data(), 1);
    const auto limit = [&](size_t t) { return own_limit_[points[t]]; };
    scan.run(scan.cheapest_axes(limit), limit, [&](size_t t, uint32_t row) { look_exactly(points[t], row); });
  }

  const RowIndex::Built& built_;
  const DifferencePool& pool_;
  MatrixView<const double> points_;
  double least_;
  size_t count_;
  std::span<NearestRow> found_;  // `count_` by point, rising; what follows is by point too
  std::vector<double> slack_;
  std::vector<float> own_limit_;
  std::vector<double> delta_;
  std::vector<size_t> block_;  // the points that go through the tree now
};

RowIndex::RowIndex() : later_(std::make_shared<Later>()) {}

const RowIndex::Built& RowIndex::built(const DifferencePool& pool) const {
  std::call_once(later_->once, [&] { later_->built = std::make_unique<const Built>(pool); });
  return *later_->built;
}

NearestRow RowIndex::nearest(const DifferencePool& pool, std::span<const double> point, double least) const {
  NearestRow found;
  RowSearch(built(pool), pool, MatrixView<const double>(point.data(), 1, point.size()), least, 1, {&found, 1})
      .run();
  return found;
}

std::vector<std::vector<NearestRow>> RowIndex::closest(const DifferencePool& pool,
                                                       MatrixView<const double> points, size_t count,
                                                       ThreadPool& threads) const {
  count = std::min(count, pool.points.rows());
  const std::vector<NearestRow> all = search(pool, points, count, threads, 0);
  std::vector<std::vector<NearestRow>> by_point;
  for (auto first = all.begin(); first != all.end(); first += static_cast<std::ptrdiff_t>(count))
    by_point.emplace_back(first, first + static_cast<std::ptrdiff_t>(count));
  return by_point;
}

std::vector<NearestRow> RowIndex::nearest(const DifferencePool& pool, MatrixView<const double> points,
                                          ThreadPool& threads, double least) const {
  return search(pool, points, 1, threads, least);
}

std::vector<NearestRow> RowIndex::search(const DifferencePool& pool, MatrixView<const double> points,
                                         size_t count, ThreadPool& threads, double least) const {
  std::vector<NearestRow> found(points.rows() * count);
  const size_t tasks = (points.rows() + task_points - 1) / task_points;
  threads.run(tasks, [&](size_t task) {
    const size_t first = task * task_points, some = std::min(task_points, points.rows() - first);
    const MatrixView<const double> part(points.row(first).data(), some, points.cols());
    RowSearch(built(pool), pool, part, least, count, std::span(found).subspan(first * count, some * count))
        .run();
  });
  return found;
}

}  // namespace kedge
