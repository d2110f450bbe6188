#include "kedge/domains/grasp/grasp.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kedge/core/error.h"
#include "kedge/domains/grasp/features.h"

namespace kedge {
namespace {

constexpr GraspNoise silent = {.points = 0, .label = 0};
constexpr double tolerance = 1e-12;

struct Range {
  double low, high;
};

/// What 2000 draws of one part of a pose reached.
Range reached(GraspMotion motion, Split split, double Pose::*part) {
  Rng rng(5, Stream::grasp, static_cast<uint64_t>(split));
  Range range = {1e9, -1e9};
  for (int n = 0; n < 2000; ++n) {
    const double value = draw_pose(motion, split, rng).*part;
    range = {std::min(range.low, value), std::max(range.high, value)};
  }
  return range;
}

TEST(Grasp, poses_fill_their_ranges_and_oos_begins_beyond_the_end_of_train) {
  const double pi = std::numbers::pi, share = 0.01;
  const struct {
    double Pose::*part;
    double low, high, oos_high, still;
    GraspMotion alone;
  } parts[] = {{&Pose::angle, 0, 1.2 * pi, 2 * pi, 0, GraspMotion::rotation},
               {&Pose::x, 0, 0.5, 0.7, 0, GraspMotion::all},
               {&Pose::y, 0, 0.5, 0.7, 0, GraspMotion::all},
               {&Pose::scale, 0.7, 1.3, 1.6, 1, GraspMotion::scale}};
  for (const auto& [part, low, high, oos_high, still, alone] : parts)
    for (const GraspMotion motion : {GraspMotion::all, GraspMotion::rotation, GraspMotion::scale})
      for (const Split split : {Split::train, Split::in, Split::oos}) {
        const Range range = reached(motion, split, part);
        if (motion != GraspMotion::all && motion != alone) {
          EXPECT_EQ(range.low, still);
          EXPECT_EQ(range.high, still);
          continue;
        }
        const double from = split == Split::oos ? high : low, to = split == Split::oos ? oos_high : high;
        EXPECT_EQ(range.low > high, split == Split::oos);
        EXPECT_GE(range.low, from);
        EXPECT_LT(range.high, to);
        EXPECT_NEAR(range.low, from, share * (to - from));
        EXPECT_NEAR(range.high, to, share * (to - from));
      }
}

TEST(Grasp, a_pose_turns_then_moves_then_scales_the_move_too) {
  const PosedFrame place({.angle = std::numbers::pi / 2, .x = 10, .y = 20, .scale = 3});
  EXPECT_NEAR(length(place({1, 2, 4}) - Point{3 * (-2 + 10), 3 * (1 + 20), 12}), 0, tolerance);
}

TEST(Grasp, without_noise_cloud_keys_and_label_move_as_one_body) {
  for (const GraspTask& task : grasp_tasks())
    for (size_t row = 0; row < 6; ++row) {
      const GraspScene scene = grasp_scene(task, {Split::oos, row, 9}, silent);
      const GraspShape& shape = shape_of(scene.object);
      const double angle = scene.pose.angle, scale = scene.pose.scale;
      const auto expect_moved = [&](Point from, Point to) {
        const Point turned = {std::cos(angle) * from.x - std::sin(angle) * from.y,
                              std::sin(angle) * from.x + std::cos(angle) * from.y, from.z};
        EXPECT_NEAR(length(scale * (turned + Point{scene.pose.x, scene.pose.y, 0}) - to), 0, tolerance);
      };
      expect_moved(shape.grasp, scene.grasp);
      for (size_t k = 0; k < grasp_key_count; ++k) expect_moved(shape.keys[k], scene.keys[k]);
      ASSERT_EQ(scene.cloud.size(), shape.points.size());
      for (size_t n = 0; n < shape.points.size(); n += 97) expect_moved(shape.points[n], scene.cloud[n]);
    }
}

TEST(Grasp, noise_has_its_deviation_on_points_keys_and_label_and_does_not_touch_the_pose) {
  const GraspTask& task = find_grasp_task("grasp-mug");
  double points = 0, keys = 0, label = 0;
  const size_t rows = 400;
  Point drift;
  for (size_t row = 0; row < rows; ++row) {
    const GraspRow which = {Split::train, row, 1};
    const GraspScene noisy = grasp_scene(task, which), clean = grasp_scene(task, which, silent);
    EXPECT_EQ(noisy.pose.angle, clean.pose.angle);
    EXPECT_EQ(noisy.pose.scale, clean.pose.scale);
    const auto square = [](Point p) { return dot(p, p) / 3; };
    for (size_t n = 0; n < clean.cloud.size(); n += 40) {
      points += square(noisy.cloud[n] - clean.cloud[n]) / static_cast<double>(rows * clean.cloud.size() / 40);
      drift = drift + 1.0 / static_cast<double>(rows) * (noisy.cloud[n] - clean.cloud[n]);
    }
    for (size_t k = 0; k < grasp_key_count; ++k)
      keys += square(noisy.keys[k] - clean.keys[k]) / static_cast<double>(rows * grasp_key_count);
    label += square(noisy.grasp - clean.grasp) / static_cast<double>(rows);
  }
  EXPECT_NEAR(std::sqrt(points), 0.005, 0.005 * 0.02);
  EXPECT_NEAR(std::sqrt(keys), 0.005, 0.005 * 0.04);
  EXPECT_NEAR(std::sqrt(label), 0.002, 0.002 * 0.08);
  EXPECT_LT(length(drift), 0.01);
}

TEST(Grasp, a_row_holds_the_features_of_its_cloud_and_its_label) {
  for (const char* name : {"grasp", "grasp-scale-teapot"}) {
    const GraspTask& task = find_grasp_task(name);
    const Table table = find_domain(name).sample(Split::oos, 7, 3);
    const Matrix<double> inputs = table.matrix(table.names(Role::input));
    const Matrix<double> outputs = table.matrix(table.names(Role::output));
    ASSERT_EQ(inputs.cols(), 12u);
    ASSERT_EQ(outputs.cols(), 3u);
    for (size_t row = 0; row < table.rows(); ++row) {
      const GraspScene scene = grasp_scene(task, {Split::oos, row, 3});
      const std::array<double, 12> features = features_of(frame_of(scene.cloud));
      EXPECT_TRUE(std::equal(features.begin(), features.end(), inputs.row(row).begin()));
      EXPECT_EQ(scene.grasp, (Point{outputs(row, 0), outputs(row, 1), outputs(row, 2)}));
    }
  }
}

TEST(Grasp, a_shorter_table_is_the_start_of_a_longer_one) {
  const Domain& domain = find_domain("grasp");
  const Table longer = domain.sample(Split::in, 9, 4), shorter = domain.sample(Split::in, 4, 4);
  for (const Column& column : shorter.columns())
    EXPECT_TRUE(
        std::equal(column.values.begin(), column.values.end(), longer.column(column.name).values.begin()));
  EXPECT_EQ(domain.sample(Split::in, 1, 4).rows(), 1u);
}

TEST(Grasp, three_objects_take_turns_under_their_names_and_one_has_no_label) {
  const Table table = find_domain("grasp").sample(Split::train, 7, 0);
  const Column& object = table.column("object");
  EXPECT_EQ(object.role, Role::label);
  EXPECT_EQ(object.words, (std::vector<std::string>{"bottle", "mug", "teapot"}));
  EXPECT_EQ(object.values, (std::vector<double>{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_TRUE(find_domain("grasp-mug").sample(Split::train, 2, 0).names(Role::label).empty());
}

TEST(Grasp, key_points_are_those_of_the_rows_scenes) {
  const GraspTask& task = find_grasp_task("grasp-rotation-mug");
  const Matrix<double> keys = grasp_key_points(task, Split::oos, 5, 8);
  ASSERT_EQ(keys.cols(), 18u);
  for (size_t row = 0; row < keys.rows(); ++row) {
    const GraspScene scene = grasp_scene(task, {Split::oos, row, 8});
    for (size_t k = 0; k < grasp_key_count; ++k)
      EXPECT_EQ(scene.keys[k], (Point{keys(row, 3 * k), keys(row, 3 * k + 1), keys(row, 3 * k + 2)}));
  }
}

TEST(Grasp, an_unknown_task_is_answered_with_every_name_there_is) {
  try {
    find_grasp_task("sawtooth");
    FAIL() << "no error";
  } catch (const Error& error) {
    for (const GraspTask& task : grasp_tasks())
      EXPECT_NE(std::string(error.what()).find(task.name), std::string::npos) << error.what();
  }
}

/// 1, the inputs and all their products.
Eigen::MatrixXd quadratic_terms(const Table& table) {
  const Matrix<double> x = table.matrix(table.names(Role::input));
  const auto count = static_cast<Eigen::Index>(x.cols());
  Eigen::MatrixXd terms(static_cast<Eigen::Index>(x.rows()), 1 + count + count * (count + 1) / 2);
  for (size_t row = 0; row < x.rows(); ++row) {
    Eigen::Index term = 0;
    const auto add = [&](double value) { terms(static_cast<Eigen::Index>(row), term++) = value; };
    add(1);
    for (size_t a = 0; a < x.cols(); ++a) add(x(row, a));
    for (size_t a = 0; a < x.cols(); ++a)
      for (size_t b = 0; b <= a; ++b) add(x(row, a) * x(row, b));
  }
  return terms;
}

Eigen::MatrixXd outputs_of(const Table& table) {
  const Matrix<double> y = table.matrix(table.names(Role::output));
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>>(
      y.data(), static_cast<Eigen::Index>(y.rows()), 3);
}

TEST(Grasp, without_noise_the_label_is_one_quadratic_of_the_features_in_and_out_of_support) {
  const double exact = 1e-7;
  for (const char* name : {"grasp-bottle", "grasp-mug", "grasp-teapot"}) {
    const GraspTask& task = find_grasp_task(name);
    const Table train = grasp_table(task, Split::train, 400, 2, silent);
    const Table oos = grasp_table(task, Split::oos, 50, 2, silent);
    const Eigen::MatrixXd fitted =
        quadratic_terms(train).completeOrthogonalDecomposition().solve(outputs_of(train));
    EXPECT_LT((quadratic_terms(train) * fitted - outputs_of(train)).cwiseAbs().maxCoeff(), exact) << name;
    EXPECT_LT((quadratic_terms(oos) * fitted - outputs_of(oos)).cwiseAbs().maxCoeff(), exact) << name;
    // And it is no accident of a flexible model: the formula of the header, with three numbers per object.
    const GraspShape& shape = shape_of(task.objects.front());
    const CloudFrame frame = frame_of(shape.points);
    for (size_t row = 0; row < 20; ++row) {
      const GraspScene scene = grasp_scene(task, {Split::oos, row, 2}, silent);
      const CloudFrame now = frame_of(scene.cloud);
      Point grasp = now.mean;
      for (size_t k = 0; k < 3; ++k)
        grasp =
            grasp + now.mean.z / frame.mean.z * dot(shape.grasp - frame.mean, frame.axes[k]) * now.axes[k];
      EXPECT_NEAR(length(grasp - scene.grasp), 0, exact);
    }
  }
}

}  // namespace
}  // namespace kedge
