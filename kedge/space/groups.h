#pragma once

// The arithmetic of each group, written once for every engine: host and device compilers both include this
// file.
//
// A group G<T> has its sizes (columns, point, delta, features), whether it is `linear` (minus is subtraction
// and features are coordinates), and on bare arrays of T:
//   to_point(row, unit, point)     false when the row is no point of the group; `unit` is read by angles only
//   to_row(point, unit, row)       a row that to_point takes back to the point
//   minus(query, anchor, delta)    anchor^-1 . query, the short way round
//   plus(anchor, delta, query)     anchor . delta
//   distance(a, b)                 of two deltas: the length of a^-1 . b
//   point_features, delta_features continuous on the whole group
// Laws are in space.h. Outputs may be the same array as an input.

#include <cmath>
#include <limits>
#include <numbers>

#include "kedge/core/host_device.h"

namespace kedge {

inline constexpr double radians_per_degree = std::numbers::pi / 180;

/// Numbers of T as values that device code may read.
template <class T>
inline constexpr T epsilon_of = std::numeric_limits<T>::epsilon();
template <class T>
inline constexpr T smallest_of = std::numeric_limits<T>::min();
template <class T>
inline constexpr T largest_of = std::numeric_limits<T>::max();

/// Reduces radians to (-pi, pi]. The reduction itself is exact, whatever the magnitude.
template <class T>
KEDGE_HOST_DEVICE inline T wrap_angle(T radians) {
  constexpr T pi = std::numbers::pi_v<T>;
  const T reduced = std::remainder(radians, 2 * pi);
  return reduced <= -pi ? pi : reduced;
}

/// Euclidean length that neither underflows nor overflows on the way.
template <class T>
KEDGE_HOST_DEVICE inline T safe_length(const T* v, int size) {
  T squares = 0, peak = 0;
  for (int i = 0; i < size; ++i) {
    squares += v[i] * v[i];
    peak = std::fmax(peak, std::fabs(v[i]));
  }
  if (squares >= smallest_of<T> / epsilon_of<T> && squares <= largest_of<T>) return std::sqrt(squares);
  if (peak == 0) return 0;
  squares = 0;
  for (int i = 0; i < size; ++i) squares += (v[i] / peak) * (v[i] / peak);
  return peak * std::sqrt(squares);
}

template <class T>
struct VectorGroup {
  static constexpr int columns = 1, point = 1, delta = 1, features = 1;
  static constexpr bool linear = true;

  KEDGE_HOST_DEVICE static bool to_point(const T* row, T, T* x) {
    x[0] = row[0];
    return std::isfinite(x[0]);
  }
  KEDGE_HOST_DEVICE static void to_row(const T* x, T, T* row) { row[0] = x[0]; }
  KEDGE_HOST_DEVICE static void minus(const T* query, const T* anchor, T* d) { d[0] = query[0] - anchor[0]; }
  KEDGE_HOST_DEVICE static void plus(const T* anchor, const T* d, T* query) { query[0] = anchor[0] + d[0]; }
  KEDGE_HOST_DEVICE static T distance(const T* a, const T* b) { return std::fabs(a[0] - b[0]); }
  KEDGE_HOST_DEVICE static void point_features(const T* x, T* f) { f[0] = x[0]; }
  KEDGE_HOST_DEVICE static void delta_features(const T* d, T* f) { f[0] = d[0]; }
};

/// Positive numbers under multiplication: the vector group of their logarithms.
template <class T>
struct LogGroup : VectorGroup<T> {
  KEDGE_HOST_DEVICE static bool to_point(const T* row, T, T* x) {
    x[0] = std::log(row[0]);
    return std::isfinite(x[0]);
  }
  KEDGE_HOST_DEVICE static void to_row(const T* x, T, T* row) { row[0] = std::exp(x[0]); }
};

template <class T>
struct AngleGroup {
  static constexpr int columns = 1, point = 1, delta = 1, features = 2;
  static constexpr bool linear = false;

