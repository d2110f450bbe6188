#include "kedge/domains/grasp/objects.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kedge {
namespace {

/// A flat plate between two concentric ellipses.
Patch plate(Ring inner, Ring outer) { return loft({inner, outer}); }

/// Rings of an upright ellipsoid cut between two heights.
std::vector<Ring> belly(double radius, double half_height, double centre, double low, double high) {
  std::vector<Ring> rings;
  const double from = std::asin((low - centre) / half_height), to = std::asin((high - centre) / half_height);
  const int steps = 24;
  for (int k = 0; k <= steps; ++k) {
    const double angle = std::lerp(from, to, static_cast<double>(k) / steps);
    const double width = radius * std::cos(angle);
    rings.push_back({.x = 0, .z = centre + half_height * std::sin(angle), .wide = width, .deep = width});
  }
  return rings;
}

std::array<Point, 4> base_rim(double wide, double deep) {
  return {Point{wide, 0, 0}, Point{0, deep, 0}, Point{-wide, 0, 0}, Point{0, -deep, 0}};
}

/// Moves everything into the frame of the header.
GraspShape framed(Cloud points, Point grasp, Point first_key, Point second_key, std::array<Point, 4> base) {
  std::vector<double> heights;
  for (const Point& point : points) heights.push_back(point.z);
  const auto quantile = heights.begin() + static_cast<long>(heights.size() / 50);
  std::nth_element(heights.begin(), quantile, heights.end());
  Point sum;
  double lowest = points.front().z, count = 0;
  for (const Point& point : points) {
    lowest = std::min(lowest, point.z);
    if (point.z > *quantile) continue;
    sum = sum + point;
    ++count;
  }
  const Point origin = {sum.x / count, sum.y / count, lowest};
  GraspShape shape{
      std::move(points), grasp - origin, {first_key, second_key, base[0], base[1], base[2], base[3]}};
  for (Point& point : shape.points) point = point - origin;
  for (Point& key : shape.keys) key = key - origin;
  return shape;
}

/// Half of the points drawn, the other half their mirror images in y = 0: the patches mirror there too.
Cloud cloud_of(GraspObject object, const std::vector<Patch>& patches) {
  Rng rng(0, Stream::grasp_shape, static_cast<uint64_t>(object));
  Cloud cloud = scatter(patches, grasp_cloud_points / 2, rng);
  for (size_t n = 0; n < grasp_cloud_points / 2; ++n) cloud.push_back({cloud[n].x, -cloud[n].y, cloud[n].z});
  return cloud;
}

GraspShape bottle() {
  const double wide = 0.042, deep = 0.026, neck = 0.011, aside = 0.022;
  const std::vector<Patch> patches = {
      plate({.x = 0, .z = 0, .wide = 0, .deep = 0}, {.x = 0, .z = 0, .wide = wide, .deep = deep}),
      loft({{.x = 0, .z = 0, .wide = wide, .deep = deep},
            {.x = 0, .z = 0.125, .wide = wide, .deep = deep},
            {.x = 0.004, .z = 0.140, .wide = 0.036, .deep = 0.023},
            {.x = 0.014, .z = 0.152, .wide = 0.022, .deep = 0.016},
            {.x = aside, .z = 0.160, .wide = neck, .deep = neck},
            {.x = aside, .z = 0.190, .wide = neck, .deep = neck},
            {.x = aside, .z = 0.190, .wide = 0.014, .deep = 0.014},
            {.x = aside, .z = 0.210, .wide = 0.014, .deep = 0.014},
            {.x = aside, .z = 0.210, .wide = 0, .deep = 0}})};
  return framed(cloud_of(GraspObject::bottle, patches), {aside + neck, 0, 0.175}, {aside + neck, 0, 0.160},
                {aside - neck, 0, 0.160}, base_rim(wide, deep));
}

GraspShape mug() {
  const double radius = 0.038, height = 0.094, wall = 0.004, inside = radius - wall;
  const std::vector<Patch> patches = {
      plate({.x = 0, .z = 0, .wide = 0, .deep = 0}, {.x = 0, .z = 0, .wide = radius, .deep = radius}),
      loft({{.x = 0, .z = 0, .wide = radius, .deep = radius},
            {.x = 0, .z = height, .wide = radius, .deep = radius}}),
      loft({{.x = 0, .z = wall, .wide = inside, .deep = inside},
            {.x = 0, .z = height, .wide = inside, .deep = inside}}),
      pipe({{.x = radius, .z = 0.074, .radius = 0.008},
            {.x = radius + 0.034, .z = 0.074, .radius = 0.008},
            {.x = radius + 0.046, .z = 0.047, .radius = 0.008},
            {.x = radius + 0.034, .z = 0.020, .radius = 0.008},
            {.x = radius, .z = 0.018, .radius = 0.008}})};
  return framed(cloud_of(GraspObject::mug, patches), {radius + 0.054, 0, 0.047}, {radius, 0, 0.074},
                {radius, 0, 0.018}, base_rim(radius, radius));
}

GraspShape teapot() {
  const double radius = 0.074, base = 0.046, foot = 0.008, brim = 0.036, top = 0.086;
  const std::vector<Ring> body = belly(radius, 0.048, 0.046, foot, top);
  const std::vector<Patch> patches = {
      plate({.x = 0, .z = 0, .wide = 0, .deep = 0}, {.x = 0, .z = 0, .wide = base, .deep = base}),
      loft({{.x = 0, .z = 0, .wide = base, .deep = base},
            {.x = 0, .z = foot, .wide = body.front().wide, .deep = body.front().deep}}),
      loft(body),
      loft({{.x = 0, .z = top, .wide = brim, .deep = brim},
            {.x = 0, .z = 0.095, .wide = 0.020, .deep = 0.020},
            {.x = 0, .z = 0.099, .wide = 0.006, .deep = 0.006},
            {.x = 0, .z = 0.104, .wide = 0.012, .deep = 0.012},
            {.x = 0, .z = 0.112, .wide = 0.012, .deep = 0.012},
            {.x = 0, .z = 0.116, .wide = 0, .deep = 0}}),
      pipe({{.x = 0.066, .z = 0.034, .radius = 0.019},
            {.x = 0.094, .z = 0.046, .radius = 0.014},
            {.x = 0.110, .z = 0.074, .radius = 0.010},
            {.x = 0.134, .z = 0.094, .radius = 0.008}}),
      pipe({{.x = -0.055, .z = 0.076, .radius = 0.007},
            {.x = -0.092, .z = 0.084, .radius = 0.007},
            {.x = -0.112, .z = 0.064, .radius = 0.007},
            {.x = -0.102, .z = 0.036, .radius = 0.007},
            {.x = -0.070, .z = 0.028, .radius = 0.007}})};
  return framed(cloud_of(GraspObject::teapot, patches), {-0.119, 0, 0.064}, {-0.055, 0, 0.076},
                {-0.070, 0, 0.028}, base_rim(base, base));
}

}  // namespace

std::string_view name_of(GraspObject object) {
  static constexpr std::array<std::string_view, 3> names = {"bottle", "mug", "teapot"};
  return names[static_cast<size_t>(object)];
}

const GraspShape& shape_of(GraspObject object) {
  static const std::array<GraspShape, 3> shapes = {bottle(), mug(), teapot()};
  return shapes[static_cast<size_t>(object)];
}

}  // namespace kedge
