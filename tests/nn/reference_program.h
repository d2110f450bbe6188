#pragma once

// Programs and losses in double, written as their definitions read: the oracle of the engines.

#include <cmath>
#include <numbers>
#include <vector>

#include "kedge/nn/adam.h"
#include "kedge/nn/program.h"
#include "tests/nn/random_pairs.h"

namespace kedge {

using Numbers = std::vector<double>;

inline double activated(Activation activation, double x) {
  if (activation == Activation::relu) return x > 0 ? x : 0;
  if (activation == Activation::sin_pi) return std::sin(std::numbers::pi * x);
  return x;
}

/// What an op makes of its operands; `parameters` are its own.
inline Numbers reference_op(const Op& op, const Numbers& a, const Numbers& b, const double* parameters) {
  Numbers out;
  const size_t width = static_cast<size_t>(op.width);
  switch (op.kind) {
    case OpKind::dense:
      for (size_t o = 0; o < width; ++o) {
        double sum = parameters[width * a.size() + o];
        for (size_t i = 0; i < a.size(); ++i) sum += parameters[o * a.size() + i] * a[i];
        out.push_back(activated(op.activation, sum));
      }
      break;
    case OpKind::add:
      for (size_t i = 0; i < a.size(); ++i) out.push_back(a[i] + b[i]);
      break;
    case OpKind::subtract:
      for (size_t i = 0; i < a.size(); ++i) out.push_back(a[i] - b[i]);
      break;
    case OpKind::concat:
      out = a;
      out.insert(out.end(), b.begin(), b.end());
      break;
    case OpKind::select:
      for (int column : op.columns) out.push_back(a[static_cast<size_t>(column)]);
      break;
    case OpKind::bilinear:
      out.assign(width, 0);
      for (size_t i = 0; i < a.size(); ++i) out[i / (a.size() / width)] += a[i] * b[i];
      break;
    case OpKind::quadratic:
      out = a;
      for (size_t i = 0; i < a.size(); ++i)
        for (size_t j = i; j < a.size(); ++j) out.push_back(a[i] * a[j]);
      break;
  }
  return out;
}

inline Numbers reference_prediction(const Program& program, const Numbers& parameters,
                                    const DrawnPairs& pairs, size_t row) {
  std::vector<Numbers> values;
  for (const Matrix<float>* input : {&pairs.query, &pairs.anchor, &pairs.delta, &pairs.anchor_output})
    values.emplace_back(input->row(row).begin(), input->row(row).end());
  std::vector<const double*> own;  // by op
  const double* next = parameters.data();
  for (const Op& op : program.ops()) {
    own.push_back(op.shares >= 0 ? own[static_cast<size_t>(op.shares)] : next);
    const Numbers& a = values[static_cast<size_t>(op.from.front())];
    if (op.kind == OpKind::dense && op.shares < 0) next += static_cast<size_t>(op.width) * (a.size() + 1);
    values.push_back(reference_op(op, a, values[static_cast<size_t>(op.from.back())], own.back()));
  }
  return values.back();
}

inline double reference_loss(const Program& program, const Numbers& parameters, const DrawnPairs& pairs,
                             Loss loss) {
  double total = 0;
  const size_t rows = pairs.target.rows();
  for (size_t row = 0; row < rows; ++row) {
    const Numbers y = reference_prediction(program, parameters, pairs, row);
    double squares = 0;
    for (size_t k = 0; k < y.size(); ++k) {
      const double e = y[k] - static_cast<double>(pairs.target(row, k));
      squares += e * e;
    }
    const double error = loss == Loss::mse ? squares / static_cast<double>(y.size()) : std::sqrt(squares);
    total += static_cast<double>(pairs.weight[row]) * error / static_cast<double>(rows);
  }
  return total;
}

}  // namespace kedge
