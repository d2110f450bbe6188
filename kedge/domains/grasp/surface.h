#pragma once

// Surface: clouds of points spread evenly over shapes that are given by formulas. A shape is a set of
// patches, each a map of the unit square into space; how a patch is parametrized does not matter, only the
// area it covers does. Lengths are metres, z points up.

#include <cstddef>
#include <functional>
#include <vector>

#include "kedge/core/rng.h"

namespace kedge {

struct Point {
  double x = 0, y = 0, z = 0;
  bool operator==(const Point&) const = default;
};

inline Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Point operator*(double s, Point a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(Point a, Point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Point cross(Point a, Point b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
double length(Point a);

using Cloud = std::vector<Point>;

/// (u, v) in [0, 1] x [0, 1] to a point.
using Patch = std::function<Point(double u, double v)>;

/// A horizontal ellipse around (x, 0, z): `wide` and `deep` are its half axes along x and y.
struct Ring {
  double x = 0, z = 0, wide = 0, deep = 0;
};

/// The wall through the rings, straight from each to the next. Half axes of 0 close it.
Patch loft(std::vector<Ring> rings);

/// A ring's place and radius along a bent pipe whose centre line lies in the plane y = 0.
struct Joint {
  double x = 0, z = 0, radius = 0;
};

/// The pipe through the joints, rounded between them (a Catmull-Rom spline through every joint).
Patch pipe(std::vector<Joint> joints);

/// `points` points, evenly by area over all the patches: the total area is cut into as many equal shares as
/// points, and each share gets one.
Cloud scatter(const std::vector<Patch>& patches, size_t points, Rng& rng);

}  // namespace kedge
