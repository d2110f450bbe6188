// The laws of space.h, written once and run over every group and over a product of all of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "kedge/core/rng.h"
#include "kedge/space/space.h"

namespace kedge {
namespace {

using Numbers = std::vector<double>;

constexpr double pi = std::numbers::pi;
constexpr double rounding = 1e-14;  // what double arithmetic on numbers of order one may lose
constexpr double cut_gap = 1e-9;    // how far from half a turn the points next to the cut are
constexpr double half_turns[] = {pi - cut_gap, pi, pi + cut_gap};

struct Instance {
  std::string name;
  Space space;
  std::vector<Numbers> rows;
};

void PrintTo(const Instance& instance, std::ostream* out) { *out << instance.name; }

Numbers quaternion(const Numbers& axis, double angle) {
  const double s = std::sin(angle / 2) / std::hypot(axis[0], axis[1], axis[2]);
  return {std::cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s};
}

/// The identity, 1e-8 and 1e-300 from it, at random, and half a turn (and nearly so) from the identity and
/// from each other.
std::vector<Numbers> rotation_rows(Rng& rng) {
  std::vector<Numbers> rows = {{1, 0, 0, 0}, {1, 0.6e-8, 0, -0.8e-8}, {1, 0, 1e-300, 0}, {0, 0, -1, 0}};
  for (int i = 0; i < 8; ++i) rows.push_back({rng.normal(), rng.normal(), rng.normal(), rng.normal()});
  for (double angle : half_turns) {
    rows.push_back(quaternion({0, 0, 1}, angle));
    rows.push_back(quaternion({-0.48, 0.6, 0.64}, angle));
  }
  const Numbers base = rows[5];  // times a half turn about x: (w, x, y, z)(0, 1, 0, 0)
  rows.push_back({-base[1], base[0], base[3], -base[2]});
  return rows;
}

std::vector<Numbers> angle_rows(Rng& rng, double unit) {
  std::vector<Numbers> rows = {{0}, {1e-8 / unit}, {1e-300}};
  for (int i = 0; i < 8; ++i) rows.push_back({rng.uniform(-10, 10) / unit});
  for (double angle : half_turns) {
    rows.push_back({angle / unit});
    rows.push_back({-angle / unit});
    rows.push_back({rows[4][0] + angle / unit});
  }
  return rows;
}

std::vector<Numbers> vector_rows(Rng& rng) {
  std::vector<Numbers> rows = {{0}, {1e-8}, {1e-300}};
  for (int i = 0; i < 14; ++i) rows.push_back({rng.normal()});
  return rows;
}

std::vector<Numbers> log_rows(Rng& rng) {
  std::vector<Numbers> rows = vector_rows(rng);
  for (Numbers& row : rows) row[0] = std::exp(row[0]);
  return rows;
}

/// Row i of the product takes its groups' rows at different strides, so that cuts meet identities.
Instance product(const std::vector<Instance>& factors) {
  std::vector<Group> groups;
  int columns = 0;
  for (const Instance& factor : factors) {
    for (Group group : factor.space.groups()) {
      for (int& column : group.columns) column += columns;
      groups.push_back(group);
    }
    columns += factor.space.columns();
  }
  std::vector<Numbers> rows(24);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t k = 0; k < factors.size(); ++k) {
      const Numbers& part = factors[k].rows[i * (k + 1) % factors[k].rows.size()];
      rows[i].insert(rows[i].end(), part.begin(), part.end());
    }
  }
  return {"product", Space(groups), rows};
}

std::vector<Instance> instances() {
  Rng rng(31, Stream::noise);
  std::vector<Instance> all = {
      {"vector", Space::parse("", {"x"}), vector_rows(rng)},
      {"log", Space::parse("x=log", {"x"}), log_rows(rng)},
      {"angle", Space::parse("x=angle", {"x"}), angle_rows(rng, 1)},
      {"degrees", Space::parse("x=degrees", {"x"}), angle_rows(rng, pi / 180)},
      {"rotation", Space::parse("w+x+y+z=rotation", {"w", "x", "y", "z"}), rotation_rows(rng)},
  };
  all.push_back(product({all[2], all[4], all[0], all[3], all[1]}));
  return all;
}