  /// Whole turns are taken off in the column's own unit, where a turn of degrees is exactly 360.
  KEDGE_HOST_DEVICE static bool to_point(const T* row, T unit, T* x) {
    const T turn = 2 * std::numbers::pi_v<T> / unit;
    x[0] = wrap_angle(std::remainder(row[0], turn) * unit);
    return std::isfinite(x[0]);
  }
  KEDGE_HOST_DEVICE static void to_row(const T* x, T unit, T* row) { row[0] = x[0] / unit; }
  KEDGE_HOST_DEVICE static void minus(const T* query, const T* anchor, T* d) {
    d[0] = wrap_angle(query[0] - anchor[0]);
  }
  KEDGE_HOST_DEVICE static void plus(const T* anchor, const T* d, T* query) {
    query[0] = wrap_angle(anchor[0] + d[0]);
  }
  KEDGE_HOST_DEVICE static T distance(const T* a, const T* b) { return std::fabs(wrap_angle(a[0] - b[0])); }
  KEDGE_HOST_DEVICE static void point_features(const T* x, T* f) {
    const T radians = x[0];
    f[0] = std::cos(radians);
    f[1] = std::sin(radians);
  }
  KEDGE_HOST_DEVICE static void delta_features(const T* d, T* f) { point_features(d, f); }
};

/// Rotations of space. Points are unit quaternions (w, x, y, z), deltas are rotation vectors (axis times
/// angle).
template <class T>
struct RotationGroup {
  static constexpr int columns = 4, point = 4, delta = 3, features = 9;
  static constexpr bool linear = false;

  KEDGE_HOST_DEVICE static bool to_point(const T* row, T, T* q) {
    bool finite = true, nonzero = false;
    for (int i = 0; i < 4; ++i) {
      q[i] = row[i];
      finite = finite && std::isfinite(q[i]);
      nonzero = nonzero || q[i] != 0;
    }
    if (finite && nonzero) make_canonical(q);
    return finite && nonzero;
  }

  KEDGE_HOST_DEVICE static void to_row(const T* q, T, T* row) {
    for (int i = 0; i < 4; ++i) row[i] = q[i];
  }

  KEDGE_HOST_DEVICE static void minus(const T* query, const T* anchor, T* d) {
    T r[4];
    relative(query, anchor, r);
    if (r[0] == 0) make_first_positive(r, 4);
    // atan2 and not acos: exact at the identity and at half a turn. The quotient needs no series at zero.
    const T sine = safe_length(r + 1, 3);
    const T factor = sine > 0 ? 2 * std::atan2(sine, r[0]) / sine : 2;
    for (int i = 0; i < 3; ++i) d[i] = factor * r[i + 1];
  }

  KEDGE_HOST_DEVICE static void plus(const T* anchor, const T* d, T* query) {
    T r[4];
    exp(d, r);
    const T* a = anchor;
    const T product[4] = {a[0] * r[0] - a[1] * r[1] - a[2] * r[2] - a[3] * r[3],
                          a[0] * r[1] + a[1] * r[0] + a[2] * r[3] - a[3] * r[2],
                          a[0] * r[2] - a[1] * r[3] + a[2] * r[0] + a[3] * r[1],
                          a[0] * r[3] + a[1] * r[2] - a[2] * r[1] + a[3] * r[0]};
    for (int i = 0; i < 4; ++i) query[i] = product[i];
    make_canonical(query);
  }

  /// The angle of exp(a)^-1 . exp(b), in [0, pi].
  KEDGE_HOST_DEVICE static T distance(const T* a, const T* b) {
    T p[4], q[4];
    exp(a, p);
    exp(b, q);
    return quaternion_distance(p, q);
  }

