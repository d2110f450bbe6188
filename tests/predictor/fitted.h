#pragma once

// Small tables and quick fits that the tests of predictors share.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "kedge/core/rng.h"
#include "kedge/trials/fit.h"

namespace kedge {

inline const std::string curved_space = "angle=degrees,size=log";

inline Column column(const std::string& name, Role role, std::vector<double> values) {
  return {.name = name, .role = role, .values = std::move(values), .words = {}};
}

/// Inputs x, angle, size (positive) and a label; two outputs.
inline Table training_table(size_t rows = 60) {
  Rng rng(1, Stream::domain);
  std::vector<double> x, angle, size, kind, y, z;
  for (size_t r = 0; r < rows; ++r) {
    x.push_back(rng.uniform(0, 5));
    angle.push_back(rng.uniform(0, 350));
    size.push_back(rng.uniform(0.1, 10));
    kind.push_back(static_cast<double>(rng.below(3)));
    y.push_back(2 * x[r] - std::log(size[r]) + 100);
    z.push_back(std::sin(angle[r] / 57.3) + x[r]);
  }
  Table table("train.csv");
  table.add(column("x", Role::input, x));
  table.add(column("angle", Role::input, angle));
  table.add(column("size", Role::input, size));
  table.add(column("kind", Role::label, kind));
  table.add(column("y", Role::output, y));
  table.add(column("z", Role::output, z));
  return table;
}

/// Queries inside and outside of the training data.
inline Matrix<double> query_rows(size_t rows = 80) {
  Rng rng(2, Stream::domain);
  Matrix<double> queries(rows, 3);
  for (size_t r = 0; r < rows; ++r) {
    queries(r, 0) = rng.uniform(-2, 9);
    queries(r, 1) = rng.uniform(-400, 800);
    queries(r, 2) = rng.uniform(0.01, 30);
  }
  return queries;
}

/// Options that train in a blink.
inline FitOptions quick_options(const std::string& model) {
  FitOptions options;
  options.model = model;
  options.architecture = {.layers = 2, .width = 8, .embedding = 3};
  options.training.steps = 40;
  options.context = {"size"};
  options.space = curved_space;
  options.anchors = {.rule = AnchorRule::many, .count = 4};
  options.pool = 200;
  return options;
}

inline bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double p, double q) { return p == q || (std::isnan(p) && std::isnan(q)); });
}

/// NaN-proof equality of all numbers of two predictions.
inline bool same(const Predictions& a, const Predictions& b) {
  return same(a.delta_distance, b.delta_distance) && same(a.support_distance, b.support_distance) &&
         same(a.delta_percentile, b.delta_percentile) && same(a.expected_error, b.expected_error) &&
         a.admissible_anchors == b.admissible_anchors && a.verdict == b.verdict && a.outputs == b.outputs &&
         same(a.y.values(), b.y.values()) && a.anchor == b.anchor && a.analog_query == b.analog_query &&
         a.analog_anchor == b.analog_anchor && same(a.spread, b.spread) && a.inputs == b.inputs &&
         a.outside == b.outside;
}

}  // namespace kedge
