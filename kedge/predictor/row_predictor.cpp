#include "kedge/predictor/row_predictor.h"

#include <algorithm>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/predictor/answer_summary.h"
#include "kedge/predictor/state.h"

namespace kedge {
namespace {

/// How many anchors a row may be answered from, at least one. Throws Error when the answers of all rows would
/// be more than RowPredictor::most_numbers.
size_t affordable_anchors(const Predictor& predictor, size_t anchors, size_t rows) {
  const size_t wanted = std::max<size_t>(1, anchors),
               numbers = predictor.options().replicas * predictor.outputs().size() * rows;
  if (wanted > RowPredictor::most_numbers / numbers)
    throw Error("predict",
                fmt::format("one row needs at most {} answers; found {} anchors of {} numbers each; take "
                            "fewer anchors",
                            size_t{RowPredictor::most_numbers}, wanted, numbers));
  return wanted;
}

}  // namespace

struct RowPredictor::Memory {
  Memory(const Predictor::State& s, size_t anchors, size_t rows)
      : state(s),
        point(static_cast<size_t>(s.encoder.space().point_size())),
        raw(s.encoder.features()),
        features(s.encoder.features()),
        most_anchors(anchors),
        batch(s.rows(), anchors * rows),
        scratch(s.engine->make_scratch(anchors * rows)),
        by_replica(s.engine->replicas(), Matrix<float>(anchors * rows, s.outputs.size())),
        squares(s.outputs.size()) {
    ends.reserve(rows);
  }

  size_t pairs() const { return ends.empty() ? 0 : ends.back(); }

  const Predictor::State& state;
  std::vector<double> point, raw;
  std::vector<float> features;
  size_t most_anchors;
  std::vector<size_t> ends;  // of the rows that were added: where their pairs end
  PairBatch batch;
  std::unique_ptr<Engine::Scratch> scratch;
  std::vector<Matrix<float>> by_replica;
  std::vector<double> squares;
};

RowPredictor::RowPredictor(const Predictor& predictor, size_t most_anchors, size_t most_rows)
    : memory_(std::make_unique<Memory>(
          *predictor.state_, affordable_anchors(predictor, most_anchors, std::max<size_t>(1, most_rows)),
          std::max<size_t>(1, most_rows))) {}
RowPredictor::RowPredictor(RowPredictor&&) noexcept = default;
RowPredictor::~RowPredictor() = default;

void RowPredictor::predict(std::span<const double> row, size_t anchor, std::span<double> y) {
  predict(row, std::span(&anchor, 1), y);
}

void RowPredictor::predict(std::span<const double> row, std::span<const size_t> anchors,
                           std::span<double> y) {
  memory_->ends.clear();
  add(row, anchors);
  answer(MatrixView<double>(y.data(), 1, y.size()));
}

void RowPredictor::add(std::span<const double> row, std::span<const size_t> anchors) {
  Memory& m = *memory_;
  const Predictor::State& s = m.state;
  if (row.size() != s.inputs.size())
    throw Error("predict", fmt::format("one row needs {} inputs; found {}", s.inputs.size(), row.size()));
  if (m.ends.size() == m.ends.capacity())
    throw Error("predict", fmt::format("needs at most {} rows together; found more", m.ends.capacity()));
  if (anchors.empty() || anchors.size() > m.most_anchors)
    throw Error("predict",
                fmt::format("one row needs 1 to {} anchors; found {}", m.most_anchors, anchors.size()));
  s.encoder.space().to_point(row, m.point, s.inputs);
  s.encoder.encode_point(m.point, m.raw, m.features);
  const QueryRow query{m.point.data(), m.features.data()};
  size_t end = m.pairs();
  if (s.engine->program().uses_anchor()) {
    for (size_t anchor : anchors) {
      if (anchor >= s.features.rows())
        throw Error("predict", fmt::format("a given anchor needs to be a training row below {}; found {}",
                                           s.features.rows(), anchor));
      m.batch.set(end++, query, anchor);
    }
  } else {
    m.batch.set_query(end++, query);
  }
  m.ends.push_back(end);
}

void RowPredictor::answer(MatrixView<double> y) {
  Memory& m = *memory_;
  const Predictor::State& s = m.state;
  if (y.rows() != m.ends.size() || y.cols() != s.outputs.size())
    throw Error("predict", fmt::format("{} rows need as many of {} outputs; found {} of {}", m.ends.size(),
                                       s.outputs.size(), y.rows(), y.cols()));
  ForwardInputs inputs = m.batch.inputs();
  inputs.rows = m.pairs();
  for (size_t r = 0; r < m.by_replica.size(); ++r)
    s.engine->forward(r, inputs, MatrixView<float>(m.by_replica[r].data(), inputs.rows, s.outputs.size()),
                      *m.scratch);
  for (size_t i = 0, first = 0; i < m.ends.size(); first = m.ends[i++])
    summarize(m.by_replica, first, m.ends[i] - first, {s.encoder.output_scaling(), y.row(i), m.squares});
  m.ends.clear();
}

}  // namespace kedge
