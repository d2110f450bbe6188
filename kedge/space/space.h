#pragma once

// Space: what "difference" means for the inputs. A product of groups, one or more columns each:
//
//   kind      columns  row          point (canonical)        delta                       features
//   vector    1        x            x                        x - x'                      itself
//   log       1        x > 0        ln x                     ln x - ln x'                itself
//   angle     1        any          radians, in (-pi, pi]    shortest way, in (-pi, pi]  cos, sin
//   rotation  4        w, x, y, z   unit quaternion, first   rotation vector of          the nine entries
//                      any length   nonzero number positive  anchor^-1 . query, |v|<=pi  of the matrix
//
// Laws, for all points a, b and deltas d, e that minus can give:
//   plus(a, minus(b, a)) = b;   minus(plus(a, d), a) = d;   minus(a, a) = 0;
//   distance(d, e) is a metric on deltas: it goes the short way round for angles and rotations.
// Half a turn has two shortest ways: an angle takes +pi, a rotation the vector whose first nonzero number is
// positive.
//
// Features are continuous on the group (no jump where the coordinates wrap): they are what a network sees.
// Points, deltas and features hold the groups one after the other, in the order of `groups()`.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kedge {

enum class GroupKind { vector, log, angle, rotation };

struct Group {
  GroupKind kind = GroupKind::vector;
  std::vector<int> columns;  ///< input columns, in the order of the table above
  double unit = 1;           ///< radians per unit of the column: pi / 180 for an angle in degrees, else 1
  bool operator==(const Group&) const = default;
};

/// A group whose features are no coordinates: an angle or a rotation, and where it begins.
struct CurvedGroup {
  GroupKind kind = GroupKind::angle;
  size_t point = 0, delta = 0, feature = 0;
};

/// A coordinate that has a range, of a vector or a log group: where it stands in points and in deltas.
struct LinearCoordinate {
  size_t point = 0, delta = 0;
};

class Space {
 public:
  Space() = default;

  /// Columns 0 ... columns-1, each a vector group.
  static Space euclidean(int columns);

  /// Groups as users write them: "theta=angle,phi=degrees,size=log,qw+qx+qy+qz=rotation" over named columns;
  /// columns not mentioned are vectors. A rotation names its columns in the order w, x, y, z. A backslash
  /// before any of , + = \ makes it part of a name. Throws Error on unknown columns and kinds, wrong counts,
  /// repeats.
  static Space parse(const std::string& text, const std::vector<std::string>& columns);

  /// Every column must be in exactly one group; throws Error otherwise. Groups are kept in order of their
  /// lowest column.
  explicit Space(std::vector<Group> groups);

  /// The text `parse` reads, naming only groups that are not vectors: parse(text(c), c) is this space.
  std::string text(const std::vector<std::string>& columns) const;

  const std::vector<Group>& groups() const { return groups_; }
  int columns() const { return columns_; }
  int point_size() const { return point_size_; }
  int delta_size() const { return delta_size_; }
  int features() const { return features_; }  ///< of a point and of a delta alike

  /// Feature numbers that a column takes part in, and coordinates of a delta.
  std::vector<int> features_of(int column) const;
  std::vector<int> deltas_of(int column) const;
  /// For each feature: whether it is a coordinate itself, so that features of a delta are differences of
  /// features.
  std::vector<bool> linear_features() const;
  std::vector<CurvedGroup> curved_groups() const;
  std::vector<LinearCoordinate> linear_coordinates() const;

  // Every span below has exactly the size its name says (columns, point, delta or features), and an output
  // does not overlap an input.

  /// Row of the table to canonical point. Throws Error where the row is not in the space (log of x <= 0, a
  /// zero quaternion), naming the column by `names`, or by number (from 0) without them.
  void to_point(std::span<const double> row, std::span<double> point,
                std::span<const std::string> names = {}) const;
  /// Canonical row of a point: to_point(to_row(p)) = p.
  void to_row(std::span<const double> point, std::span<double> row) const;

  void minus(std::span<const double> query, std::span<const double> anchor, std::span<double> delta) const;
  void plus(std::span<const double> anchor, std::span<const double> delta, std::span<double> query) const;

  /// Squared distance of two deltas: the sum over groups of (distance / scale[j])^2, j the group's coordinate
  /// in a delta. A rotation is one block: its three coordinates must have the same scale.
  double squared_distance(std::span<const double> a, std::span<const double> b,
                          std::span<const double> scale) const;

  void point_features(std::span<const double> point, std::span<double> features) const;
  void delta_features(std::span<const double> delta, std::span<double> features) const;

  /// True when every group is linear (vector or log): then minus is plain subtraction of points.
  bool is_linear() const;

  bool operator==(const Space&) const = default;

 private:
  /// Of a column: the numbers of its group.
  struct Numbers {
    int first_delta = 0, deltas = 0, first_feature = 0, features = 0;
    bool operator==(const Numbers&) const = default;
  };
  const Numbers& numbers_of(int column) const;

  std::vector<Group> groups_;
  std::vector<Numbers> numbers_;  // by column
  int columns_ = 0, point_size_ = 0, delta_size_ = 0, features_ = 0;
};

}  // namespace kedge
