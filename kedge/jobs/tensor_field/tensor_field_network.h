#pragma once

// TensorFieldNetwork: the formula of a tensor field network with its gradient. Internal to tensor_field.h,
// apart so that the gradient can be held to finite differences.
//
// Every point carries features of order 0 (a number a channel) and order 1 (a vector a channel); at first a
// single 1. A layer, for each point a:
//
//   convolve       sum over points b of R(|r_ab|) * path(u_ab, feature of b), one radial net R for each path,
//                  u_ab the unit vector from a to b (zero for b = a, which order-1 filters thus pass over)
//   concatenate    the channels of all paths that end in the same order
//   self-interact  mix the channels, with the same weights for the three numbers of a vector; a bias only for
//                  order 0
//   nonlinearity   s(x) of a number; v s(|v| + bias) / |v| of a vector, s(x) = ln((1 + e^x) / 2)
//
// Paths: feature times filter, 0x0->0, 1x0->1, 0x1->1, 1x1->0 (dot product), 1x1->1 (cross product). R is a
// net with one hidden ReLU layer over the radial functions. What comes out is the mean over points of one
// vector, a mix of the last layer's vectors; its numbers are not computed.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kedge/jobs/tensor_field/tensor_field_ops.h"

namespace kedge {

struct TensorFieldShape {
  size_t layers = 3;
  size_t width = 4;   ///< channels of each order after every layer
  size_t radial = 4;  ///< Gaussian radial functions, and hidden units of the nets over them
};

/// What the network reads of a cloud: differences of points only, so that no translation changes it.
struct CloudGeometry {
  /// `points` holds x, y, z of each point; lengths are measured in units of `scale`. The Gaussians are spaced
  /// evenly over distances from zero to twice the scale, each as wide as their spacing.
  CloudGeometry(std::span<const double> points, double scale, size_t radial);

  size_t points;
  std::vector<double> unit;    ///< [a][b][3]
  std::vector<size_t> pair;    ///< [a][b] -> number of the unordered pair
  std::vector<double> radial;  ///< [pair][radial function]

  size_t pairs() const { return points * (points + 1) / 2; }
};

class TensorFieldNetwork {
 public:
  explicit TensorFieldNetwork(const TensorFieldShape& shape);

  /// By order, 0 then 1: one number for each [point][component][channel].
  using Fields = std::array<std::vector<double>, 2>;
  struct LayerTrace {
    Fields joined, mixed, out;
    std::vector<double> message;
    std::vector<std::vector<double>> hidden, filter;  ///< of each path's radial net, [pair][unit]
  };
  struct Slopes {
    Fields out, joined, in;
    std::vector<double> mixed, hidden, filter, message;
  };
  /// What a forward pass leaves for the backward pass, and room for the latter. Kept by the caller, so that
  /// the next pass allocates nothing.
  struct Trace {
    Fields start;
    std::vector<LayerTrace> layers;
    Slopes slopes;
  };

  size_t parameters() const { return parameters_; }
  std::vector<double> initial_parameters(uint64_t seed) const;

  /// The mean vector, in units of the geometry's scale.
  std::array<double, 3> forward(const CloudGeometry& cloud, std::span<const double> parameters,
                                Trace& trace) const;
  /// Adds to `gradient` that of a loss whose slope along the mean vector is `slope`. The trace is that of the
  /// forward pass with the same cloud and parameters.
  void backward(const CloudGeometry& cloud, std::span<const double> parameters,
                const std::array<double, 3>& slope, Trace& trace, std::span<double> gradient) const;

 private:
  struct PathPlan {
    TensorFieldPath path;
    size_t channels;   ///< that it reads and gives
    size_t first;      ///< where they begin among those that end in the same order
    size_t radial_at;  ///< where the parameters of its radial net begin
  };
  struct LayerPlan {
    std::array<size_t, 2> in{}, joined{}, out{};  ///< channels by order
    std::vector<PathPlan> paths;
    std::array<size_t, 2> mix_at{},
        bias_at{};  ///< parameters by order; a vector's bias is its nonlinearity's
  };

  void convolve(const LayerPlan& layer, const CloudGeometry& cloud, const double* w, const Fields& in,
                LayerTrace& t) const;
  void convolve_back(const LayerPlan& layer, const CloudGeometry& cloud, const double* w, const Fields& in,
                     const LayerTrace& t, Slopes& slopes, double* gradient) const;

  TensorFieldShape shape_;
  std::vector<LayerPlan> layers_;
  size_t head_at_ = 0;
  size_t parameters_ = 0;
};

}  // namespace kedge
