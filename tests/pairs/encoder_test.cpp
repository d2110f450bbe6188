#include "kedge/pairs/encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kedge {
namespace {

constexpr double tolerance = 1e-6;
constexpr double exact = 1e-12;

const std::vector<std::string> columns = {"x", "size", "theta", "qw", "qx", "qy", "qz"};
const std::string curved = "size=log,theta=angle,qw+qx+qy+qz=rotation";

// Canonical points of random rows: a vector, a log-scale, an angle and a rotation.
Matrix<double> random_points(const Space& space, size_t rows) {
  Rng rng(1, Stream::domain);
  Matrix<double> points(rows, static_cast<size_t>(space.point_size()));
  for (size_t r = 0; r < rows; ++r) {
    std::vector<double> row = {rng.uniform(50, 90), rng.uniform(0.01, 3), rng.uniform(-9, 9)};
    for (int i = 0; i < 4; ++i) row.push_back(rng.normal());
    row.resize(static_cast<size_t>(space.columns()));
    space.to_point(row, points.row(r));
  }
  return points;
}

Matrix<double> random_outputs(size_t rows) {
  Rng rng(2, Stream::domain);
  Matrix<double> outputs(rows, 2);
  for (size_t r = 0; r < rows; ++r) {
    outputs(r, 0) = rng.uniform(0, 7);
    outputs(r, 1) = 1000 + rng.uniform(0, 1);
  }
  return outputs;
}

struct Fitted {
  explicit Fitted(const Space& space, const Encoder::Scales& scales = {})
      : points(random_points(space, rows)),
        outputs(random_outputs(rows)),
        sampler(rows, SelfPairs::exclude),
        pairs(sampler.all_pairs(rows * rows)),
        encoder(space, points, outputs, pairs, scales),
        features(encoder.encode_points(points)),
        targets(encoder.encode_outputs(outputs)) {}

