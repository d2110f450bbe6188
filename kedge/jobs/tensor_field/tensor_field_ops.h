#pragma once

// The steps of a tensor field network's layer (tensor_field_network.h), each with its gradient. A field of
// order 0 or 1 has one number for each [point][component][channel].

#include <cstddef>

namespace kedge {

constexpr size_t components(size_t order) { return 2 * order + 1; }

/// What a feature is multiplied with: number_vector is a number times a filter of order 1, and so on; dot and
/// cross are the two products of a vector with such a filter.
enum class TensorFieldPath { number_number, vector_number, number_vector, dot, cross };

constexpr size_t order_from(TensorFieldPath path) {
  return path == TensorFieldPath::number_number || path == TensorFieldPath::number_vector ? 0 : 1;
}
constexpr size_t order_to(TensorFieldPath path) {
  return path == TensorFieldPath::number_number || path == TensorFieldPath::dot ? 0 : 1;
}

/// What a point sends along a path to another, `u` the unit vector from the receiver to it, before the
/// filter's radial factor: `in` and `message` are [component][channel] with `channels` channels.
void path_message(TensorFieldPath path, const double* u, const double* in, size_t channels, double* message);
/// The transpose of `path_message`, added to `in_slope`.
void path_message_back(TensorFieldPath path, const double* u, const double* slope, size_t channels,
                       double* in_slope);

struct MixShape {
  size_t rows, in, out;
};
/// y = W x + b for each row; no bias where b is null.
void mix_channels(const MixShape& shape, const double* w, const double* b, const double* x, double* y);
/// Adds to the gradients dw, db, dx; db and dx may be null.
void mix_channels_back(const MixShape& shape, const double* w, const double* x, const double* dy, double* dw,
                       double* db, double* dx);

/// s(x) of numbers, v s(|v| + bias) / |v| of vectors, s(x) = ln((1 + e^x) / 2).
void field_nonlinearity(size_t order, size_t points, size_t channels, const double* bias, const double* x,
                        double* y);
/// Overwrites dx; adds to db, for vectors only.
void field_nonlinearity_back(size_t order, size_t points, size_t channels, const double* bias,
                             const double* x, const double* dy, double* db, double* dx);

}  // namespace kedge
