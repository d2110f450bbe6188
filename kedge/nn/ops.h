#pragma once

// Formulas of training that every engine and every compiler shares: activations, losses, Adam. F is a float
// or a vector of floats. This header includes nothing and has internal linkage throughout: what is compiled
// for a newer processor must never be picked by the linker for an older one.

#if defined(__CUDACC__)
#define KEDGE_FORMULA static __host__ __device__ __forceinline__
#else
#define KEDGE_FORMULA static inline __attribute__((always_inline))
#endif

namespace kedge {

/// Adam's constants of one step (Kingma and Ba 2015, bias-corrected).
template <class T>
struct AdamConstants {
  T beta1, beta2;
  T rate;        ///< learning rate / (1 - beta1^t)
  T root_scale;  ///< 1 / sqrt(1 - beta2^t)
  T epsilon;
  T decay = 0;  ///< learning rate * weight decay: the part of a parameter that a step takes away
};
using AdamStep = AdamConstants<float>;

namespace ops {

/// A parameter and its two moments.
template <class F>
struct Moments {
  F value, first, second;
};

/// The same after one gradient; `root` is the square root of an F. Weight decay is decoupled from the
/// gradient (Loshchilov and Hutter 2019); without it no product is rounded.
template <class F, class T, class Root>
KEDGE_FORMULA Moments<F> adam(F gradient, const Moments<F>& before, const AdamConstants<T>& step,
                              const Root& root) {
  const T keep1 = step.beta1, take1 = 1 - step.beta1, keep2 = step.beta2, take2 = 1 - step.beta2;
  const F first = keep1 * before.first + take1 * gradient;
  const F second = keep2 * before.second + take2 * (gradient * gradient);
  const F start = step.decay > 0 ? before.value - step.decay * before.value : before.value;
  return {start - step.rate * (first / (root(second) * step.root_scale + step.epsilon)), first, second};
}

/// sin(pi r) and pi cos(pi r) for |r| <= 1/2 by Taylor's series; the first term left out is below 6e-8.
template <class F>
KEDGE_FORMULA F sin_pi_near_0(F r) {
  const F s = r * r;
  return r * (3.14159265f +
              s * (-5.16771278f +
                   s * (2.55016404f + s * (-0.599264529f + s * (0.0821458866f + s * -0.00737043095f)))));
}
template <class F>
KEDGE_FORMULA F sin_pi_slope_near_0(F r) {
  const F s = r * r;
  return 3.14159265f +
         s * (-15.5031383f +
              s * (12.7508202f +
                   s * (-4.1948517f + s * (0.739312980f + s * (-0.0810747405f + s * 0.00606204f)))));
}

/// What one pair adds to the loss of its batch, and the factor of (y - target) in its gradient.
struct PairLoss {
  double loss;
  float slope;
};

/// Mean over pairs and outputs of the squared error.
KEDGE_FORMULA PairLoss squared_error(float squares, float weight, float one_over_numbers) {
  return {static_cast<double>(weight * squares * one_over_numbers), 2 * weight * one_over_numbers};
}

/// Mean over pairs of the error's Euclidean norm.
KEDGE_FORMULA PairLoss distance(float norm, float weight, float pairs) {
  return {static_cast<double>(weight * norm) / static_cast<double>(pairs),
          norm > 0 ? weight / (norm * pairs) : 0.0f};
}

}  // namespace ops
}  // namespace kedge