  static constexpr size_t rows = 40;
  Matrix<double> points, outputs;
  PairSampler sampler;
  std::vector<Pair> pairs;
  Encoder encoder;
  Matrix<float> features, targets;
};

TEST(Encoder, scales_follow_the_weights_of_rows_and_pairs) {
  const Space space = Space::parse(curved, columns);
  // Half of the rows count next to nothing, and so do their pairs.
  std::vector<double> rows, pairs;
  for (size_t r = 0; r < Fitted::rows; ++r) rows.push_back(r < Fitted::rows / 2 ? 1 : 1e-15);
  const Fitted all(space);
  for (const Pair& pair : all.pairs) pairs.push_back(rows[pair.query] * rows[pair.anchor]);
  const Fitted weighted(space, {.row_weights = rows, .pair_weights = pairs});
  const size_t half = Fitted::rows / 2;
  const MatrixView<const double> points(all.points.data(), half, all.points.cols()),
      outputs(all.outputs.data(), half, all.outputs.cols());
  const Encoder expected(space, points, outputs, PairSampler(half, SelfPairs::exclude).all_pairs(half * half),
                         {});
  const auto expect_near = [](const std::vector<double>& a, const std::vector<double>& b) {
    for (size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(a[i], b[i], exact * 100 * (1 + std::abs(b[i]))) << i;
  };
  const Encoder& found = weighted.encoder;
  expect_near(found.metric(), expected.metric());
  expect_near(found.point_scaling().mean, expected.point_scaling().mean);
  expect_near(found.point_scaling().scale, expected.point_scaling().scale);
  expect_near(found.delta_scaling().scale, expected.delta_scaling().scale);
  expect_near(found.output_scaling().standard.scale, expected.output_scaling().standard.scale);
}

std::vector<float> delta_of(const Fitted& f, size_t query, size_t anchor) {
  std::vector<float> out(f.encoder.features());
  encode_delta(f.encoder.curved(), {f.points.row(query).data(), f.features.row(query).data()},
               {f.points.row(anchor).data(), f.features.row(anchor).data()}, out.size(), out.data());
  return out;
}

void expect_standard(const Matrix<float>& m) {
  for (size_t c = 0; c < m.cols(); ++c) {
    double sum = 0, squares = 0;
    for (size_t r = 0; r < m.rows(); ++r) {
      const double v = static_cast<double>(m(r, c));
      sum += v;
      squares += v * v;
    }
    EXPECT_NEAR(sum / static_cast<double>(m.rows()), 0, tolerance);
    EXPECT_NEAR(squares / static_cast<double>(m.rows()), 1, tolerance);
  }
}

TEST(Encoder, features_of_training_points_and_outputs_have_mean_0_and_deviation_1) {
  const Fitted f(Space::parse(curved, columns));
  EXPECT_EQ(f.encoder.features(), 1u + 1 + 2 + 9);
  expect_standard(f.features);
  expect_standard(f.targets);
}

TEST(Encoder, features_of_a_delta_are_differences_where_features_are_coordinates) {
  const Fitted f(Space::parse(curved, columns));
  for (const Pair& pair : f.pairs) {
    const std::vector<float> delta = delta_of(f, pair.query, pair.anchor);
    for (size_t c : {0u, 1u}) EXPECT_EQ(delta[c], f.features(pair.query, c) - f.features(pair.anchor, c));
  }
}

TEST(Encoder, curved_features_of_deltas_have_mean_0_and_deviation_1_over_the_pairs) {
  const Fitted f(Space::parse(curved, columns));
  Matrix<float> deltas(f.pairs.size(), f.encoder.features() - 2);
  for (size_t p = 0; p < f.pairs.size(); ++p) {
    const std::vector<float> delta = delta_of(f, f.pairs[p].query, f.pairs[p].anchor);
    std::copy(delta.begin() + 2, delta.end(), deltas.row(p).begin());
  }
  // Over both (i, j) and (j, i) the sine of an angle and the skew part of a rotation average to 0 by
  // themselves.
  expect_standard(deltas);
}

TEST(Encoder, the_metric_of_a_vector_column_is_its_deviation) {
  const Fitted f(Space::euclidean(2));
  for (size_t c = 0; c < 2; ++c) {
    double mean = 0, squares = 0;
    for (size_t r = 0; r < Fitted::rows; ++r) mean += f.points(r, c) / Fitted::rows;
    for (size_t r = 0; r < Fitted::rows; ++r) squares += std::pow(f.points(r, c) - mean, 2);
    // Over all pairs of two different rows: the deviation with n - 1.
    EXPECT_NEAR(f.encoder.metric()[c], std::sqrt(squares / (Fitted::rows - 1)), exact * 100);
  }
}

TEST(Encoder, the_metric_of_angles_and_rotations_is_their_root_mean_square_over_root_2) {
  const Fitted f(Space::parse(curved, columns));
  const Space& space = f.encoder.space();
  double angle = 0, rotation = 0;
  std::vector<double> delta(static_cast<size_t>(space.delta_size()));
  for (const Pair& pair : f.pairs) {
    space.minus(f.points.row(pair.query), f.points.row(pair.anchor), delta);
    angle += delta[2] * delta[2];
    rotation += (delta[3] * delta[3] + delta[4] * delta[4] + delta[5] * delta[5]) / 3;
  }
  const double n = static_cast<double>(f.pairs.size());
  EXPECT_NEAR(f.encoder.metric()[2], std::sqrt(angle / n / 2), exact);
  for (size_t j : {3u, 4u, 5u}) EXPECT_NEAR(f.encoder.metric()[j], std::sqrt(rotation / n / 2), exact);
}

TEST(Encoder, without_scaling_features_are_the_spaces_own) {
  const Fitted f(Space::parse(curved, columns), {.inputs = Scaling::none, .outputs = Scaling::none});
  std::vector<double> raw(f.encoder.features()), delta(6), delta_raw(raw.size());
  f.encoder.space().point_features(f.points.row(3), raw);
  for (size_t c = 0; c < raw.size(); ++c) EXPECT_EQ(f.features(3, c), static_cast<float>(raw[c]));
  f.encoder.space().minus(f.points.row(3), f.points.row(5), delta);
  f.encoder.space().delta_features(delta, delta_raw);
  const std::vector<float> encoded = delta_of(f, 3, 5);
  for (size_t c = 2; c < raw.size(); ++c) EXPECT_EQ(encoded[c], static_cast<float>(delta_raw[c]));
  for (double m : f.encoder.metric()) EXPECT_EQ(m, 1);
  EXPECT_EQ(f.targets(3, 1), static_cast<float>(f.outputs(3, 1)));
}

TEST(Encoder, a_constant_column_gets_features_of_zero_and_a_metric_of_one) {
  Matrix<double> points(5, 2, 3.25);
  for (size_t r = 0; r < 5; ++r) points(r, 0) = static_cast<double>(r);
  const PairSampler sampler(5, SelfPairs::exclude);
  const Encoder encoder(Space::euclidean(2), points, points, sampler.all_pairs(100), {});
  EXPECT_EQ(encoder.metric()[1], 1);
  const Matrix<float> features = encoder.encode_points(points);
  for (size_t r = 0; r < 5; ++r) EXPECT_EQ(features(r, 1), 0);
}

TEST(Encoder, columns_of_one_unit_share_a_scale_in_features_deltas_and_the_metric) {
  const Space space = Space::parse(curved, columns);
  const Fitted apart(space), together(space, {.together = {.inputs = {{0, 1}}, .outputs = {{0, 1}}}});
  const auto shared = [](double a, double b) { return std::sqrt((a * a + b * b) / 2); };
  const auto& before = apart.encoder.point_scaling().scale;
  const auto& after = together.encoder.point_scaling().scale;
  EXPECT_NEAR(after[0], shared(before[0], before[1]), tolerance);
  EXPECT_EQ(after[0], after[1]);
  for (size_t f = 2; f < after.size(); ++f) EXPECT_EQ(after[f], before[f]);
  EXPECT_EQ(together.encoder.delta_scaling().scale[1], after[1]);
  const auto& metric = together.encoder.metric();
  EXPECT_NEAR(metric[0], shared(apart.encoder.metric()[0], apart.encoder.metric()[1]), tolerance);
  EXPECT_EQ(metric[0], metric[1]);
  for (size_t j = 2; j < metric.size(); ++j) EXPECT_EQ(metric[j], apart.encoder.metric()[j]);
  const auto& outputs = apart.encoder.output_scaling().standard.scale;
  EXPECT_NEAR(together.encoder.output_scaling().standard.scale[1], shared(outputs[0], outputs[1]), tolerance);
}

TEST(Encoder, an_encoder_of_stored_parts_encodes_the_same) {
  const Fitted f(Space::parse(curved, columns));
  const Encoder& e = f.encoder;
  const Encoder again(e.space(), e.point_scaling(), e.delta_scaling(), e.output_scaling(), e.metric());
  EXPECT_EQ(again.encode_points(f.points), f.features);
  std::vector<float> out(e.features());
  encode_delta(again.curved(), {f.points.row(1).data(), f.features.row(1).data()},
               {f.points.row(2).data(), f.features.row(2).data()}, out.size(), out.data());
  EXPECT_EQ(out, delta_of(f, 1, 2));
}

TEST(PairFeatures, fills_what_is_wanted_with_the_encoding_of_the_rows_and_leaves_padding_alone) {
  const Fitted f(Space::parse(curved, columns));
  const EncodedRows rows{f.points, f.features, f.targets, f.encoder.curved()};
  constexpr size_t pairs = 25, stride = 16, output_stride = 4;
  constexpr float untouched = -5;
  std::vector<float> query(pairs * stride, untouched), anchor = query, delta = query,
                                                       anchor_output(pairs * output_stride, untouched);
  PairBatch batch(rows, pairs);
  for (uint32_t p = 0; p < pairs; ++p) {
    const Pair pair = f.sampler.draw(7, Stream::pairs, 9, p);
    encode_pair(rows, training_row(rows, pair.query), pair.anchor,
                {query.data(), anchor.data(), delta.data(), stride, anchor_output.data(), output_stride}, p);
    batch.set(p, pair);
  }
  for (uint32_t p = 0; p < pairs; ++p) {
    const Pair pair = f.sampler.draw(7, Stream::pairs, 9, p);
    const std::vector<float> expected = delta_of(f, pair.query, pair.anchor);
    for (float number : expected) EXPECT_TRUE(std::isfinite(number));
    for (size_t c = 0; c < stride; ++c) {
      const bool feature = c < f.encoder.features();
      EXPECT_EQ(query[p * stride + c], feature ? f.features(pair.query, c) : untouched);
      EXPECT_EQ(anchor[p * stride + c], feature ? f.features(pair.anchor, c) : untouched);
      EXPECT_EQ(delta[p * stride + c], feature ? expected[c] : untouched);
      if (feature) {
        EXPECT_EQ(batch.inputs().delta(p, c), expected[c]);
      }
    }
    for (size_t k = 0; k < output_stride; ++k)
      EXPECT_EQ(anchor_output[p * output_stride + k], k < 2 ? f.targets(pair.anchor, k) : untouched);
  }
}

}  // namespace
}  // namespace kedge
