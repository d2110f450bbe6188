#include "kedge/predictor/row_predictor.h"

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/predictor/state.h"

namespace kedge {

struct RowPredictor::Memory {
  explicit Memory(const Predictor::State& s)
      : state(s),
        point(static_cast<size_t>(s.encoder.space().point_size())),
        raw(s.encoder.features()),
        features(s.encoder.features()),
        batch(s.rows(), 1),
        scratch(s.engine->make_scratch(1)),
        by_replica(s.engine->replicas(), Matrix<float>(1, s.outputs.size())) {}

  const Predictor::State& state;
  std::vector<double> point, raw;
  std::vector<float> features;
  PairBatch batch;
  std::unique_ptr<Engine::Scratch> scratch;
  std::vector<Matrix<float>> by_replica;
};

RowPredictor::RowPredictor(const Predictor& predictor)
    : memory_(std::make_unique<Memory>(*predictor.state_)) {}
RowPredictor::RowPredictor(RowPredictor&&) noexcept = default;
RowPredictor::~RowPredictor() = default;

void RowPredictor::predict(std::span<const double> row, size_t anchor, std::span<double> y) {
  Memory& m = *memory_;
  const Predictor::State& s = m.state;
  if (row.size() != s.inputs.size() || y.size() != s.outputs.size())
    throw Error("predict", fmt::format("one row needs {} inputs and {} outputs; found {} and {}",
                                       s.inputs.size(), s.outputs.size(), row.size(), y.size()));
  const bool reads_anchor = s.engine->program().uses_anchor();
  if (reads_anchor && anchor >= s.features.rows())
    throw Error("predict", fmt::format("a given anchor needs to be a training row below {}; found {}",
                                       s.features.rows(), anchor));
  s.encoder.space().to_point(row, m.point, s.inputs);
  s.encoder.encode_point(m.point, m.raw, m.features);
  const QueryRow query{m.point.data(), m.features.data()};
  if (reads_anchor)
    m.batch.set(0, query, anchor);
  else
    m.batch.set_query(0, query);
  const ForwardInputs inputs = m.batch.inputs();
  for (size_t r = 0; r < m.by_replica.size(); ++r) s.engine->forward(r, inputs, m.by_replica[r], *m.scratch);
  double spread = 0;
  summarize(m.by_replica, s.encoder.output_scaling(), 0, 1, y, spread);
}

}  // namespace kedge
