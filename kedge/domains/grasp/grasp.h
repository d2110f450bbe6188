#pragma once

// Grasp: where to take an object, from the cloud of points a camera would see of it (section 4.2, table 1;
// appendices C.3 and D.1). A row is one object (objects.h) in one pose (pose.h), with noise; its inputs are
// the twelve features of the noisy cloud (features.h), its outputs the noisy grasp point, in metres:
//
//   cx cy cz   a1x a1y a1z   a2x a2y a2z   a3x a3y a3z      gx gy gz      (object)
//   mean       first axis    second axis   third axis       grasp point   role label
//
//   domain                  objects         poses vary in                 paper's rows
//   grasp-OBJECT            one             rotation, place and scale     1000 train, 50 in, 50 oos
//   grasp                   all, in turn    rotation, place and scale     1000 train, 50 in, 50 oos
//   grasp-rotation-OBJECT   one             rotation (table 2)            100 train, 50 oos
//   grasp-scale-OBJECT      one             scale (table 2)               100 train, 50 oos
//
// OBJECT is bottle, mug or teapot; only `grasp` has the column `object`. Noise is Gaussian, independent in
// every coordinate: deviation 0.005 on the points of the cloud and the key points, 0.002 on the grasp point,
// added after the scaling. So no prediction of the noisy label has a mean distance below 0.002 sqrt(8 / pi) =
// 0.0032.
//
// Laws: a row is a pure function of (domain, split, seed, its number), so a shorter table is the start of a
// longer one; domains that share seed and split share their poses; without noise the grasp point is, for each
// object, the same quadratic function of the features in and out of support: mean + cz * (k1 a1 + k2 a2 + k3
// a3). Released code differs from the paper's text in its counts: 999 train and 48 test rows.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/domains/domain.h"
#include "kedge/domains/grasp/objects.h"
#include "kedge/domains/grasp/pose.h"

namespace kedge {

struct GraspTask {
  std::string name;  ///< of the domain
  std::vector<GraspObject> objects;
  GraspMotion motion = GraspMotion::all;
};

/// Every grasp domain's, in the order of the table above. Names are unique.
const std::vector<GraspTask>& grasp_tasks();

/// Throws Error listing the names there are.
const GraspTask& find_grasp_task(std::string_view name);

/// Standard deviations, metres.
struct GraspNoise {
  double points = 0.005;
  double label = 0.002;
};

/// Which row of which table.
struct GraspRow {
  Split split = Split::train;
  size_t row = 0;
  uint64_t seed = 0;
};

/// What a row is made of.
struct GraspScene {
  GraspObject object = GraspObject::bottle;
  Pose pose;
  Point grasp;
  std::array<Point, grasp_key_count> keys;
  Cloud cloud;
};

/// One row's scene, with its cloud. Other noise leaves object and pose as they are.
GraspScene grasp_scene(const GraspTask& task, const GraspRow& row, const GraspNoise& noise = {});

/// The table of a task; its domain's `sample` with the paper's noise.
Table grasp_table(const GraspTask& task, Split split, size_t rows, uint64_t seed,
                  const GraspNoise& noise = {});

/// The key points of each row of the table with the same arguments, as x, y, z of the first, of the second,
/// ...: 18 columns. Their noise is drawn like that of the cloud's points.
Matrix<double> grasp_key_points(const GraspTask& task, Split split, size_t rows, uint64_t seed,
                                const GraspNoise& noise = {});

/// One domain for each task.
std::vector<Domain> grasp_domains();

}  // namespace kedge
