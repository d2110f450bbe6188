#include "kedge/predictor/row_predictor.h"

#include <algorithm>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/predictor/answer_summary.h"
#include "kedge/predictor/state.h"

namespace kedge {
namespace {

/// How many anchors a row may be answered from, at least one. Throws Error when their answers would be more
/// than RowPredictor::most_numbers.
size_t affordable_anchors(const Predictor& predictor, size_t anchors) {
  const size_t wanted = std::max<size_t>(1, anchors),
               numbers = predictor.options().replicas * predictor.outputs().size();
  if (wanted > RowPredictor::most_numbers / numbers)
    throw Error("predict",
                fmt::format("one row needs at most {} answers; found {} anchors of {} numbers each; take "
                            "fewer anchors",
                            size_t{RowPredictor::most_numbers}, wanted, numbers));
  return wanted;
}

}  // namespace

struct RowPredictor::Memory {
  Memory(const Predictor::State& s, size_t anchors)
      : state(s),
        point(static_cast<size_t>(s.encoder.space().point_size())),
        raw(s.encoder.features()),
        features(s.encoder.features()),
        batch(s.rows(), anchors),
        scratch(s.engine->make_scratch(anchors)),
        by_replica(s.engine->replicas(), Matrix<float>(anchors, s.outputs.size())),
        squares(s.outputs.size()) {}

  const Predictor::State& state;
  std::vector<double> point, raw;
  std::vector<float> features;
  PairBatch batch;
  std::unique_ptr<Engine::Scratch> scratch;
  std::vector<Matrix<float>> by_replica;
  std::vector<double> squares;
};

RowPredictor::RowPredictor(const Predictor& predictor, size_t most_anchors)
    : memory_(std::make_unique<Memory>(*predictor.state_, affordable_anchors(predictor, most_anchors))) {}
RowPredictor::RowPredictor(RowPredictor&&) noexcept = default;
RowPredictor::~RowPredictor() = default;

void RowPredictor::predict(std::span<const double> row, size_t anchor, std::span<double> y) {
  predict(row, std::span(&anchor, 1), y);
}

void RowPredictor::predict(std::span<const double> row, std::span<const size_t> anchors,
                           std::span<double> y) {
  Memory& m = *memory_;
  const Predictor::State& s = m.state;
  if (row.size() != s.inputs.size() || y.size() != s.outputs.size())
    throw Error("predict", fmt::format("one row needs {} inputs and {} outputs; found {} and {}",
                                       s.inputs.size(), s.outputs.size(), row.size(), y.size()));
  const size_t most = m.by_replica[0].rows();
  if (anchors.empty() || anchors.size() > most)
    throw Error("predict", fmt::format("one row needs 1 to {} anchors; found {}", most, anchors.size()));
  s.encoder.space().to_point(row, m.point, s.inputs);
  s.encoder.encode_point(m.point, m.raw, m.features);
  const QueryRow query{m.point.data(), m.features.data()};
  size_t rows = 1;
  if (s.engine->program().uses_anchor()) {
    rows = anchors.size();
    for (size_t a = 0; a < rows; ++a) {
      if (anchors[a] >= s.features.rows())
        throw Error("predict", fmt::format("a given anchor needs to be a training row below {}; found {}",
                                           s.features.rows(), anchors[a]));
      m.batch.set(a, query, anchors[a]);
    }
  } else {
    m.batch.set_query(0, query);
  }
  ForwardInputs inputs = m.batch.inputs();
  inputs.rows = rows;
  for (size_t r = 0; r < m.by_replica.size(); ++r)
    s.engine->forward(r, inputs, MatrixView<float>(m.by_replica[r].data(), rows, s.outputs.size()),
                      *m.scratch);
  summarize(m.by_replica, 0, rows, {s.encoder.output_scaling(), y, m.squares});
}

}  // namespace kedge
