#include "kedge/jobs/tensor_field/tensor_field_network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/jobs/tensor_field/moved_clouds.h"

namespace kedge {
namespace {

constexpr double rounding = 1e-12;
constexpr double finite_step = 1e-6;
constexpr double gradient_tolerance = 1e-8;

const TensorFieldShape shape{};

// Parameters of which none is at its start: biases too.
std::vector<double> random_parameters(const TensorFieldNetwork& network, uint64_t seed) {
  std::vector<double> parameters = network.initial_parameters(seed);
  Rng rng(seed, Stream::noise);
  for (double& p : parameters) p += 0.3 * rng.normal();
  return parameters;
}

Eigen::Vector3d mean_vector(const TensorFieldNetwork& network, const Cloud6& cloud,
                            const std::vector<double>& parameters) {
  TensorFieldNetwork::Trace trace;
  const auto v = network.forward(CloudGeometry(cloud, 1, shape.radial), parameters, trace);
  return {v[0], v[1], v[2]};
}

TEST(TensorFieldNetwork, turning_and_moving_a_cloud_turns_what_comes_out_for_any_parameters) {
  const TensorFieldNetwork network(shape);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const std::vector<double> parameters = random_parameters(network, seed);
    const Cloud6 cloud = random_cloud(seed);
    const Eigen::Matrix3d turn = random_rotation(seed);
    const Eigen::Vector3d before = mean_vector(network, cloud, parameters);
    const Eigen::Vector3d after = mean_vector(network, moved(cloud, turn, {5, -3, 2}), parameters);
    EXPECT_GT(before.norm(), 0.01);
    EXPECT_NEAR((after - turn * before).norm(), 0, rounding * before.norm() * 100);
  }
}

TEST(TensorFieldNetwork, the_order_of_points_does_not_matter) {
  const TensorFieldNetwork network(shape);
  const std::vector<double> parameters = random_parameters(network, 1);
  const Cloud6 cloud = random_cloud(1);
  const Eigen::Vector3d v = mean_vector(network, cloud, parameters);
  EXPECT_NEAR((mean_vector(network, reversed(cloud), parameters) - v).norm(), 0, rounding * v.norm() * 100);
}

TEST(TensorFieldNetwork, a_mirrored_cloud_is_another_one) {
  const TensorFieldNetwork network(shape);
  const std::vector<double> parameters = random_parameters(network, 2);
  const Cloud6 cloud = random_cloud(2);
  const Eigen::Matrix3d mirror = Eigen::Vector3d(1, 1, -1).asDiagonal();
  const Eigen::Vector3d before = mean_vector(network, cloud, parameters);
  const Eigen::Vector3d after = mean_vector(network, moved(cloud, mirror, {0, 0, 0}), parameters);
  EXPECT_GT((after - mirror * before).norm(), 1e-3);
}

TEST(TensorFieldNetwork, the_gradient_is_that_of_finite_differences_in_every_parameter) {
  for (const TensorFieldShape& s :
       {TensorFieldShape{}, TensorFieldShape{1, 2, 3}, TensorFieldShape{2, 3, 1}}) {
    const TensorFieldNetwork network(s);
    std::vector<double> parameters = random_parameters(network, 3), gradient(network.parameters(), 0.0);
    const CloudGeometry cloud(random_cloud(3), 1, s.radial);
    TensorFieldNetwork::Trace trace;
    // loss = <slope, v>
    const std::array<double, 3> slope = {0.7, -1.1, 0.4};
    const auto loss = [&] {
      const std::array<double, 3> v = network.forward(cloud, parameters, trace);
      return slope[0] * v[0] + slope[1] * v[1] + slope[2] * v[2];
    };
    const double size = std::abs(loss());
    network.backward(cloud, parameters, slope, trace, gradient);
    size_t idle = 0;
    for (size_t p = 0; p < parameters.size(); ++p) {
      const double at = parameters[p];
      parameters[p] = at + finite_step;
      const double above = loss();
      parameters[p] = at - finite_step;
      const double below = loss();
      parameters[p] = at;
      EXPECT_NEAR(gradient[p], (above - below) / (2 * finite_step), gradient_tolerance * (1 + size)) << p;
      idle += gradient[p] == 0;
    }
    // Hidden units that no distance reaches have no gradient; most have one.
    EXPECT_LT(idle, parameters.size() / 3);
  }
}

TEST(TensorFieldNetwork, a_gradient_is_added_to_what_was_there) {
  const TensorFieldNetwork network(shape);
  const std::vector<double> parameters = random_parameters(network, 4);
  const CloudGeometry cloud(random_cloud(4), 1, shape.radial);
  TensorFieldNetwork::Trace trace;
  std::vector<double> once(network.parameters(), 0.0), twice = once;
  network.forward(cloud, parameters, trace);
  network.backward(cloud, parameters, {1, 2, 3}, trace, once);
  for (int i = 0; i < 2; ++i) network.backward(cloud, parameters, {1, 2, 3}, trace, twice);
  for (size_t p = 0; p < once.size(); ++p)
    EXPECT_NEAR(twice[p], 2 * once[p], rounding * (1 + std::abs(once[p])));
}

TEST(TensorFieldNetwork, has_the_parameters_of_its_formula) {
  // A radial net of c channels: 4 x 4 + 4 + 4 c + c. Layer 1 has the paths 0x0 and 0x1, layer 2 all five,
  // layer 3 the three that end in vectors; mixes of joined channels to 4 with 4 biases; a head of 4.
  const auto net = [](size_t c) { return 20 + 5 * c; };
  const size_t first = 2 * net(1) + (4 + 4) + (4 + 4);
  const size_t second = 5 * net(4) + (8 * 4 + 4) + (12 * 4 + 4);
  const size_t third = 3 * net(4) + (12 * 4 + 4);
  EXPECT_EQ(TensorFieldNetwork(shape).parameters(), first + second + third + 4);
}

TEST(CloudGeometry, holds_unit_vectors_and_gaussians_of_scaled_distances) {
  const CloudGeometry cloud(std::vector<double>{0, 0, 0, 0, 6, 0}, 3, 3);  // distance 2: the last Gaussian
  ASSERT_EQ(cloud.points, 2u);
  EXPECT_EQ(cloud.unit, (std::vector<double>{0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0}));
  ASSERT_EQ(cloud.radial.size(), cloud.pairs() * 3);
  const double* apart = &cloud.radial[cloud.pair[1] * 3];
  const double* same = &cloud.radial[cloud.pair[3] * 3];
  for (size_t g = 0; g < 3; ++g) {
    const double center = static_cast<double>(g);
    EXPECT_NEAR(apart[g], std::exp(-(2 - center) * (2 - center)), rounding);
    EXPECT_NEAR(same[g], std::exp(-center * center), rounding);
  }
}

}  // namespace
}  // namespace kedge
