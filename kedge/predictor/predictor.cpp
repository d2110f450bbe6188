#include "kedge/predictor/predictor.h"

#include "kedge/anchors/spread_rows.h"
#include "kedge/predictor/state.h"

namespace kedge {

std::string version() { return KEDGE_VERSION; }

void Predictor::State::encode_training_rows(MatrixView<const double> points) {
  output_range = OutputRange(training_outputs, encoder.output_scaling().space, options.outward);
  features = encoder.encode_points(points);
  encoded_outputs = encoder.encode_outputs(training_outputs);
}

Predictor::Predictor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;
Predictor::~Predictor() = default;

void Predictor::set_errors(const ErrorModel& errors) { state_->errors = errors; }

void Predictor::measure_anchors(int threads, const StopCheck& stop_check) {
  const DifferencePool& pool = state_->index.differences();
  if (pool.anchors.empty() || !goes_by_difference(state_->options.anchors.rule)) return;
  const AnchorOptions& rule = state_->options.anchors;
  const size_t answering = takes_count(rule.rule) ? rule.count : size_t{1};
  state_->anchor_stretch = kedge::anchor_stretch(pool, answering, threads, stop_check);
}

void Predictor::set_intake(Intake intake) { state_->intake = std::move(intake); }

const Intake& Predictor::intake() const { return state_->intake; }
const FitOptions& Predictor::options() const { return state_->options; }
const std::vector<std::string>& Predictor::inputs() const { return state_->inputs; }
const std::vector<std::string>& Predictor::outputs() const { return state_->outputs; }
const Program& Predictor::program() const { return state_->engine->program(); }
const Encoder& Predictor::encoder() const { return state_->encoder; }
const PairWeights* Predictor::weights() const { return state_->weights.get(); }
size_t Predictor::training_rows() const { return state_->index.points().rows(); }
size_t Predictor::anchor_rows() const { return state_->index.differences().anchor_count(); }
std::optional<double> Predictor::anchor_stretch() const { return state_->anchor_stretch; }
const OutputRange& Predictor::output_range() const { return state_->output_range; }
StoredCoverage Predictor::coverage() const { return state_->coverage(); }
const Matrix<double>& Predictor::training_points() const { return state_->index.points(); }
const Matrix<double>& Predictor::training_outputs() const { return state_->training_outputs; }
uint64_t Predictor::trained_steps() const { return state_->trained_steps; }
double Predictor::final_loss() const { return state_->final_loss; }
const std::string& Predictor::written_by() const { return state_->written_by; }

}  // namespace kedge
