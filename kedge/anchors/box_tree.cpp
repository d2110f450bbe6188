#include "kedge/anchors/box_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kedge {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr size_t sample_size = 256;

struct Keyed {
  float key;
  uint32_t row;
};

size_t widest_axis(MatrixView<const float> rows, std::span<const uint32_t> order) {
  const size_t step = (order.size() + sample_size - 1) / sample_size;
  const size_t axes = std::min(rows.cols(), BoxTree::most_leading);
  const float* const origin = rows.row(order[0]).data();
  float sums[BoxTree::most_leading] = {}, squares[BoxTree::most_leading] = {};
  float count = 0;
  for (size_t i = 0; i < order.size(); i += step, ++count) {
    const float* const row = rows.row(order[i]).data();
    for (size_t k = 0; k < axes; ++k) {
      const float e = row[k] - origin[k];
      sums[k] += e;
      squares[k] += e * e;
    }
  }
  size_t widest = 0;
  float most = -1;
  for (size_t k = 0; k < axes; ++k) {
    const float variance = squares[k] - sums[k] * sums[k] / count;
    if (variance > most) {
      most = variance;
      widest = k;
    }
  }
  return widest;
}

void arrange(MatrixView<const float> rows, std::span<uint32_t> order, std::vector<Keyed>& keyed) {
  const size_t leaves = (order.size() + search_width - 1) / search_width;
  if (leaves <= 1) return;
  size_t unit = 1;
  while (unit * search_width < leaves) unit *= search_width;
  const size_t units = (leaves + unit - 1) / unit;
  const size_t middle = (units + 1) / 2 * unit * search_width;
  const size_t axis = widest_axis(rows, order);
  keyed.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) keyed[i] = {rows(order[i], axis), order[i]};
  std::nth_element(keyed.begin(), keyed.begin() + static_cast<std::ptrdiff_t>(middle), keyed.end(),
                   [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
  for (size_t i = 0; i < order.size(); ++i) order[i] = keyed[i].row;
  arrange(rows, order.first(middle), keyed);
  arrange(rows, order.subspan(middle), keyed);
}

}  // namespace

AlignedVector<uint32_t> compact_order(MatrixView<const float> rows) {
  AlignedVector<uint32_t> order(rows.rows());
  std::iota(order.begin(), order.end(), 0u);
  std::vector<Keyed> keyed;
  arrange(rows, order, keyed);
  return order;
}

float length_from(const float* row, size_t first, size_t axes, size_t stride) {
  float sum = 0;
  for (size_t k = first; k < axes; ++k) sum += row[k * stride] * row[k * stride];
  return std::sqrt(sum);
}

BoxTree::BoxTree(MatrixView<const float> rows)
    : axes_(rows.cols()),
      leading_(axes_ > most_leading + 1 ? most_leading : axes_),
      order_(compact_order(rows)) {
  const size_t count = order_.size();
  order_.resize((count + search_width - 1) / search_width * search_width, 0);
  points_.assign(order_.size() * axes_, infinity);
  for (size_t i = 0; i < count; ++i) {
    const float* const from = rows.row(order_[i]).data();
    float* const to = points_.data() + i / search_width * axes_ * search_width + i % search_width;
    for (size_t k = 0; k < axes_; ++k) to[k * search_width] = from[k];
    longest_ = std::max(longest_, length_from(from, 0, axes_, 1));
  }
  boxes_.push_back(leaf_boxes());
  const size_t node_size = box_rows() * 2 * search_width;
  while (boxes_.back().size() > node_size) boxes_.push_back(enclosing(boxes_.back()));
}

// Boxes start as [+inf, -inf]: such a box holds no point and is infinitely far from every point.
AlignedVector<float> BoxTree::leaf_boxes() const {
  const size_t rows = box_rows(), nodes = (leaves() + search_width - 1) / search_width;
  AlignedVector<float> boxes(nodes * rows * 2 * search_width);
  for (size_t i = 0; i < boxes.size(); ++i) boxes[i] = i / search_width % 2 == 0 ? infinity : -infinity;
  for (size_t leaf = 0; leaf < leaves(); ++leaf) {
    float* const box = boxes.data() + leaf / search_width * rows * 2 * search_width + leaf % search_width;
    const float* const from = points(leaf);
    for (size_t i = 0; i < search_width; ++i) {
      if (from[i] == infinity) continue;
      for (size_t r = 0; r < rows; ++r) {
        const float x =
            r < leading_ ? from[r * search_width + i] : length_from(from + i, leading_, axes_, search_width);
        float& least = box[2 * r * search_width];
        float& greatest = box[(2 * r + 1) * search_width];
        least = std::min(least, x);
        greatest = std::max(greatest, x);
      }
    }
  }
  return boxes;
}

AlignedVector<float> BoxTree::enclosing(const AlignedVector<float>& below) const {
  const size_t rows = box_rows(), node_size = rows * 2 * search_width;
  const size_t children = below.size() / node_size, nodes = (children + search_width - 1) / search_width;
  AlignedVector<float> boxes(nodes * node_size);
  for (size_t i = 0; i < boxes.size(); ++i) boxes[i] = i / search_width % 2 == 0 ? infinity : -infinity;
  for (size_t child = 0; child < children; ++child) {
    const float* const from = below.data() + child * node_size;
    float* const to = boxes.data() + child / search_width * node_size + child % search_width;
    for (size_t r = 0; r < rows; ++r) {
      const float* const least = from + 2 * r * search_width;
      to[2 * r * search_width] = *std::min_element(least, least + search_width);
      to[(2 * r + 1) * search_width] = *std::max_element(least + search_width, least + 2 * search_width);
    }
  }
  return boxes;
}

size_t BoxTree::bytes() const {
  size_t numbers = points_.size() + order_.size();
  for (const AlignedVector<float>& level : boxes_) numbers += level.size();
  return 4 * numbers;
}

}  // namespace kedge
