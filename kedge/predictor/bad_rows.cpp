#include <cmath>
#include <limits>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/message_of.h"
#include "kedge/predictor/requirements.h"
#include "kedge/predictor/state.h"

namespace kedge {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
void place(std::vector<T>& values, const std::vector<size_t>& rows, size_t size, const T& otherwise) {
  std::vector<T> placed(size, otherwise);
  for (size_t i = 0; i < rows.size(); ++i) placed[rows[i]] = std::move(values[i]);
  values = std::move(placed);
}

}  // namespace

Predictions among_bad_rows(const Predictions& answers, const std::vector<size_t>& rows,
                           std::vector<std::string> notes) {
  const size_t size = notes.size();
  Predictions all = answers;
  all.y =
      Matrix<double>(size, answers.outputs.size(), std::vector<double>(size * answers.outputs.size(), nan));
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t k = 0; k < answers.outputs.size(); ++k) all.y(rows[i], k) = answers.y(i, k);
  for (auto* column : {&all.anchor, &all.analog_query, &all.analog_anchor, &all.admissible_anchors})
    place(*column, rows, size, Predictions::none);
  for (auto* column : {&all.delta_distance, &all.spread, &all.support_distance, &all.delta_percentile,
                       &all.expected_error, &all.expected_error_beyond})
    place(*column, rows, size, nan);
  place(all.verdict, rows, size, Verdict::undetermined);
  place(all.outside, rows, size, {});
  place(all.outputs_outside, rows, size, {});
  all.note = std::move(notes);
  return all;
}

std::vector<std::string> Predictor::faults(const Table& queries) const {
  const State& s = *state_;
  const Matrix<double> rows = queries.matrix(s.inputs);
  std::vector<std::string> notes;
  const auto note = [&](size_t row, std::string text) {
    notes.resize(rows.rows());
    if (notes[row].empty()) notes[row] = std::move(text);
  };
  const Space& space = s.encoder.space();
  std::vector<double> point(static_cast<size_t>(space.point_size()));
  const bool is_plain = is_euclidean(space);
  for (size_t r = 0; r < rows.rows(); ++r) {
    for (size_t c = 0; c < rows.cols(); ++c)
      if (!std::isfinite(rows(r, c)))
        note(r, fmt::format("{} is {}: no finite number", one_line(s.intake.source_of(s.inputs[c])),
                            rows(r, c)));
    if (is_plain || (!notes.empty() && !notes[r].empty())) continue;
    try {
      space.to_point(rows.row(r), point, s.inputs);
    } catch (const Error& error) {
      note(r, message_of(error));
    }
  }
  return notes;
}

}  // namespace kedge
