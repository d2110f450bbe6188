#include "kedge/domains/grasp/grasp.h"

#include <utility>

#include "kedge/core/find_named.h"
#include "kedge/core/format.h"
#include "kedge/domains/grasp/features.h"

namespace kedge {
namespace {

constexpr std::array<const char*, 12> feature_names = {"cx",  "cy",  "cz",  "a1x", "a1y", "a1z",
                                                       "a2x", "a2y", "a2z", "a3x", "a3y", "a3z"};
constexpr std::array<const char*, 3> output_names = {"gx", "gy", "gz"};

std::vector<GraspTask> make_tasks() {
  const std::vector<GraspObject> all(all_grasp_objects.begin(), all_grasp_objects.end());
  std::vector<GraspTask> tasks;
  const auto one_of_each = [&](const std::string& prefix, GraspMotion motion) {
    for (const GraspObject object : all)
      tasks.push_back({prefix + std::string(name_of(object)), {object}, motion});
  };
  one_of_each("grasp-", GraspMotion::all);
  tasks.push_back({"grasp", all, GraspMotion::all});
  one_of_each("grasp-rotation-", GraspMotion::rotation);
  one_of_each("grasp-scale-", GraspMotion::scale);
  return tasks;
}

std::string title_of(const GraspTask& task) {
  const std::string_view what =
      task.objects.size() > 1 ? "bottle, mug or teapot" : name_of(task.objects.front());
  const std::string_view change = task.motion == GraspMotion::rotation ? "turned"
                                  : task.motion == GraspMotion::scale  ? "scaled"
                                                                       : "turned, moved and scaled";
  return fmt::format("Where to grasp a {} that was {}, from a cloud of points.", what, change);
}

Point noisy(Point p, double deviation, Rng& rng) {
  const double x = rng.normal(), y = rng.normal(), z = rng.normal();
  return p + deviation * Point{x, y, z};
}

/// Everything of a row but its cloud, and the random numbers and the map that the cloud needs.
struct Begun {
  GraspScene scene;
  Rng rng;
  PosedFrame place;
};

Begun begin(const GraspTask& task, const GraspRow& row, const GraspNoise& noise) {
  const uint64_t splits = 4;  // one more than there are, for a power of two
  Rng rng(row.seed, Stream::grasp, row.row * splits + static_cast<uint64_t>(row.split));
  GraspScene scene;
  scene.object = task.objects[row.row % task.objects.size()];
  scene.pose = draw_pose(task.motion, row.split, rng);
  const GraspShape& shape = shape_of(scene.object);
  const PosedFrame place(scene.pose);
  scene.grasp = noisy(place(shape.grasp), noise.label, rng);
  for (size_t k = 0; k < grasp_key_count; ++k) scene.keys[k] = noisy(place(shape.keys[k]), noise.points, rng);
  return {std::move(scene), rng, place};
}

}  // namespace

const std::vector<GraspTask>& grasp_tasks() {
  static const std::vector<GraspTask> tasks = make_tasks();
  return tasks;
}

const GraspTask& find_grasp_task(std::string_view name) {
  return find_named(grasp_tasks(), name, "domain", "a domain with clouds");
}

GraspScene grasp_scene(const GraspTask& task, const GraspRow& row, const GraspNoise& noise) {
  auto [scene, rng, place] = begin(task, row, noise);
  const Cloud& points = shape_of(scene.object).points;
  scene.cloud.reserve(points.size());
  for (const Point& point : points) scene.cloud.push_back(noisy(place(point), noise.points, rng));
  return std::move(scene);
}

Table grasp_table(const GraspTask& task, Split split, size_t rows, uint64_t seed, const GraspNoise& noise) {
  std::vector<Column> columns;
  for (const char* name : feature_names)
    columns.push_back({.name = name, .role = Role::input, .values = {}, .words = {}});
  for (const char* name : output_names)
    columns.push_back({.name = name, .role = Role::output, .values = {}, .words = {}});
  Column objects{.name = "object", .role = Role::label, .values = {}, .words = {}};
  for (size_t row = 0; row < rows; ++row) {
    const GraspScene scene = grasp_scene(task, {split, row, seed}, noise);
    const std::array<double, 12> features = features_of(frame_of(scene.cloud));
    for (size_t k = 0; k < features.size(); ++k) columns[k].values.push_back(features[k]);
    columns[12].values.push_back(scene.grasp.x);
    columns[13].values.push_back(scene.grasp.y);
    columns[14].values.push_back(scene.grasp.z);
    objects.values.push_back(static_cast<double>(row % task.objects.size()));
    if (row < task.objects.size()) objects.words.emplace_back(name_of(scene.object));
  }
  Table table(task.name);
  for (Column& column : columns) table.add(std::move(column));
  if (task.objects.size() > 1) table.add(std::move(objects));
  return table;
}

Matrix<double> grasp_key_points(const GraspTask& task, Split split, size_t rows, uint64_t seed,
                                const GraspNoise& noise) {
  Matrix<double> keys(rows, 3 * grasp_key_count);
  for (size_t row = 0; row < rows; ++row) {
    const GraspScene scene = begin(task, {split, row, seed}, noise).scene;
    for (size_t k = 0; k < grasp_key_count; ++k) {
      keys(row, 3 * k) = scene.keys[k].x;
      keys(row, 3 * k + 1) = scene.keys[k].y;
      keys(row, 3 * k + 2) = scene.keys[k].z;
    }
  }
  return keys;
}

std::vector<Domain> grasp_domains() {
  std::vector<Domain> domains;
  for (const GraspTask& task : grasp_tasks())
    domains.push_back(
        {.name = task.name,
         .title = title_of(task),
         .source = task.motion == GraspMotion::all ? "table 1, appendix D.1" : "table 2, appendix C.3",
         .sample = [task](Split split, size_t rows,
                          uint64_t seed) { return grasp_table(task, split, rows, seed); },
         .same_unit = "cx+cy+cz,a1x+a1y+a1z+a2x+a2y+a2z+a3x+a3y+a3z,gx+gy+gz"});
  return domains;
}

}  // namespace kedge
