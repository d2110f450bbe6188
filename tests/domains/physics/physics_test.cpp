#include "kedge/domains/physics/physics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "kedge/core/error.h"

namespace kedge {
namespace {

/// A ball above a floor, and a slide with a motor.
const std::string ball = R"(<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="ball" pos="0 0 1">
      <freejoint name="free"/>
      <geom name="skin" type="sphere" size="0.1" mass="2"/>
      <site name="top" pos="0 0 0.1"/>
    </body>
    <body name="cart" pos="0 0 5">
      <joint name="rail" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.1 0.1 0.1" mass="1"/>
    </body>
  </worldbody>
  <actuator><motor joint="rail" ctrllimited="true" ctrlrange="-3 4"/></actuator>
</mujoco>)";

std::vector<double> copy(std::span<const double> numbers) { return {numbers.begin(), numbers.end()}; }

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(Physics, a_ball_falls_and_comes_to_rest_on_the_floor) {
  Physics physics(ball, "ball");
  EXPECT_FALSE(physics.touches("ball", ""));
  physics.step(50);  // a tenth of a second
  EXPECT_NEAR(physics.positions()[2], 1 - 0.5 * 9.81 * 0.01, 0.002);
  physics.step(2000);
  EXPECT_NEAR(physics.body_place("ball")[2], 0.1, 0.01);
  EXPECT_NEAR(physics.site_place("top")[2], 0.2, 0.01);
  EXPECT_NEAR(physics.geom_place("skin")[2], 0.1, 0.01);
  EXPECT_TRUE(physics.touches("ball", ""));
  EXPECT_TRUE(physics.touches("ball", "world"));
  EXPECT_FALSE(physics.touches("ball", "cart"));
  EXPECT_NEAR(physics.time(), 2050 * 0.002, 1e-9);
}

TEST(Physics, a_restored_snapshot_goes_on_as_before_bit_for_bit) {
  Physics physics(ball, "ball");
  physics.step(300);
  const auto snapshot = physics.snapshot();
  physics.controls()[0] = 1;
  physics.step(100);
  const std::vector<double> then = copy(physics.positions());
  physics.reset();
  physics.step(17);
  physics.restore(*snapshot);
  physics.controls()[0] = 1;
  physics.step(100);
  EXPECT_EQ(copy(physics.positions()), then);
}

TEST(Physics, joints_and_controls_stand_where_it_says) {
  Physics physics(ball, "ball");
  EXPECT_EQ(physics.joint_position("rail"), 7u);
  EXPECT_EQ(physics.joint_velocity("rail"), 6u);
  EXPECT_EQ(physics.actuators(), 1u);
  EXPECT_EQ(copy(physics.control_range(0)), (std::vector<double>{-3, 4}));
  physics.controls()[0] = 2;
  physics.step(10);
  EXPECT_GT(physics.velocities()[6], 0);
}

TEST(Physics, a_greater_mass_is_slower_to_move) {
  Physics physics(ball, "ball");
  const auto speed = [&] {
    physics.reset();
    physics.controls()[0] = 2;
    physics.step(10);
    return physics.velocities()[6];
  };
  const double before = speed();
  physics.set_mass("cart", 4);
  EXPECT_NEAR(speed(), before / 4, 1e-9);
}

TEST(Physics, what_mujoco_cannot_compile_is_an_error_of_one_line) {
  for (const std::string text : {"", "<mujoco", "<mujoco><worldbody><body/></worldbody>",
                                 "<mujoco><worldbody><geom type='pyramid'/></worldbody></mujoco>",
                                 "<mujoco><worldbody><geom size='-1'/></worldbody></mujoco>"}) {
    const std::string error = error_of([&] { Physics(text, "made-up"); });
    EXPECT_NE(error.find("made-up"), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(Physics, names_that_are_not_in_the_model_are_errors) {
  Physics physics(ball, "ball");
  const auto expect_named = [](const std::string& error, const std::string& kind) {
    EXPECT_NE(error.find("no " + kind + " called \"bell\""), std::string::npos) << error;
  };
  expect_named(error_of([&] { physics.joint_position("bell"); }), "joint");
  expect_named(error_of([&] { physics.joint_velocity("bell"); }), "joint");
  expect_named(error_of([&] { physics.body_place("bell"); }), "body");
  expect_named(error_of([&] { physics.site_place("bell"); }), "site");
  expect_named(error_of([&] { physics.geom_place("bell"); }), "geom");
  expect_named(error_of([&] { physics.set_mass("bell", 1); }), "body");
  expect_named(error_of([&] { physics.touches("bell", ""); }), "body");
  expect_named(error_of([&] { physics.touches("ball", "bell"); }), "body");
  EXPECT_NE(error_of([&] { physics.mocap_position(); }).find("mocap"), std::string::npos);
  EXPECT_NE(error_of([&] { physics.mocap_rotation(); }).find("mocap"), std::string::npos);
}

/// Three boxes that land after a fifth of a second: contacts need more memory than the model grants.
const std::string crowded = R"(<mujoco>
  <size nstack="800"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body pos="0 0 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
    <body pos="0.5 0 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
    <body pos="-0.5 0 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
  </worldbody>
</mujoco>)";

TEST(Physics, what_mujoco_calls_fatal_is_an_error_and_a_reset_mends_it) {
  Physics physics(crowded, "crowded");
  const std::vector<double> start = copy(physics.positions());
  for (int round = 0; round < 3; ++round) {
    const std::string error = error_of([&] { physics.step(500); });
    EXPECT_NE(error.find("crowded: MuJoCo gave up"), std::string::npos) << error;
    EXPECT_GT(physics.time(), 0.1);
    physics.reset();
    EXPECT_EQ(copy(physics.positions()), start);
    physics.step(10);
    EXPECT_NEAR(physics.time(), 0.02, 1e-9);
    EXPECT_LT(physics.positions()[2], start[2]);
  }
}

TEST(Physics, a_state_that_is_not_finite_reads_as_nan_until_it_is_reset) {
  Physics physics(ball, "ball");
  const auto snapshot = physics.snapshot();
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    physics.velocities()[2] = bad;
    physics.step(5);
    EXPECT_TRUE(std::isnan(physics.positions()[2]));
    EXPECT_TRUE(std::isnan(physics.body_place("ball")[2]));
    EXPECT_TRUE(std::isnan(physics.site_place("top")[0]));
    EXPECT_TRUE(std::isnan(physics.geom_place("skin")[0]));
    physics.step(5);
    EXPECT_TRUE(std::isnan(physics.velocities()[2]));
    physics.restore(*snapshot);
    physics.step(5);
    EXPECT_TRUE(std::isfinite(physics.positions()[2]));
  }
  physics.controls()[0] = std::numeric_limits<double>::quiet_NaN();
  physics.step();
  EXPECT_TRUE(std::isnan(physics.positions()[2]));
  physics.reset();
  physics.step();
  EXPECT_TRUE(std::isfinite(physics.positions()[2]));
}

TEST(Physics, troubles_leave_no_log_file) {
  const std::filesystem::path log = std::filesystem::current_path() / "MUJOCO_LOG.TXT";
  std::filesystem::remove(log);
  Physics broken(ball, "ball");
  broken.velocities()[2] = std::numeric_limits<double>::quiet_NaN();
  broken.step(5);
  Physics fatal(crowded, "crowded");
  EXPECT_THROW(fatal.step(500), Error);
  EXPECT_THROW(Physics("<mujoco", "made-up"), Error);
  EXPECT_FALSE(std::filesystem::exists(log));
}

}  // namespace
}  // namespace kedge
