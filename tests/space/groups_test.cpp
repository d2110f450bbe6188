#include "kedge/space/groups.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

using Quaternion = std::array<double, 4>;
using Vector3 = std::array<double, 3>;
using Rotation = RotationGroup<double>;

constexpr double pi = std::numbers::pi;
constexpr double rounding = 1e-15;

Vector3 minus(const Quaternion& query, const Quaternion& anchor) {
  Vector3 delta;
  Rotation::minus(query.data(), anchor.data(), delta.data());
  return delta;
}

Quaternion canonical(const Quaternion& row) {
  Quaternion point;
  EXPECT_TRUE(Rotation::to_point(row.data(), 1, point.data()));
  return point;
}

Quaternion about(const Vector3& axis, double angle) {
  const double length = std::hypot(axis[0], axis[1], axis[2]), s = std::sin(angle / 2) / length;
  return canonical({std::cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s});
}

double length(const Vector3& v) { return std::hypot(v[0], v[1], v[2]); }

TEST(Groups, angles_reduce_to_the_half_open_range) {
  EXPECT_EQ(wrap_angle(pi), pi);
  EXPECT_EQ(wrap_angle(-pi), pi);
  EXPECT_EQ(wrap_angle(std::nextafter(-pi, 0)), std::nextafter(-pi, 0));
  EXPECT_EQ(wrap_angle(3 * pi / 2), 3 * pi / 2 - 2 * pi);
  EXPECT_EQ(wrap_angle(0.0), 0.0);
}

TEST(Groups, degrees_of_any_size_lose_whole_turns_exactly) {
  const auto radians = [](double degrees) {
    double point;
    EXPECT_TRUE(AngleGroup<double>::to_point(&degrees, radians_per_degree, &point));
    return point;
  };
  EXPECT_EQ(radians(1e6), radians(-80));
  EXPECT_EQ(radians(360e9 + 90), pi / 2);
  EXPECT_EQ(radians(180), pi);
  EXPECT_EQ(radians(-180), pi);
  EXPECT_EQ(radians(540), pi);
  EXPECT_EQ(radians(-80), -80 * radians_per_degree);
}

TEST(Groups, a_quaternion_of_any_length_and_sign_is_one_point) {
  const Quaternion unit = canonical({0.5, -0.5, 0.5, 0.5});
  EXPECT_EQ(unit, (Quaternion{0.5, -0.5, 0.5, 0.5}));
  for (double factor : {-1.0, 3.0, -1e-200, 1e200, 1e-310}) {
    const Quaternion same = canonical({0.5 * factor, -0.5 * factor, 0.5 * factor, 0.5 * factor});
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(same[i], unit[i], rounding) << "factor " << factor;
  }
  EXPECT_EQ(canonical({0, 0, -2, 0}), (Quaternion{0, 0, 1, 0}));
  EXPECT_FALSE(std::signbit(canonical({-1, 0, 0, 0})[1]));
}

TEST(Groups, canonical_quaternions_stay_the_same_to_the_last_bit) {
  Rng rng(11, Stream::noise);
  for (int draw = 0; draw < 1000; ++draw) {
    const Quaternion point = canonical({rng.normal(), rng.normal(), rng.normal(), rng.normal()});
    EXPECT_EQ(canonical(point), point);
  }
}

