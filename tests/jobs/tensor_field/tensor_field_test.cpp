#include "kedge/jobs/tensor_field/tensor_field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "tests/jobs/tensor_field/moved_clouds.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

constexpr double rounding = 1e-11;
constexpr double sampling_margin = 1.25;  // between the mean errors of two samples of 200
constexpr double noise_margin = 3;        // over the best that noise allows

// A rigid object of six points and a point off it, like a mug with its handle.
const Cloud6 object = {0.05, 0.01, 0.02, 0.05, -0.01, 0.07, 0.04, 0, 0, 0, 0.04, 0, -0.04, 0, 0, 0, -0.04, 0};
const Eigen::Vector3d grasp{0.075, 0, 0.045};

struct Range {
  double low = 0, high = 0;
};

struct Scenes {
  Matrix<double> clouds, targets;
};

// Turned about z, translated, scaled; noise 0.005 on the points and 0.002 on the target.
Scenes scenes(size_t rows, Range degrees, Range scales, uint64_t seed) {
  Rng rng(seed, Stream::domain);
  Scenes made{Matrix<double>(rows, 18), Matrix<double>(rows, 3)};
  for (size_t r = 0; r < rows; ++r) {
    const double angle = rng.uniform(degrees.low, degrees.high) * std::numbers::pi / 180;
    const double scale = rng.uniform(scales.low, scales.high);
    const Eigen::Vector3d shift(rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3), 0);
    const Eigen::Matrix3d map = scale * Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    const Cloud6 cloud = moved(object, map, shift);
    const Eigen::Vector3d target = map * grasp + shift;
    for (size_t i = 0; i < 18; ++i) made.clouds(r, i) = cloud[i] + 0.005 * rng.normal();
    for (size_t k = 0; k < 3; ++k)
      made.targets(r, k) = target(static_cast<Eigen::Index>(k)) + 0.002 * rng.normal();
  }
  return made;
}

Eigen::Vector3d vector_of(const std::array<double, 3>& p) { return {p[0], p[1], p[2]}; }

double mean_error(const Scenes& all, const std::function<Eigen::Vector3d(std::span<const double>)>& answer) {
  double sum = 0;
  for (size_t r = 0; r < all.clouds.rows(); ++r)
    sum += (answer(all.clouds.row(r)) - Eigen::Map<const Eigen::Vector3d>(all.targets.row(r).data())).norm();
  return sum / static_cast<double>(all.clouds.rows());
}

double mean_error(const TensorField& field, const Scenes& all) {
  return mean_error(all, [&](std::span<const double> cloud) { return vector_of(field.predict(cloud)); });
}

// What is possible: the object laid over the cloud by least squares, knowing which point is which.
double aligned_error(const Scenes& all) {
  using Points = Eigen::Map<const Eigen::Matrix<double, 3, 6>>;
  return mean_error(all, [](std::span<const double> cloud) -> Eigen::Vector3d {
    const Eigen::Matrix4d map = Eigen::umeyama(Points(object.data()), Points(cloud.data()), false);
    return (map * grasp.homogeneous()).head<3>();
  });
}

TensorFieldOptions quick() { return {.adam = {.learning_rate = 3e-2}, .steps = 30, .batch = 8, .seed = 1}; }

TEST(TensorField, turned_and_moved_clouds_have_turned_and_moved_predictions_before_and_after_training) {
  const Scenes train = scenes(40, {0, 120}, {1, 1}, 1);
  for (uint64_t steps : {uint64_t{0}, uint64_t{200}}) {
    TensorFieldOptions options = quick();
    options.steps = steps;
    const TensorField field = TensorField::fit(train.clouds, train.targets, options);
    for (uint64_t seed = 0; seed < 5; ++seed) {
      const Cloud6 cloud(train.clouds.row(seed).begin(), train.clouds.row(seed).end());
      const Eigen::Matrix3d turn = random_rotation(seed);
      const Eigen::Vector3d shift(1, -2, 3);
      const Eigen::Vector3d before = vector_of(field.predict(cloud));
      EXPECT_NEAR((vector_of(field.predict(moved(cloud, turn, shift))) - (turn * before + shift)).norm(), 0,
                  rounding);
      EXPECT_NEAR((vector_of(field.predict(reversed(cloud))) - before).norm(), 0, rounding);
    }
  }
}

TEST(TensorField, a_scaled_cloud_has_no_scaled_prediction) {
  const Scenes train = scenes(40, {0, 120}, {1, 1}, 2);
  const TensorField field = TensorField::fit(train.clouds, train.targets, quick());
  const Cloud6 cloud(train.clouds.row(0).begin(), train.clouds.row(0).end());
  const Eigen::Vector3d before = vector_of(field.predict(cloud));
  const Cloud6 larger = moved(cloud, 1.8 * Eigen::Matrix3d::Identity(), {0, 0, 0});
  EXPECT_GT((vector_of(field.predict(larger)) - 1.8 * before).norm(), 1e-3);
}

