#include "kedge/space/space.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"
#include "kedge/space/groups.h"

namespace kedge {
namespace {

/// Calls visit(G{}) with the arithmetic of the kind.
template <class Visit>
decltype(auto) with_arithmetic(GroupKind kind, Visit&& visit) {
  switch (kind) {
    case GroupKind::log:
      return visit(LogGroup<double>{});
    case GroupKind::angle:
      return visit(AngleGroup<double>{});
    case GroupKind::rotation:
      return visit(RotationGroup<double>{});
    case GroupKind::vector:
      break;
  }
  return visit(VectorGroup<double>{});
}

/// Where a group begins in points, deltas and features.
struct Start {
  size_t point = 0, delta = 0, feature = 0;
};

/// Calls visit(group, G{}, start) for every group in order.
template <class Visit>
void each_group(const std::vector<Group>& groups, Visit&& visit) {
  Start start;
  for (const Group& group : groups) {
    with_arithmetic(group.kind, [&]<class G>(G arithmetic) {
      visit(group, arithmetic, start);
      start.point += G::point;
      start.delta += G::delta;
      start.feature += G::features;
    });
  }
}

void require_valid(const Group& group) {
  const size_t needed = with_arithmetic(group.kind, [](auto g) -> size_t { return decltype(g)::columns; });
  if (group.columns.size() != needed)
    throw Error("space",
                fmt::format("a group of this kind needs {} column{}; found {}; list one group per quantity",
                            needed, needed == 1 ? "" : "s", group.columns.size()));
  const bool in_degrees = group.kind == GroupKind::angle && group.unit == radians_per_degree;
  if (group.unit != 1 && !in_degrees)
    throw Error(
        "space",
        fmt::format("unit 1, or pi/180 for angles in degrees, is needed; found {}; convert the column",
                    group.unit));
}

std::vector<int> counted_from(int first, int count) {
  std::vector<int> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

[[noreturn]] void throw_not_a_point(const Group& group, std::span<const double> row,
                                    std::span<const std::string> names) {
  std::vector<std::string> columns;
  for (int c : group.columns)
    columns.push_back(names.empty() ? std::to_string(c) : shown(names[static_cast<size_t>(c)]));
  const auto value = [&](size_t i) { return row[static_cast<size_t>(group.columns[i])]; };
  if (group.kind == GroupKind::rotation)
    throw Error("space",
                fmt::format("a rotation needs four finite numbers, not all zero; columns {} hold {}, "
                            "{}, {}, {}; correct or drop the row",
                            fmt::join(columns, ", "), value(0), value(1), value(2), value(3)));
  if (group.kind == GroupKind::log)
    throw Error("space",
                fmt::format("log needs a positive finite number; column {} holds {}; correct or drop "
                            "the row, or make the column a vector",
                            columns[0], value(0)));
  throw Error("space", fmt::format("a finite number is needed; column {} holds {}; correct or drop the row",
                                   columns[0], value(0)));
}

}  // namespace

Space::Space(std::vector<Group> groups) : groups_(std::move(groups)) {
  std::vector<int> named;
  for (const Group& group : groups_) {
    require_valid(group);
    named.insert(named.end(), group.columns.begin(), group.columns.end());
  }
  columns_ = static_cast<int>(named.size());
  std::sort(named.begin(), named.end());
  for (int c = 0; c < columns_; ++c) {
    if (named[static_cast<size_t>(c)] != c)
      throw Error("space",
                  fmt::format("every column from 0 to {} must be in exactly one group; found {}; list each "
                              "column once",
                              columns_ - 1, fmt::join(named, ", ")));
  }
  const auto lowest = [](const Group& g) { return *std::min_element(g.columns.begin(), g.columns.end()); };
  std::sort(groups_.begin(), groups_.end(),
            [&](const Group& a, const Group& b) { return lowest(a) < lowest(b); });
  numbers_.resize(named.size());
  each_group(groups_, [&]<class G>(const Group& group, G, Start start) {
    for (int c : group.columns)
      numbers_[static_cast<size_t>(c)] = {static_cast<int>(start.delta), G::delta,
                                          static_cast<int>(start.feature), G::features};
    point_size_ += G::point;
    delta_size_ += G::delta;
    features_ += G::features;
  });
}

Space Space::euclidean(int columns) {
  std::vector<Group> groups;
  for (int c = 0; c < columns; ++c) groups.push_back({.kind = GroupKind::vector, .columns = {c}});
  return Space(std::move(groups));
}

const Space::Numbers& Space::numbers_of(int column) const {
  if (column < 0 || column >= columns_)
    throw Error("space",
                fmt::format("a column from 0 to {} is needed; found {}; count the input columns from 0",
                            columns_ - 1, column));
  return numbers_[static_cast<size_t>(column)];
}

std::vector<int> Space::features_of(int column) const {
  const Numbers& numbers = numbers_of(column);
  return counted_from(numbers.first_feature, numbers.features);
}

std::vector<int> Space::deltas_of(int column) const {
  const Numbers& numbers = numbers_of(column);
  return counted_from(numbers.first_delta, numbers.deltas);
}

std::vector<bool> Space::linear_features() const {
  std::vector<bool> linear;
  each_group(groups_, [&]<class G>(const Group&, G, Start) {
    linear.insert(linear.end(), size_t{G::features}, G::linear);
  });
  return linear;
}

std::vector<CurvedGroup> Space::curved_groups() const {
  std::vector<CurvedGroup> curved;
  each_group(groups_, [&]<class G>(const Group& group, G, Start start) {
    if (!G::linear) curved.push_back({group.kind, start.point, start.delta, start.feature});
  });
  return curved;
}

std::vector<LinearCoordinate> Space::linear_coordinates() const {
  std::vector<LinearCoordinate> linear;
  each_group(groups_, [&]<class G>(const Group&, G, Start start) {
    if (G::linear) linear.push_back({start.point, start.delta});
  });
  return linear;
}

bool Space::is_linear() const {
  return std::all_of(groups_.begin(), groups_.end(), [](const Group& group) {
    return with_arithmetic(group.kind, [](auto g) { return decltype(g)::linear; });
  });
}

void Space::to_point(std::span<const double> row, std::span<double> point,
                     std::span<const std::string> names) const {
  assert(row.size() == static_cast<size_t>(columns_) && point.size() == static_cast<size_t>(point_size_));
  each_group(groups_, [&]<class G>(const Group& group, G, Start start) {
    std::array<double, G::columns> cells;
    for (size_t i = 0; i < cells.size(); ++i) cells[i] = row[static_cast<size_t>(group.columns[i])];
    if (!G::to_point(cells.data(), group.unit, &point[start.point])) throw_not_a_point(group, row, names);
  });
}

void Space::to_row(std::span<const double> point, std::span<double> row) const {
  assert(row.size() == static_cast<size_t>(columns_) && point.size() == static_cast<size_t>(point_size_));
  each_group(groups_, [&]<class G>(const Group& group, G, Start start) {
    std::array<double, G::columns> cells;
    G::to_row(&point[start.point], group.unit, cells.data());
    for (size_t i = 0; i < cells.size(); ++i) row[static_cast<size_t>(group.columns[i])] = cells[i];
  });
}

void Space::minus(std::span<const double> query, std::span<const double> anchor,
                  std::span<double> delta) const {
  assert(query.size() == static_cast<size_t>(point_size_) && anchor.size() == query.size());
  assert(delta.size() == static_cast<size_t>(delta_size_));
  each_group(groups_, [&]<class G>(const Group&, G, Start start) {
    G::minus(&query[start.point], &anchor[start.point], &delta[start.delta]);
  });
}

void Space::plus(std::span<const double> anchor, std::span<const double> delta,
                 std::span<double> query) const {
  assert(query.size() == static_cast<size_t>(point_size_) && anchor.size() == query.size());
  assert(delta.size() == static_cast<size_t>(delta_size_));
  each_group(groups_, [&]<class G>(const Group&, G, Start start) {
    G::plus(&anchor[start.point], &delta[start.delta], &query[start.point]);
  });
}

double Space::squared_distance(std::span<const double> a, std::span<const double> b,
                               std::span<const double> scale) const {
  assert(a.size() == static_cast<size_t>(delta_size_) && b.size() == a.size() && scale.size() == a.size());
  double sum = 0;
  each_group(groups_, [&]<class G>(const Group&, G, Start start) {
    for (size_t i = 1; i < G::delta; ++i) assert(scale[start.delta + i] == scale[start.delta]);
    const double part = G::distance(&a[start.delta], &b[start.delta]) / scale[start.delta];
    sum += part * part;
  });
  return sum;
}

void Space::point_features(std::span<const double> point, std::span<double> features) const {
  assert(point.size() == static_cast<size_t>(point_size_) &&
         features.size() == static_cast<size_t>(features_));
  each_group(groups_, [&]<class G>(const Group&, G, Start start) {
    G::point_features(&point[start.point], &features[start.feature]);
  });
}

void Space::delta_features(std::span<const double> delta, std::span<double> features) const {
  assert(delta.size() == static_cast<size_t>(delta_size_) &&
         features.size() == static_cast<size_t>(features_));
  each_group(groups_, [&]<class G>(const Group&, G, Start start) {
    G::delta_features(&delta[start.delta], &features[start.feature]);
  });
}

}  // namespace kedge