double apart(const Numbers& a, const Numbers& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

double euclidean(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

class GroupLaws : public testing::TestWithParam<Instance> {
 protected:
  const Space& space() const { return GetParam().space; }

  std::vector<Numbers> points() const {
    std::vector<Numbers> all;
    for (const Numbers& row : GetParam().rows) {
      all.push_back(sized(space().point_size()));
      space().to_point(row, all.back());
    }
    return all;
  }
  /// Differences of points, thinned to about `count`.
  std::vector<Numbers> deltas(size_t count) const {
    const std::vector<Numbers> p = points();
    const size_t stride = std::max<size_t>(1, p.size() * p.size() / count);
    std::vector<Numbers> all;
    for (size_t i = 0; i < p.size() * p.size(); i += stride)
      all.push_back(minus(p[i / p.size()], p[i % p.size()]));
    return all;
  }

  Numbers minus(const Numbers& query, const Numbers& anchor) const {
    Numbers delta = sized(space().delta_size());
    space().minus(query, anchor, delta);
    return delta;
  }
  Numbers plus(const Numbers& anchor, const Numbers& delta) const {
    Numbers query = sized(space().point_size());
    space().plus(anchor, delta, query);
    return query;
  }
  double distance(const Numbers& a, const Numbers& b) const {
    return std::sqrt(space().squared_distance(a, b, Numbers(a.size(), 1.0)));
  }
  Numbers point_features(const Numbers& point) const {
    Numbers features = sized(space().features());
    space().point_features(point, features);
    return features;
  }
  Numbers delta_features(const Numbers& delta) const {
    Numbers features = sized(space().features());
    space().delta_features(delta, features);
    return features;
  }
  static Numbers sized(int size) { return Numbers(static_cast<size_t>(size)); }
};

TEST_P(GroupLaws, plus_undoes_minus) {
  const std::vector<Numbers> p = points();
  for (const Numbers& a : p) {
    for (const Numbers& b : p) {
      const Numbers back = plus(a, minus(b, a));
      EXPECT_LE(apart(point_features(back), point_features(b)), rounding);
      Numbers row = sized(space().columns()), canonical = back;
      space().to_row(back, row);
      space().to_point(row, canonical);
      EXPECT_LE(apart(point_features(canonical), point_features(back)), rounding);
    }
  }
}

TEST_P(GroupLaws, minus_undoes_plus) {
  for (const Numbers& a : points()) {
    for (const Numbers& d : deltas(60)) {
      const Numbers back = minus(plus(a, d), a);
      EXPECT_LE(distance(back, d), rounding);
      EXPECT_LE(apart(delta_features(back), delta_features(d)), rounding);
    }
  }
}

TEST_P(GroupLaws, away_from_the_cut_coordinates_themselves_come_back) {
  const std::vector<Numbers> p = points();
  for (const Numbers& a : p) {
    for (const Numbers& b : p) {
      Numbers small = minus(b, a);
      for (double& value : small) value *= 0.4;
      EXPECT_LE(apart(minus(plus(a, small), a), small), rounding);
    }
  }
}

TEST_P(GroupLaws, a_point_minus_itself_is_exactly_zero) {
  for (const Numbers& a : points()) EXPECT_EQ(minus(a, a), sized(space().delta_size()));
}

TEST_P(GroupLaws, deltas_go_the_short_way) {
  for (const Numbers& d : deltas(1000)) {
    size_t at = 0;
    for (const Group& group : space().groups()) {
      if (group.kind == GroupKind::rotation) {
        EXPECT_LE(std::hypot(d[at], d[at + 1], d[at + 2]), pi + rounding);
        at += 3;
        continue;
      }
      if (group.kind == GroupKind::angle) {
        EXPECT_GT(d[at], -pi);
        EXPECT_LE(d[at], pi);
      }
      ++at;
    }
  }
}

TEST_P(GroupLaws, distance_is_symmetric_and_zero_from_a_delta_to_itself) {
  const std::vector<Numbers> d = deltas(60);
  for (const Numbers& a : d) {
    EXPECT_LE(distance(a, a), rounding);
    for (const Numbers& b : d) EXPECT_NEAR(distance(a, b), distance(b, a), rounding);
  }
}

// The chord between features is at most sqrt(2) times the arc, the arc at most pi/2 times the chord: so
// distance is zero exactly where two deltas are the same element, however their coordinates differ.
TEST_P(GroupLaws, distance_and_the_chord_between_features_bound_each_other) {
  const std::vector<Numbers> d = deltas(60);
  for (const Numbers& a : d) {
    for (const Numbers& b : d) {
      const double arc = distance(a, b), chord = euclidean(delta_features(a), delta_features(b));
      EXPECT_LE(chord, std::sqrt(2.0) * arc + rounding);
      EXPECT_LE(arc, pi / 2 * chord + rounding);
    }
  }
}

TEST_P(GroupLaws, distance_keeps_the_triangle_inequality) {
  const std::vector<Numbers> d = deltas(40);
  for (const Numbers& a : d)
    for (const Numbers& b : d)
      for (const Numbers& c : d) EXPECT_LE(distance(a, c), distance(a, b) + distance(b, c) + rounding);
}

TEST_P(GroupLaws, distance_from_zero_is_the_length_of_the_delta) {
  const Numbers zero = sized(space().delta_size());
  for (const Numbers& d : deltas(1000)) EXPECT_NEAR(distance(d, zero), euclidean(d, zero), rounding);
}

TEST_P(GroupLaws, deltas_on_both_sides_of_the_cut_are_close) {
  double groups_with_cut = 0;
  Numbers before, after;
  for (const Group& group : space().groups()) {
    const bool rotation = group.kind == GroupKind::rotation, cut = rotation || group.kind == GroupKind::angle;
    const Numbers axis = rotation ? Numbers{-0.48, 0.6, 0.64} : Numbers{cut ? 1.0 : 0.0};
    for (double part : axis) {
      before.push_back(part * (pi - cut_gap));
      after.push_back(-part * (pi - cut_gap));
    }
    groups_with_cut += cut ? 1 : 0;
  }
  EXPECT_NEAR(distance(before, after), std::sqrt(groups_with_cut) * 2 * cut_gap, rounding);
}

// A walk along a line of the group, of more than a whole turn where there are turns.
TEST_P(GroupLaws, features_never_jump) {
  const double step = 1e-3;
  const std::vector<Numbers> p = points();
  for (size_t k = 1; k < p.size(); ++k) {
    const Numbers direction = minus(p[k], p[k - 1]);
    const double length = distance(direction, sized(space().delta_size()));
    if (length < 0.1) continue;
    Numbers moved = direction, point_before, delta_before;
    for (int i = 0; i < 7000; ++i) {
      for (size_t j = 0; j < moved.size(); ++j) moved[j] = direction[j] / length * step * i;
      const Numbers point = plus(p[k - 1], moved);
      const Numbers at_point = point_features(point), at_delta = delta_features(minus(point, p[0]));
      if (i > 0) {
        ASSERT_LE(euclidean(at_point, point_before), std::sqrt(2.0) * step + rounding);
        ASSERT_LE(euclidean(at_delta, delta_before), std::sqrt(2.0) * step + rounding);
      }
      point_before = at_point;
      delta_before = at_delta;
    }
  }
}

TEST_P(GroupLaws, linear_features_are_exactly_those_that_subtract) {
  const std::vector<Numbers> p = points();
  std::vector<bool> subtracts(static_cast<size_t>(space().features()), true);
  for (const Numbers& q : p) {
    for (const Numbers& a : p) {
      const Numbers of_delta = delta_features(minus(q, a)), of_q = point_features(q),
                    of_a = point_features(a);
      for (size_t f = 0; f < subtracts.size(); ++f)
        if (std::fabs(of_delta[f] - (of_q[f] - of_a[f])) > rounding) subtracts[f] = false;
    }
  }
  EXPECT_EQ(space().linear_features(), subtracts);
  const bool all = std::find(subtracts.begin(), subtracts.end(), false) == subtracts.end();
  EXPECT_EQ(space().is_linear(), all);
}

INSTANTIATE_TEST_SUITE_P(All, GroupLaws, testing::ValuesIn(instances()),
                         [](const testing::TestParamInfo<Instance>& each) { return each.param.name; });

}  // namespace
}  // namespace kedge
