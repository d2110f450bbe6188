#include "kedge/predictor/validation.h"

#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/predictor/requirements.h"

namespace kedge {
namespace {

/// The anchors of each row; none where the program reads none.
std::vector<std::vector<AnchorMatch>> anchors_of(const Predictor::State& state, const Matrix<double>& points,
                                                 const Matrix<float>& features, const StopCheck& stop_check) {
  if (state.options.anchors.rule == AnchorRule::none)
    return std::vector<std::vector<AnchorMatch>>(points.rows());
  return state.find_anchors(points, features, state.options.anchors, stop_check);
}

size_t pairs_of(const std::vector<std::vector<AnchorMatch>>& anchors) {
  size_t pairs = 0;
  for (const auto& of_row : anchors) pairs += std::max<size_t>(1, of_row.size());
  return pairs;
}

}  // namespace

ValidationRows::ValidationRows(const Predictor::State& state, const Table& table, const StopCheck& stop_check)
    : pairs_(state.rows(), 0) {
  if (table.rows() == 0)
    throw Error("fit", "validation needs rows; found none; give some, or leave it out", "validation");
  require_finite(table, state.outputs, "fit");
  const Matrix<double> points = canonical_points(table, state.inputs, state.encoder.space(), "fit");
  const Matrix<float> features = state.encoder.encode_points(points);
  outputs_ = state.encoder.encode_outputs(table.matrix(state.outputs));
  const std::vector<std::vector<AnchorMatch>> anchors = anchors_of(state, points, features, stop_check);
  pairs_ = PairBatch(state.rows(), pairs_of(anchors));
  size_t pair = 0;
  for (size_t r = 0; r < points.rows(); ++r) {
    const QueryRow query{points.row(r).data(), features.row(r).data()};
    first_.push_back(pair);
    if (anchors[r].empty()) pairs_.set_query(pair++, query);
    for (const AnchorMatch& match : anchors[r]) pairs_.set(pair++, query, match.anchor);
  }
  first_.push_back(pair);
}

double ValidationRows::error(const Engine& engine, size_t replica) const {
  Matrix<float> answers(first_.back(), outputs_.cols());
  engine.forward(replica, pairs_.inputs(), answers);
  double squares = 0;
  for (size_t r = 0; r < outputs_.rows(); ++r) {
    const size_t count = first_[r + 1] - first_[r];
    for (size_t k = 0; k < outputs_.cols(); ++k) {
      double sum = 0;
      for (size_t p = first_[r]; p < first_[r + 1]; ++p) sum += static_cast<double>(answers(p, k));
      const double e = sum / static_cast<double>(count) - static_cast<double>(outputs_(r, k));
      squares += e * e;
    }
  }
  return std::sqrt(squares / static_cast<double>(outputs_.rows() * outputs_.cols()));
}

void BestParameters::look(const ValidationRows& rows, const Engine& engine, size_t replica,
                          const Progress& progress) {
  constexpr uint64_t parts = 20;
  if (progress.step == 0 || (progress.step < next_ && progress.step < progress.steps)) return;
  next_ = progress.step + std::max<uint64_t>(1, progress.steps / parts);
  const double found = rows.error(engine, replica);
  if (!(found < error)) return;
  error = found;
  step = progress.step;
  parameters = engine.read(replica);
}

}  // namespace kedge
