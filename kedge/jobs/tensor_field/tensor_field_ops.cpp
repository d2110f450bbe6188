#include "kedge/jobs/tensor_field/tensor_field_ops.h"

#include <algorithm>
#include <cmath>

namespace kedge {
namespace {

// Keeps the direction of a vector near zero smooth.
constexpr double least_square = 1e-4;

double shifted_softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))) - std::log(2.0);
}
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// A vector's length, smoothed, and what the nonlinearity multiplies it by.
struct Gate {
  double length, factor;
};
Gate gate(const double* v, size_t stride, double bias) {
  const double x = v[0], y = v[stride], z = v[2 * stride];
  const double length = std::sqrt(x * x + y * y + z * z + least_square);
  return {length, shifted_softplus(length + bias) / length};
}

}  // namespace

void mix_channels(const MixShape& shape, const double* w, const double* b, const double* x, double* y) {
  const auto [rows, in, out] = shape;
  for (size_t r = 0; r < rows; ++r, x += in, y += out) {
    for (size_t o = 0; o < out; ++o) {
      double sum = b ? b[o] : 0;
      for (size_t i = 0; i < in; ++i) sum += w[o * in + i] * x[i];
      y[o] = sum;
    }
  }
}

void mix_channels_back(const MixShape& shape, const double* w, const double* x, const double* dy, double* dw,
                       double* db, double* dx) {
  const auto [rows, in, out] = shape;
  for (size_t r = 0; r < rows; ++r, x += in, dy += out) {
    for (size_t o = 0; o < out; ++o) {
      if (db) db[o] += dy[o];
      for (size_t i = 0; i < in; ++i) dw[o * in + i] += dy[o] * x[i];
      for (size_t i = 0; dx && i < in; ++i) dx[i] += dy[o] * w[o * in + i];
    }
    if (dx) dx += in;
  }
}

void field_nonlinearity(size_t order, size_t points, size_t channels, const double* bias, const double* x,
                        double* y) {
  if (order == 0) {
    for (size_t i = 0; i < points * channels; ++i) y[i] = shifted_softplus(x[i]);
    return;
  }
  for (size_t p = 0; p < points; ++p, x += 3 * channels, y += 3 * channels) {
    for (size_t c = 0; c < channels; ++c) {
      const double factor = gate(x + c, channels, bias[c]).factor;
      for (size_t k = 0; k < 3; ++k) y[k * channels + c] = factor * x[k * channels + c];
    }
  }
}

void field_nonlinearity_back(size_t order, size_t points, size_t channels, const double* bias,
                             const double* x, const double* dy, double* db, double* dx) {
  if (order == 0) {
    for (size_t i = 0; i < points * channels; ++i) dx[i] = dy[i] * sigmoid(x[i]);
    return;
  }
  for (size_t p = 0; p < points; ++p, x += 3 * channels, dy += 3 * channels, dx += 3 * channels) {
    for (size_t c = 0; c < channels; ++c) {
      const Gate g = gate(x + c, channels, bias[c]);
      const double slope = sigmoid(g.length + bias[c]);
      double along = 0;
      for (size_t k = 0; k < 3; ++k) along += x[k * channels + c] * dy[k * channels + c];
      db[c] += along * slope / g.length;
      const double radial = along * (slope - g.factor) / (g.length * g.length);
      for (size_t k = 0; k < 3; ++k)
        dx[k * channels + c] = g.factor * dy[k * channels + c] + radial * x[k * channels + c];
    }
  }
}

void path_message(TensorFieldPath path, const double* u, const double* in, size_t n, double* message) {
  switch (path) {
    case TensorFieldPath::number_number:
      std::copy_n(in, n, message);
      return;
    case TensorFieldPath::vector_number:
      std::copy_n(in, 3 * n, message);
      return;
    case TensorFieldPath::number_vector:
      for (size_t k = 0; k < 3; ++k)
        for (size_t c = 0; c < n; ++c) message[k * n + c] = u[k] * in[c];
      return;
    case TensorFieldPath::dot:
      for (size_t c = 0; c < n; ++c) message[c] = u[0] * in[c] + u[1] * in[n + c] + u[2] * in[2 * n + c];
      return;
    case TensorFieldPath::cross:
      for (size_t k = 0; k < 3; ++k) {
        const size_t i = (k + 1) % 3, j = (k + 2) % 3;
        for (size_t c = 0; c < n; ++c) message[k * n + c] = u[i] * in[j * n + c] - u[j] * in[i * n + c];
      }
      return;
  }
}

void path_message_back(TensorFieldPath path, const double* u, const double* slope, size_t n,
                       double* in_slope) {
  switch (path) {
    case TensorFieldPath::number_number:
      for (size_t c = 0; c < n; ++c) in_slope[c] += slope[c];
      return;
    case TensorFieldPath::vector_number:
      for (size_t c = 0; c < 3 * n; ++c) in_slope[c] += slope[c];
      return;
    case TensorFieldPath::number_vector:
      for (size_t c = 0; c < n; ++c)
        in_slope[c] += u[0] * slope[c] + u[1] * slope[n + c] + u[2] * slope[2 * n + c];
      return;
    case TensorFieldPath::dot:
      for (size_t k = 0; k < 3; ++k)
        for (size_t c = 0; c < n; ++c) in_slope[k * n + c] += u[k] * slope[c];
      return;
    case TensorFieldPath::cross:
      for (size_t k = 0; k < 3; ++k) {
        const size_t i = (k + 1) % 3, j = (k + 2) % 3;
        for (size_t c = 0; c < n; ++c)
          in_slope[k * n + c] += slope[i * n + c] * u[j] - slope[j * n + c] * u[i];
      }
      return;
  }
}

}  // namespace kedge
