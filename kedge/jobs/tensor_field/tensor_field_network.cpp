#include "kedge/jobs/tensor_field/tensor_field_network.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "kedge/core/rng.h"
#include "kedge/jobs/tensor_field/tensor_field_ops.h"

namespace kedge {
namespace {

constexpr double farthest_gaussian = 2;  // in units of the scale

// Where the parameters of a path's radial net begin.
struct RadialAt {
  RadialAt(size_t at, size_t radial, size_t channels)
      : hidden(at),
        hidden_bias(at + radial * radial),
        outer(hidden_bias + radial),
        outer_bias(outer + channels * radial),
        end(outer_bias + channels) {}
  size_t hidden, hidden_bias, outer, outer_bias, end;
};

}  // namespace

CloudGeometry::CloudGeometry(std::span<const double> cloud, double scale, size_t radial_count)
    : points(cloud.size() / 3), unit(points * points * 3), pair(points * points) {
  const double spacing = farthest_gaussian / static_cast<double>(std::max<size_t>(radial_count, 2) - 1);
  for (size_t a = 0, number = 0; a < points; ++a) {
    for (size_t b = a; b < points; ++b, ++number) {
      pair[a * points + b] = pair[b * points + a] = number;
      std::array<double, 3> to_b{};
      for (size_t k = 0; k < 3; ++k) to_b[k] = (cloud[3 * b + k] - cloud[3 * a + k]) / scale;
      const double distance = std::hypot(to_b[0], to_b[1], to_b[2]);
      for (size_t k = 0; distance > 0 && k < 3; ++k) {
        unit[(a * points + b) * 3 + k] = to_b[k] / distance;
        unit[(b * points + a) * 3 + k] = -to_b[k] / distance;
      }
      for (size_t g = 0; g < radial_count; ++g) {
        const double off = (distance - spacing * static_cast<double>(g)) / spacing;
        radial.push_back(std::exp(-off * off));
      }
    }
  }
}

TensorFieldNetwork::TensorFieldNetwork(const TensorFieldShape& shape) : shape_(shape) {
  using enum TensorFieldPath;
  std::array<size_t, 2> in = {1, 0};
  for (size_t l = 0; l < shape.layers; ++l) {
    LayerPlan layer;
    layer.in = in;
    layer.out = {l + 1 < shape.layers ? shape.width : 0, shape.width};
    for (const TensorFieldPath path : {number_number, vector_number, number_vector, dot, cross}) {
      const size_t channels = in[order_from(path)], to = order_to(path);
      if (channels == 0 || layer.out[to] == 0) continue;
      layer.paths.push_back({path, channels, layer.joined[to], parameters_});
      layer.joined[to] += channels;
      parameters_ = RadialAt(parameters_, shape.radial, channels).end;
    }
    for (size_t order = 0; order < 2; ++order) {
      layer.mix_at[order] = parameters_;
      layer.bias_at[order] = parameters_ + layer.joined[order] * layer.out[order];
      parameters_ = layer.bias_at[order] + layer.out[order];
    }
    in = layer.out;
    layers_.push_back(layer);
  }
  head_at_ = parameters_;
  parameters_ += shape.width;
}

std::vector<double> TensorFieldNetwork::initial_parameters(uint64_t seed) const {
  std::vector<double> parameters(parameters_);
  Rng rng(seed, Stream::parameters);
  // Weights of variance 1 / fan in, biases zero.
  const auto fill = [&](size_t at, size_t in, size_t out) {
    const double bound = std::sqrt(3.0 / static_cast<double>(in));
    for (size_t i = 0; i < in * out; ++i) parameters[at + i] = rng.uniform(-bound, bound);
  };
  for (const LayerPlan& layer : layers_) {
    for (const PathPlan& path : layer.paths) {
      const RadialAt at(path.radial_at, shape_.radial, path.channels);
      fill(at.hidden, shape_.radial, shape_.radial);
      fill(at.outer, shape_.radial, path.channels);
    }
    for (size_t order = 0; order < 2; ++order)
      if (layer.out[order] > 0) fill(layer.mix_at[order], layer.joined[order], layer.out[order]);
  }
  fill(head_at_, shape_.width, 1);
  return parameters;
}

void TensorFieldNetwork::convolve(const LayerPlan& layer, const CloudGeometry& cloud, const double* w,
                                  const Fields& in, LayerTrace& t) const {
  const size_t points = cloud.points, radial = shape_.radial;
  for (size_t order = 0; order < 2; ++order)
    t.joined[order].assign(points * components(order) * layer.joined[order], 0.0);
  t.hidden.resize(layer.paths.size());
  t.filter.resize(layer.paths.size());
  t.message.resize(3 * std::max(layer.in[0], layer.in[1]));
  for (size_t number = 0; number < layer.paths.size(); ++number) {
    const PathPlan& path = layer.paths[number];
    const size_t n = path.channels, from = order_from(path.path), to = order_to(path.path);
    const RadialAt at(path.radial_at, radial, n);
    std::vector<double>&hidden = t.hidden[number], &filter = t.filter[number];
    hidden.resize(cloud.pairs() * radial);
    filter.resize(cloud.pairs() * n);
    mix_channels({cloud.pairs(), radial, radial}, w + at.hidden, w + at.hidden_bias, cloud.radial.data(),
                 hidden.data());
    for (double& h : hidden) h = std::max(h, 0.0);
    mix_channels({cloud.pairs(), radial, n}, w + at.outer, w + at.outer_bias, hidden.data(), filter.data());
    for (size_t ab = 0; ab < points * points; ++ab) {
      const size_t a = ab / points, b = ab % points;
      path_message(path.path, &cloud.unit[3 * ab], &in[from][b * components(from) * n], n, t.message.data());
      const double* r = &filter[cloud.pair[ab] * n];
      for (size_t k = 0; k < components(to); ++k) {
        double* out = &t.joined[to][(a * components(to) + k) * layer.joined[to] + path.first];
        for (size_t c = 0; c < n; ++c) out[c] += r[c] * t.message[k * n + c];
      }
    }
  }
}

void TensorFieldNetwork::convolve_back(const LayerPlan& layer, const CloudGeometry& cloud, const double* w,
                                       const Fields& in, const LayerTrace& t, Slopes& slopes,
                                       double* gradient) const {
  const size_t points = cloud.points, radial = shape_.radial;
  const size_t widest = 3 * std::max(layer.in[0], layer.in[1]);
  slopes.message.resize(2 * widest);
  double *message = slopes.message.data(), *sent = message + widest;
  for (size_t order = 0; order < 2; ++order)
    slopes.in[order].assign(points * components(order) * layer.in[order], 0.0);
  for (size_t number = 0; number < layer.paths.size(); ++number) {
    const PathPlan& path = layer.paths[number];
    const size_t n = path.channels, from = order_from(path.path), to = order_to(path.path);
    slopes.filter.assign(cloud.pairs() * n, 0.0);
    for (size_t ab = 0; ab < points * points; ++ab) {
      const size_t a = ab / points, b = ab % points;
      const double* u = &cloud.unit[3 * ab];
      path_message(path.path, u, &in[from][b * components(from) * n], n, message);
      const double* r = &t.filter[number][cloud.pair[ab] * n];
      double* dr = &slopes.filter[cloud.pair[ab] * n];
      for (size_t k = 0; k < components(to); ++k) {
        const double* slope = &slopes.joined[to][(a * components(to) + k) * layer.joined[to] + path.first];
        for (size_t c = 0; c < n; ++c) {
          dr[c] += slope[c] * message[k * n + c];
          sent[k * n + c] = slope[c] * r[c];
        }
      }
      path_message_back(path.path, u, sent, n, &slopes.in[from][b * components(from) * n]);
    }
    const RadialAt at(path.radial_at, radial, n);
    const std::vector<double>& hidden = t.hidden[number];
    slopes.hidden.assign(hidden.size(), 0.0);
    mix_channels_back({cloud.pairs(), radial, n}, w + at.outer, hidden.data(), slopes.filter.data(),
                      gradient + at.outer, gradient + at.outer_bias, slopes.hidden.data());
    for (size_t i = 0; i < hidden.size(); ++i)
      if (hidden[i] <= 0) slopes.hidden[i] = 0;
    mix_channels_back({cloud.pairs(), radial, radial}, w + at.hidden, cloud.radial.data(),
                      slopes.hidden.data(), gradient + at.hidden, gradient + at.hidden_bias, nullptr);
  }
}

std::array<double, 3> TensorFieldNetwork::forward(const CloudGeometry& cloud,
                                                  std::span<const double> parameters, Trace& trace) const {
  assert(parameters.size() == parameters_);
  const double* w = parameters.data();
  trace.start[0].assign(cloud.points, 1.0);
  trace.layers.resize(layers_.size());
  const Fields* in = &trace.start;
  for (size_t l = 0; l < layers_.size(); ++l) {
    const LayerPlan& layer = layers_[l];
    LayerTrace& t = trace.layers[l];
    convolve(layer, cloud, w, *in, t);
    for (size_t order = 0; order < 2; ++order) {
      const size_t rows = cloud.points * components(order);
      t.mixed[order].resize(rows * layer.out[order]);
      t.out[order].resize(rows * layer.out[order]);
      mix_channels({rows, layer.joined[order], layer.out[order]}, w + layer.mix_at[order],
                   order == 0 ? w + layer.bias_at[order] : nullptr, t.joined[order].data(),
                   t.mixed[order].data());
      field_nonlinearity(order, cloud.points, layer.out[order], w + layer.bias_at[order],
                         t.mixed[order].data(), t.out[order].data());
    }
    in = &t.out;
  }
  std::array<double, 3> mean{};
  const double* v = (*in)[1].data();
  for (size_t p = 0; p < cloud.points; ++p)
    for (size_t k = 0; k < 3; ++k)
      for (size_t c = 0; c < shape_.width; ++c) mean[k] += w[head_at_ + c] * *v++;
  for (double& m : mean) m /= static_cast<double>(cloud.points);
  return mean;
}

void TensorFieldNetwork::backward(const CloudGeometry& cloud, std::span<const double> parameters,
                                  const std::array<double, 3>& slope, Trace& trace,
                                  std::span<double> gradient) const {
  assert(gradient.size() == parameters_);
  const double* w = parameters.data();
  double* g = gradient.data();
  Slopes& slopes = trace.slopes;
  slopes.out[0].clear();
  slopes.out[1].clear();
  const double* v = trace.layers.back().out[1].data();
  for (size_t p = 0; p < cloud.points; ++p) {
    for (size_t k = 0; k < 3; ++k) {
      const double share = slope[k] / static_cast<double>(cloud.points);
      for (size_t c = 0; c < shape_.width; ++c) {
        g[head_at_ + c] += share * *v++;
        slopes.out[1].push_back(share * w[head_at_ + c]);
      }
    }
  }
  for (size_t l = layers_.size(); l-- > 0;) {
    const LayerPlan& layer = layers_[l];
    const LayerTrace& t = trace.layers[l];
    for (size_t order = 0; order < 2; ++order) {
      const size_t rows = cloud.points * components(order);
      slopes.mixed.resize(rows * layer.out[order]);
      field_nonlinearity_back(order, cloud.points, layer.out[order], w + layer.bias_at[order],
                              t.mixed[order].data(), slopes.out[order].data(), g + layer.bias_at[order],
                              slopes.mixed.data());
      slopes.joined[order].assign(rows * layer.joined[order], 0.0);
      mix_channels_back({rows, layer.joined[order], layer.out[order]}, w + layer.mix_at[order],
                        t.joined[order].data(), slopes.mixed.data(), g + layer.mix_at[order],
                        order == 0 ? g + layer.bias_at[order] : nullptr, slopes.joined[order].data());
    }
    convolve_back(layer, cloud, w, l == 0 ? trace.start : trace.layers[l - 1].out, t, slopes, g);
    std::swap(slopes.in, slopes.out);
  }
}

}  // namespace kedge