TEST(Groups, no_rotation_is_made_of_zeros_or_of_numbers_that_are_not_finite) {
  for (double bad : {0.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    const Quaternion row = {0, bad, 0, 0};
    Quaternion point;
    EXPECT_FALSE(Rotation::to_point(row.data(), 1, point.data())) << bad;
  }
}

TEST(Groups, a_quarter_turn_about_z_is_known_by_hand) {
  const Quaternion turn = about({0, 0, 1}, pi / 2);
  const Vector3 delta = minus(turn, {1, 0, 0, 0});
  EXPECT_NEAR(delta[0], 0, rounding);
  EXPECT_NEAR(delta[1], 0, rounding);
  EXPECT_NEAR(delta[2], pi / 2, rounding);
  std::array<double, 9> matrix;
  Rotation::point_features(turn.data(), matrix.data());
  const std::array<double, 9> expected = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  for (size_t i = 0; i < 9; ++i) EXPECT_NEAR(matrix[i], expected[i], rounding) << "entry " << i;
}

TEST(Groups, the_delta_is_in_the_frame_of_the_anchor) {
  const Quaternion anchor = about({0, 0, 1}, pi / 2), turn = {std::cos(0.1), std::sin(0.1), 0, 0};
  // anchor . turn by hand: (c, 0, 0, c)(C, S, 0, 0) = c (C, S, S, C).
  const double c = std::sqrt(0.5), C = turn[0], S = turn[1];
  const Vector3 delta = minus(canonical({c * C, c * S, c * S, c * C}), anchor);
  EXPECT_NEAR(delta[0], 0.2, rounding);
  EXPECT_NEAR(delta[1], 0, rounding);
  EXPECT_NEAR(delta[2], 0, rounding);
}

TEST(Groups, rotations_next_to_the_identity_keep_all_their_digits) {
  constexpr double relative = 1e-15;
  for (double angle : {1e-8, 1e-150, 1e-300}) {
    const Vector3 small = {0.6 * angle, 0, -0.8 * angle};
    Quaternion q;
    Rotation::exp(small.data(), q.data());
    const Vector3 back = minus(q, {1, 0, 0, 0});
    EXPECT_NEAR(back[0] / small[0], 1, relative) << angle;
    EXPECT_EQ(back[1], 0) << angle;
    EXPECT_NEAR(back[2] / small[2], 1, relative) << angle;
    const Vector3 zero = {0, 0, 0};
    EXPECT_NEAR(Rotation::distance(small.data(), zero.data()) / angle, 1, relative) << angle;
  }
}

TEST(Groups, two_close_rotations_far_from_the_identity_are_told_apart_to_the_last_digits) {
  Rng rng(12, Stream::noise);
  for (int draw = 0; draw < 100; ++draw) {
    const Quaternion anchor = canonical({rng.normal(), rng.normal(), rng.normal(), rng.normal()});
    EXPECT_EQ(minus(anchor, anchor), (Vector3{0, 0, 0}));
    Quaternion next = anchor;
    next[2] += 1e-13;
    const double moved = next[2] - anchor[2];
    // To first order the rotation vector is twice the move's part across the anchor.
    const double expected = 2 * moved * std::sqrt(1 - anchor[2] * anchor[2]);
    EXPECT_NEAR(length(minus(next, anchor)) / expected, 1, 1e-9);
  }
}

TEST(Groups, half_a_turn_takes_the_vector_whose_first_number_is_positive) {
  const Quaternion identity = {1, 0, 0, 0};
  for (double sign : {1.0, -1.0}) {
    EXPECT_EQ(minus({0, sign, 0, 0}, identity), (Vector3{pi, 0, 0}));
    const Vector3 delta = minus({0, 0, sign * 0.6, -sign * 0.8}, identity);
    EXPECT_NEAR(delta[1], 0.6 * pi, rounding);
    EXPECT_NEAR(delta[2], -0.8 * pi, rounding);
  }
}

TEST(Groups, rotations_around_half_a_turn_go_the_short_way) {
  const Quaternion identity = {1, 0, 0, 0};
  const double gap = 1e-9;
  const Vector3 before = minus(about({0, 0, 1}, pi - gap), identity);
  EXPECT_NEAR(before[2], pi - gap, rounding);
  const Vector3 after = minus(about({0, 0, 1}, pi + gap), identity);
  EXPECT_NEAR(after[2], -(pi - gap), rounding);
  EXPECT_NEAR(Rotation::distance(before.data(), after.data()), 2 * gap, rounding);
}

TEST(Groups, q_and_its_negative_give_the_same_delta) {
  Rng rng(13, Stream::noise);
  for (int draw = 0; draw < 100; ++draw) {
    const Quaternion anchor = canonical({rng.normal(), rng.normal(), rng.normal(), rng.normal()});
    const Quaternion query = canonical({rng.normal(), rng.normal(), rng.normal(), rng.normal()});
    EXPECT_EQ(minus({-query[0], -query[1], -query[2], -query[3]}, anchor), minus(query, anchor));
  }
}

template <class Double, class Single>
void expect_float_to_agree(const std::vector<double>& query, const std::vector<double>& anchor) {
  constexpr double single_rounding = 2e-6;
  const std::vector<float> q(query.begin(), query.end()), a(anchor.begin(), anchor.end());
  std::array<double, 9> delta{}, point{}, features{};
  std::array<float, 9> delta_f{}, point_f{}, features_f{};
  Double::minus(query.data(), anchor.data(), delta.data());
  Single::minus(q.data(), a.data(), delta_f.data());
  Double::plus(anchor.data(), delta.data(), point.data());
  Single::plus(a.data(), delta_f.data(), point_f.data());
  Double::delta_features(delta.data(), features.data());
  Single::delta_features(delta_f.data(), features_f.data());
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_NEAR(delta[i], delta_f[i], single_rounding);
    EXPECT_NEAR(point[i], point_f[i], single_rounding);
    EXPECT_NEAR(features[i], features_f[i], single_rounding);
  }
}

TEST(Groups, float_agrees_with_double) {
  Rng rng(14, Stream::noise);
  for (int draw = 0; draw < 100; ++draw) {
    expect_float_to_agree<VectorGroup<double>, VectorGroup<float>>({rng.normal()}, {rng.normal()});
    expect_float_to_agree<AngleGroup<double>, AngleGroup<float>>({rng.uniform(-3, 3)}, {rng.uniform(-3, 3)});
    const Quaternion q = canonical({rng.normal(), rng.normal(), rng.normal(), rng.normal()});
    const Quaternion a = canonical({rng.normal(), rng.normal(), rng.normal(), rng.normal()});
    expect_float_to_agree<RotationGroup<double>, RotationGroup<float>>({q.begin(), q.end()},
                                                                       {a.begin(), a.end()});
  }
}

}  // namespace
}  // namespace kedge
