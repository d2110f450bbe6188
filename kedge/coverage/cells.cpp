#include "kedge/coverage/cells.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace kedge {

Cells::Cells(MatrixView<const double> sample, int levels) : low_(sample.cols()), high_(sample.cols()) {
  assert(sample.rows() > 0);
  for (size_t c = 0; c < sample.cols(); ++c) {
    low_[c] = high_[c] = sample(0, c);
    for (size_t r = 1; r < sample.rows(); ++r) {
      low_[c] = std::min(low_[c], sample(r, c));
      high_[c] = std::max(high_[c], sample(r, c));
    }
  }
  std::vector<size_t> rows(sample.rows());
  std::iota(rows.begin(), rows.end(), size_t{0});
  root_ = grow(sample, rows, levels);
}

size_t Cells::grow(MatrixView<const double> sample, std::span<size_t> rows, int levels) {
  Node node;
  double widest = 0;
  for (size_t c = 0; levels > 0 && c < sample.cols(); ++c) {
    const double range = high_[c] - low_[c];
    if (!(range > 0)) continue;
    double mean = 0, squares = 0;
    for (size_t r : rows) mean += (sample(r, c) - low_[c]) / range / static_cast<double>(rows.size());
    for (size_t r : rows) {
      const double d = (sample(r, c) - low_[c]) / range - mean;
      squares += d * d;
    }
    // Rounding alone gives equal numbers a variance; they cannot be halved.
    const bool differs =
        std::any_of(rows.begin(), rows.end(), [&](size_t r) { return sample(r, c) != sample(rows[0], c); });
    if (differs && squares > widest) {
      widest = squares;
      node.column = c;
    }
  }
  if (!(widest > 0)) {
    node.cell = count_++;
    nodes_.push_back(node);
    return nodes_.size() - 1;
  }
  const size_t c = node.column;
  std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) { return sample(a, c) < sample(b, c); });
  // The boundary between different numbers that is nearest to the middle.
  const auto is_boundary = [&](size_t at) {
    return at > 0 && at < rows.size() && sample(rows[at - 1], c) != sample(rows[at], c);
  };
  const size_t middle = rows.size() / 2;
  size_t cut = middle;
  for (size_t away = 0; !is_boundary(cut); ++away) {
    cut = middle + away;
    if (!is_boundary(cut) && away <= middle) cut = middle - away;
  }
  node.threshold = sample(rows[cut - 1], c);
  node.left = grow(sample, rows.first(cut), levels - 1);
  node.right = grow(sample, rows.subspan(cut), levels - 1);
  nodes_.push_back(node);
  return nodes_.size() - 1;
}

size_t Cells::of(std::span<const double> row) const {
  assert(row.size() == low_.size());
  for (size_t c = 0; c < row.size(); ++c) {
    const double slack = margin * (high_[c] - low_[c]);
    if (!(row[c] >= low_[c] - slack && row[c] <= high_[c] + slack)) return outside;
  }
  size_t at = root_;
  while (nodes_[at].left != nodes_[at].right)
    at = row[nodes_[at].column] <= nodes_[at].threshold ? nodes_[at].left : nodes_[at].right;
  return nodes_[at].cell;
}

}  // namespace kedge
