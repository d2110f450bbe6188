#pragma once

// Graspable objects: a bottle, a mug and a teapot as clouds of points on their surfaces, each with the one
// point where a gripper takes it and six key points that a person would mark. The paper's are ShapeNet
// meshes; these are our own, made of a few rings and pipes (surface.h).
//
//   bottle   oval, 0.21 m high, its neck set off-centre; grasped at the neck, on the side it is set off to
//   mug      0.08 m wide and 0.09 m high, with a handle; grasped at the outermost point of the handle
//   teapot   0.25 m from spout to handle; grasped at the outermost point of the handle
//
// Frame: x and y from the mean of the lowest 2 % of the points (all points no higher than that quantile: a
// flat base counts as a whole), z from the lowest point. Key points: the two where neck or handle meets the
// body, then four on the rim of the base, at x, y, -x and -y.
//
// An object never changes: its points are the same for every seed. They mirror in y = 0 exactly, and their
// variances along the three principal axes differ by a quarter or more, so that the axes turn with the object
// (features.h) and noise turns them little; a round bottle would have no axes to turn. Upright is the first
// axis of the bottle, the second of the mug and the third of the teapot: the features tell which object it
// is, which nothing else does in a query.

#include <array>
#include <string_view>

#include "kedge/domains/grasp/surface.h"

namespace kedge {

enum class GraspObject { bottle, mug, teapot };

inline constexpr size_t grasp_cloud_points = 2000;
inline constexpr size_t grasp_key_count = 6;
inline constexpr std::array<GraspObject, 3> all_grasp_objects = {GraspObject::bottle, GraspObject::mug,
                                                                 GraspObject::teapot};

struct GraspShape {
  Cloud points;
  Point grasp;
  std::array<Point, grasp_key_count> keys;
};

std::string_view name_of(GraspObject object);

/// Computed once, when first asked for; safe to ask for from any thread.
const GraspShape& shape_of(GraspObject object);

}  // namespace kedge
