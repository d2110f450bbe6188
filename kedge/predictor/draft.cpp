#include "kedge/predictor/draft.h"

#include <algorithm>
#include <cmath>

#include "kedge/anchors/spread_rows.h"
#include "kedge/core/score.h"
#include "kedge/models/least_squares.h"
#include "kedge/models/pair_ridge.h"
#include "kedge/nn/pair_errors.h"
#include "kedge/predictor/requirements.h"
#include "kedge/table/row_weights.h"
#include "kedge/weights/joint_weights.h"

namespace kedge {
namespace {

constexpr size_t scale_pairs = 10000;  // pairs that the scales of angles and rotations are measured on
// Pairs that errors are measured on: one for every hundred that were trained on, in these limits.
constexpr uint64_t trained_pairs_for_each = 100, fewest_error_pairs = 256, most_error_pairs = 2048;

/// After a stop replicas may have come unequally far, since each has a thread only when one is free. Those
/// that did less than half the steps of the first would spoil the mean of all.
void drop_latecomers(std::vector<TrainOutcome>& outcomes, std::vector<std::vector<float>>& parameters) {
  uint64_t most = 0;
  for (const TrainOutcome& outcome : outcomes) most = std::max(most, outcome.steps);
  for (size_t r = outcomes.size(); r-- > 0;) {
    if (outcomes[r].status != TrainStatus::stopped || 2 * outcomes[r].steps >= most) continue;
    outcomes.erase(outcomes.begin() + static_cast<std::ptrdiff_t>(r));
    parameters.erase(parameters.begin() + static_cast<std::ptrdiff_t>(r));
  }
}

/// Of the errors of pairs, as a loss adds them up.
double mean_error(const std::vector<double>& errors, Loss loss) {
  return loss == Loss::mse ? root_mean_square(errors) : mean(errors);
}

/// What pair_errors would be of a network that knows no more than a constant: the mean of the outputs, or no
/// change where it predicts the change from the anchor's output.
std::vector<double> constant_errors(MatrixView<const float> outputs, std::span<const double> row_weights,
                                    std::span<const Pair> pairs, Predicts predicts) {
  std::vector<double> means;
  for (size_t k = 0; k < outputs.cols(); ++k) {
    // Added up from the first, so that outputs that do not vary have no error at all.
    const double first = static_cast<double>(outputs(0, k));
    double sum = 0, total = 0;
    for (size_t r = 0; r < outputs.rows(); ++r) {
      const double weight = row_weights.empty() ? 1.0 : row_weights[r];
      sum += weight * (static_cast<double>(outputs(r, k)) - first);
      total += weight;
    }
    means.push_back(first + sum / total);
  }
  std::vector<double> errors;
  for (const Pair& pair : pairs) {
    double squares = 0;
    for (size_t k = 0; k < outputs.cols(); ++k) {
      const double constant =
          predicts == Predicts::change ? static_cast<double>(outputs(pair.anchor, k)) : means[k];
      const double e = static_cast<double>(outputs(pair.query, k)) - constant;
      squares += e * e;
    }
    errors.push_back(std::sqrt(squares / static_cast<double>(outputs.cols())));
  }
  return errors;
}

}  // namespace

FitDraft::FitDraft(const FitRequest& request, const ProgressFn& progress, const StopCheck& stop_check)
    : state_(std::make_unique<Predictor::State>()),
      model_(find_model(request.options.model)),
      stop_check_(stop_check),
      row_weights_((require_fittable(request), row_weights(request.table))),
      sampler_(sampler_for(request)) {
  const Table& table = request.table;
  Predictor::State& s = *state_;
  FitOptions& options = s.options = request.options;
  const FitColumns columns(request);
  s.inputs = columns.inputs;
  s.outputs = columns.outputs;
  if (model_.is_trained() && options.architecture.fourier == Fourier::automatic)
    throw Error("fit",
                "a fit of one model needs the Fourier layer on or off; found automatic; use fit, which "
                "tries both");
  Matrix<double> points = canonical_points(table, s.inputs, columns.space, "fit");
  s.training_outputs = table.matrix(s.outputs);
  const std::vector<Pair> scaled = draw_pool(sampler_, scale_pairs, options.seed);
  const std::vector<double> scaled_weights = sampler_.pool_weights(scaled);
  s.encoder = Encoder(columns.space, points, s.training_outputs, scaled,
                      {options.inputs, options.outputs, columns.same_unit, columns.output_space, row_weights_,
                       scaled_weights});
  require_computable_scales(table, s.encoder);
  program_ = program_for(options, columns);
  s.encode_training_rows(points);
  if (!options.base.empty()) base_ = fit_base(options.base, s.encoded_rows(points), stop_check, row_weights_);
  const uint64_t steps = training_steps(options, table.rows());
  if (options.weights.source != WeightSource::none || model_.is_trained()) options.training.steps = steps;
  if (options.weights.source != WeightSource::none) learn_weights(request, points, progress);
  // Where anchors are given nobody searches, and who gives them knows what is in support.
  const bool given = options.anchors.rule == AnchorRule::given;
  if (given) options.pool = 1;
  DifferencePool pool{columns.space, std::move(points), s.encoder.metric(),
                      draw_pool(sampler_, options.pool, options.seed, stop_check)};
  if (program_.uses_anchor() && !model_.anchors && !given && options.anchor_rows > 0)
    pool.anchors = spread_rows(pool, options.anchor_rows);
  s.index = AnchorIndex(std::move(pool));
  s.support = given ? Support(s.index.differences(), Thresholds{}, {}, s.index.rows())
                    : Support(s.index.differences(), sampler_, options.seed, s.index.rows(), stop_check);
  if (!program_.uses_anchor()) options.anchors.rule = AnchorRule::none;
  if (model_.anchors && !given) options.anchors.rule = *model_.anchors;
  if (request.validation && model_.is_trained()) {
    if (base_)
      throw Error("fit", "validation rows need a model without a base; found one; leave either out",
                  "validation");
    validation_.emplace(s, *request.validation, stop_check);
  }
}

// From now on pairs are drawn in proportion to their weights.
void FitDraft::learn_weights(const FitRequest& request, MatrixView<const double> points,
                             const ProgressFn& progress) {
  Predictor::State& s = *state_;
  FitOptions& options = s.options;
  Architecture& architecture = options.weights.architecture;
  if (architecture.fourier == Fourier::automatic) architecture.fourier = options.architecture.fourier;
  const EncodedRows rows = s.encoded_rows(points);
  if (options.weights.source == WeightSource::joint) {
    s.weights = std::make_unique<PairWeights>(learn_jointly(rows, sampler_,
                                                            {program_, options.training, options.seed},
                                                            request.examples, options.weights, progress));
  } else {
    s.weights = std::make_unique<PairWeights>(
        kedge::learn_weights(rows, request.examples, options.weights, options.seed, progress));
  }
  sampler_ = weighted_sampler(sampler_, *s.weights, rows, options.weights.cut, options.seed, stop_check_);
}

std::vector<TrainingRun> FitDraft::runs() const {
  std::vector<TrainingRun> runs;
  if (!model_.is_trained()) return runs;
  for (size_t r = 0; r < state_->options.replicas; ++r)
    runs.push_back({.data = {.rows = learned_rows(), .pairs = sampler_.tables()},
                    .options = state_->options.training,
                    .seed = replica_seed(state_->options.seed, r)});
  return runs;
}

EncodedRows FitDraft::learned_rows() const {
  EncodedRows rows = state_->rows();
  if (base_) rows.outputs = base_->rest;
  return rows;
}

FitResult FitDraft::finish(std::vector<std::vector<float>> parameters, std::vector<TrainOutcome> outcomes) {
  Predictor::State& s = *state_;
  TrainOutcome total;
  if (model_.is_trained()) {
    // A stop comes to every replica: of those that had no thread yet, none has a step.
    if (std::all_of(outcomes.begin(), outcomes.end(), [](const TrainOutcome& outcome) {
          return outcome.status == TrainStatus::stopped && outcome.steps == 0;
        }))
      throw fit_stopped();
    std::vector<TrainOutcome> kept = outcomes;
    drop_latecomers(kept, parameters);
    s.options.replicas = kept.size();
    total = kept[0];
    // One that was left out was stopped too.
    for (const TrainOutcome& outcome : outcomes) total.status = std::max(total.status, outcome.status);
    for (size_t r = 1; r < kept.size(); ++r) {
      total.steps = std::min(total.steps, kept[r].steps);
      total.loss += kept[r].loss;
    }
    total.loss /= static_cast<double>(kept.size());
    total.losses.clear();
    s.final_loss = total.loss;
    s.trained_steps = total.steps;
  } else {
    s.options.replicas = 1;
    parameters = {model_.solver == Solver::pair_ridge
                      ? solve_pair_ridge(program_, s.rows(), sampler_, stop_check_)
                      : solve_closed_form(program_, model_.solver, s.features, s.encoded_outputs, stop_check_,
                                          row_weights_)};
  }
  if (base_) {
    for (std::vector<float>& replica : parameters)
      replica = parameters_over(*base_, program_, replica, s.options.share);
    program_ = over_base(base_->program, program_);
  }
  s.engine = make_engine(program_, parameters);
  std::optional<TrainingErrors> errors;
  if (model_.is_trained() && total.status != TrainStatus::stopped) errors = training_errors();
  return {Predictor(std::move(state_)), total, std::move(outcomes), errors};
}

TrainingErrors FitDraft::training_errors() const {
  const Predictor::State& s = *state_;
  const TrainOptions& training = s.options.training;
  const PairTables tables = sampler_.tables();
  std::vector<Pair> pairs(std::clamp(std::min(training.steps, most_error_pairs * trained_pairs_for_each) *
                                         training.batch / trained_pairs_for_each,
                                     fewest_error_pairs, most_error_pairs));
  for (size_t p = 0; p < pairs.size(); ++p)
    pairs[p] = draw_pair(tables, s.options.seed, Stream::evaluation, 0, static_cast<uint32_t>(p)).pair;
  return {.model = mean_error(pair_errors(*s.engine, s.rows(), pairs), training.loss),
          .constant = mean_error(
              constant_errors(s.encoded_outputs, row_weights_, pairs,
                              program_.reads(Input::anchor_output) ? Predicts::change : Predicts::value),
              training.loss)};
}

}  // namespace kedge