  /// The angle between two unit quaternions as rotations: q and -q are the same. From the chords to q and to
  /// -q, so that it is symmetric and zero exactly where the quaternions are equal.
  KEDGE_HOST_DEVICE static T quaternion_distance(const T* p, const T* q) {
    T apart[4], across[4];
    for (int i = 0; i < 4; ++i) {
      apart[i] = p[i] - q[i];
      across[i] = p[i] + q[i];
    }
    const T near = safe_length(apart, 4), far = safe_length(across, 4);
    return 4 * std::atan2(std::fmin(near, far), std::fmax(near, far));
  }

  /// The nine entries of the rotation matrix, row by row.
  KEDGE_HOST_DEVICE static void point_features(const T* q, T* f) {
    const T w = q[0], x = q[1], y = q[2], z = q[3];
    f[0] = 1 - 2 * (y * y + z * z);
    f[1] = 2 * (x * y - w * z);
    f[2] = 2 * (x * z + w * y);
    f[3] = 2 * (x * y + w * z);
    f[4] = 1 - 2 * (x * x + z * z);
    f[5] = 2 * (y * z - w * x);
    f[6] = 2 * (x * z - w * y);
    f[7] = 2 * (y * z + w * x);
    f[8] = 1 - 2 * (x * x + y * y);
  }

  KEDGE_HOST_DEVICE static void delta_features(const T* d, T* f) {
    T q[4];
    exp(d, q);
    point_features(q, f);
  }

  /// Unit quaternion of a rotation vector.
  KEDGE_HOST_DEVICE static void exp(const T* d, T* q) {
    const T angle = safe_length(d, 3);
    const T factor = angle > 0 ? std::sin(angle / 2) / angle : T(0.5);
    q[0] = std::cos(angle / 2);
    for (int i = 0; i < 3; ++i) q[i + 1] = factor * d[i];
  }

 private:
  /// r = anchor^-1 . query with the sign that makes r[0] >= 0. The vector part is taken of anchor^-1 . (query
  /// - anchor), which differs from it by a real number only: exactly zero at query = anchor, and no digits
  /// cancel near it.
  KEDGE_HOST_DEVICE static void relative(const T* query, const T* anchor, T* r) {
    const T* a = anchor;
    const T cosine = a[0] * query[0] + a[1] * query[1] + a[2] * query[2] + a[3] * query[3];
    const T sign = cosine < 0 ? T(-1) : T(1);
    T e[4];
    for (int i = 0; i < 4; ++i) e[i] = sign * query[i] - a[i];
    r[0] = sign * cosine;
    r[1] = a[0] * e[1] - a[1] * e[0] - a[2] * e[3] + a[3] * e[2];
    r[2] = a[0] * e[2] + a[1] * e[3] - a[2] * e[0] - a[3] * e[1];
    r[3] = a[0] * e[3] - a[1] * e[2] + a[2] * e[1] - a[3] * e[0];
  }

  /// Zero minus the number, and not its negative: no -0 in canonical points.
  KEDGE_HOST_DEVICE static void make_first_positive(T* v, int size) {
    int first = 0;
    while (first < size && v[first] == 0) ++first;
    if (first == size || v[first] > 0) return;
    for (int i = 0; i < size; ++i) v[i] = T(0) - v[i];
  }

  /// Unit length, first nonzero number positive. What is of unit length already is left alone: canonical
  /// points stay what they are to the last bit.
  KEDGE_HOST_DEVICE static void make_canonical(T* q) {
    constexpr T rounding = 8 * epsilon_of<T>;
    const T squares = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(std::fabs(squares - 1) <= rounding)) {
      const T peak =
          std::fmax(std::fmax(std::fabs(q[0]), std::fabs(q[1])), std::fmax(std::fabs(q[2]), std::fabs(q[3])));
      for (int i = 0; i < 4; ++i) q[i] /= peak;
      const T length = safe_length(q, 4);
      for (int i = 0; i < 4; ++i) q[i] /= length;
    }
    make_first_positive(q, 4);
  }
};

}  // namespace kedge