TEST(TensorField, orientations_out_of_support_cost_what_those_of_training_cost) {
  const Scenes train = scenes(100, {0, 120}, {1, 1}, 3), in = scenes(200, {0, 120}, {1, 1}, 13),
               oos = scenes(200, {120, 360}, {1, 1}, 4);
  const TensorField field = TensorField::fit(train.clouds, train.targets, {.steps = 1000});
  EXPECT_LT(mean_error(field, oos), sampling_margin * mean_error(field, in));
  EXPECT_LT(mean_error(field, oos), noise_margin * aligned_error(oos));
}

TEST(TensorField, scales_out_of_support_cost_much_more_than_those_of_training) {
  const Scenes train = scenes(100, {0, 0}, {0.7, 1.3}, 5), in = scenes(50, {0, 0}, {0.7, 1.3}, 6),
               oos = scenes(50, {0, 0}, {1.6, 2}, 7);
  const TensorField field = TensorField::fit(train.clouds, train.targets, {.steps = 500});
  EXPECT_LT(mean_error(field, in), 0.02);
  EXPECT_GT(mean_error(field, oos), 2 * mean_error(field, in));
}

TEST(TensorField, units_of_length_do_not_matter) {
  const Scenes train = scenes(30, {0, 120}, {1, 1}, 8);
  Scenes in_mm = train;
  for (size_t r = 0; r < train.clouds.rows(); ++r) {
    for (double& x : in_mm.clouds.row(r)) x *= 1024;
    for (double& x : in_mm.targets.row(r)) x *= 1024;
  }
  const TensorField field = TensorField::fit(train.clouds, train.targets, quick());
  const TensorField other = TensorField::fit(in_mm.clouds, in_mm.targets, quick());
  EXPECT_EQ(other.scale(), 1024 * field.scale());
  for (size_t r = 0; r < 5; ++r)
    EXPECT_NEAR(
        (vector_of(other.predict(in_mm.clouds.row(r))) / 1024 - vector_of(field.predict(train.clouds.row(r))))
            .norm(),
        0, rounding);
}

TEST(TensorField, the_same_seed_gives_the_same_network_and_another_seed_another) {
  const Scenes train = scenes(30, {0, 120}, {1, 1}, 9);
  TensorFieldOptions options = quick();
  const Matrix<double> once = TensorField::fit(train.clouds, train.targets, options).predict(train.clouds);
  EXPECT_EQ(TensorField::fit(train.clouds, train.targets, options).predict(train.clouds), once);
  options.seed = 2;
  EXPECT_FALSE(TensorField::fit(train.clouds, train.targets, options).predict(train.clouds) == once);
}

TEST(TensorField, a_stop_ends_the_training_early) {
  const Scenes train = scenes(30, {0, 120}, {1, 1}, 10);
  size_t asked = 0;
  TensorField::fit(train.clouds, train.targets, quick(), [&] { return ++asked > 3; });
  EXPECT_EQ(asked, 4u);
}

TEST(TensorField, a_training_that_diverges_is_an_error) {
  const Scenes train = scenes(30, {0, 120}, {1, 1}, 11);
  TensorFieldOptions options = quick();
  options.adam.learning_rate = 1e200;
  EXPECT_NE(error_text([&] { TensorField::fit(train.clouds, train.targets, options); }).find("diverged"),
            std::string::npos);
}

TEST(TensorField, what_cannot_be_fitted_or_predicted_is_refused) {
  const Scenes train = scenes(3, {0, 120}, {1, 1}, 12);
  const auto refused = [](const Matrix<double>& clouds, const Matrix<double>& targets,
                          const TensorFieldOptions& options = quick()) {
    return error_text([&] { TensorField::fit(clouds, targets, options); });
  };
  EXPECT_NE(refused(train.clouds, Matrix<double>(2, 3)).find("found 2 targets and 3 clouds"),
            std::string::npos);
  EXPECT_NE(refused(Matrix<double>(0, 18), Matrix<double>(0, 3)).find("0 clouds"), std::string::npos);
  EXPECT_NE(refused(Matrix<double>(3, 17), train.targets).find("found 17 and 3 columns"), std::string::npos);
  EXPECT_NE(refused(Matrix<double>(3, 3), train.targets).find("found 3 and 3 columns"), std::string::npos);
  EXPECT_NE(refused(Matrix<double>(3, 18, 1.0), train.targets).find("mean distance of 0"), std::string::npos);
  Scenes broken = train;
  broken.targets(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refused(train.clouds, broken.targets).find("row 1"), std::string::npos);
  TensorFieldOptions none = quick();
  none.shape.width = 0;
  EXPECT_NE(refused(train.clouds, train.targets, none).find("found 3, 0, 4 and 8"), std::string::npos);

  const TensorField field = TensorField::fit(train.clouds, train.targets, quick());
  EXPECT_EQ(field.points(), 6u);
  EXPECT_NE(error_text([&] { field.predict(Cloud6(15)); }).find("6 points"), std::string::npos);
  EXPECT_NE(error_text([&] { field.predict(Cloud6(18, std::nan(""))); }).find("finite"), std::string::npos);
}

}  // namespace
}  // namespace kedge
