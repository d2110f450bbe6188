#include "kedge/core/format.h"
#include "kedge/predictor/predictor.h"

#include <algorithm>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/models/least_squares.h"
#include "kedge/predictor/state.h"
#include "kedge/trials/rehearsal.h"
#include "kedge/weights/joint_weights.h"

namespace kedge {
namespace {

constexpr int widest_layer = 100000;   // beyond it a fit would take days and gigabytes
constexpr size_t scale_pairs = 10000;  // pairs that the scales of angles and rotations are measured on

// A group that changes may have columns that do not: two numbers of a quaternion that turns about one axis.
void refuse_constant_columns(const Table& table, const std::vector<std::string>& inputs, const Space& space) {
  const auto is_constant = [&](int column) {
    const auto& values = table.column(inputs[static_cast<size_t>(column)]).values;
    return std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; });
  };
  for (const Group& group : space.groups()) {
    const std::string& name = inputs[static_cast<size_t>(group.columns[0])];
    if (std::all_of(group.columns.begin(), group.columns.end(), is_constant))
      throw Error("fit",
                  fmt::format("{}: input columns need at least two different values; column '{}' is {} in "
                              "all {} rows; leave it out with --ignore {}",
                              table.source(), name, table.column(name).values[0], table.rows(), name));
  }
}

std::vector<int> context_features(const FitOptions& options, const std::vector<std::string>& inputs,
                                  const Space& space) {
  std::vector<int> features;
  for (const std::string& name : options.context) {
    const auto found = std::find(inputs.begin(), inputs.end(), name);
    if (found == inputs.end())
      throw Error("fit", fmt::format("--context needs input columns; found '{}'; the inputs are {}", name,
                                     fmt::join(inputs, ", ")));
    for (int f : space.features_of(static_cast<int>(found - inputs.begin()))) features.push_back(f);
  }
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  return features;
}

void require_fittable(const Table& table, const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs) {
  if (inputs.empty() || outputs.empty())
    throw Error("fit", fmt::format("{} needs an input and an output column; found {} inputs and {} outputs",
                                   table.source(), inputs.size(), outputs.size()));
  if (table.rows() < 2)
    throw Error("fit", fmt::format("{} needs at least two rows, a query and an anchor; found {}",
                                   table.source(), table.rows()));
  require_storable(table, inputs);
  require_storable(table, outputs);
  require_finite(table, outputs, "fit");
}

void require_finite_scales(const Table& table, const Encoder& encoder) {
  const auto finite = [](const std::vector<double>& scales) {
    return std::all_of(scales.begin(), scales.end(), [](double s) { return std::isfinite(s); });
  };
  if (!finite(encoder.metric()) || !finite(encoder.point_scaling().scale) ||
      !finite(encoder.output_scaling().scale))
    throw Error("fit", fmt::format("{} needs numbers whose squares can be computed; found some above 1e150; "
                                   "change the units of that column",
                                   table.source()));
}

PairSampler sampler_for(const Table& table, const FitOptions& options) {
  if (options.pairs == PairRule::any) return {table.rows(), options.self};
  const bool by_label = options.pairs == PairRule::same_label;
  const auto names = table.names(by_label ? Role::label : Role::time);
  if (names.size() != 1)
    throw Error("fit", fmt::format("pairs by {} need one {} column; found {}", by_label ? "label" : "time",
                                   by_label ? "label" : "time", names.size()));
  require_finite(table, names, "fit");
  PairSampler sampler(table.column(names[0]).values, options.self);
  if (!sampler.has_pairs())
    throw Error("fit", fmt::format("{}: pairs by '{}' need two rows with the same value; all {} rows differ",
                                   table.source(), names[0], table.rows()));
  return sampler;
}

// A model's program, or a clear word on why there is none.
Program program_for(const FitOptions& options, const std::vector<std::string>& inputs, size_t outputs,
                    const Space& space) {
  const Model& model = find_model(options.model);
  const Shape shape{space.features(), static_cast<int>(outputs), context_features(options, inputs, space)};
  const int context = static_cast<int>(shape.context.size());
  if (model.needs_context && (context == 0 || context == shape.features))
    throw Error("fit",
                fmt::format("model {} needs some, not all, input columns as context; found {} of {}; name "
                            "them with --context",
                            model.name, options.context.size(), inputs.size()));
  Program program = model.program(shape, options.architecture);
  for (const Op& op : program.ops()) {
    if (op.width > widest_layer)
      throw Error("fit",
                  fmt::format("a layer needs at most {} features; model {} makes {} of {} inputs; drop "
                              "columns or take another model",
                              widest_layer, model.name, op.width, inputs.size()));
  }
  program.check();
  return program;
}

void require_weighable(const FitOptions& options, const PairLabels& labels, size_t rows, bool uses_anchor) {
  const WeightSource source = options.weights.source;
  if (goes_by_weight(options.anchors.rule) && source == WeightSource::none)
    throw Error("fit", fmt::format("anchors by '{}' need weights of pairs; found none; label some pairs with "
                                   "--weights or take another rule",
                                   to_text(options.anchors)));
  if (source != WeightSource::none && !uses_anchor)
    throw Error("fit",
                fmt::format("weights of pairs need a model that reads an anchor; found {}; take bilinear "
                            "or concat",
                            options.model));
  if (source == WeightSource::labels && labels.empty())
    throw Error("fit", "weights need labelled pairs; found none; label some pairs or learn weights jointly");
  if (source == WeightSource::none && !labels.empty())
    throw Error("fit", fmt::format("options need to say what labelled pairs are for; found {} pairs and no "
                                   "weights",
                                   labels.size()));
  for (const Pair& pair : labels.pairs) {
    if (std::max(pair.query, pair.anchor) >= rows)
      throw Error("fit", fmt::format("labelled pairs need rows below {}; found ({}, {})", rows, pair.query,
                                     pair.anchor));
  }
  if (!labels.empty() &&
      std::count(labels.weights.begin(), labels.weights.end(), 0.0f) == static_cast<long>(labels.size()))
    throw Error("fit",
                fmt::format("labelled pairs need one of weight 1; found {}, all of weight 0", labels.size()));
}

}  // namespace

std::string version() { return KEDGE_VERSION; }

Matrix<double> canonical_points(const Table& table, const std::vector<std::string>& inputs,
                                const Space& space, const std::string& verb) {
  require_finite(table, inputs, verb);
  const Matrix<double> rows = table.matrix(inputs);
  Matrix<double> points(rows.rows(), static_cast<size_t>(space.point_size()));
  for (size_t r = 0; r < rows.rows(); ++r) {
    try {
      space.to_point(rows.row(r), points.row(r), inputs);
    } catch (const Error& error) {
      throw Error(verb, fmt::format("{}: {}", table.where(r), error.what()));
    }
  }
  return points;
}

void Predictor::State::encode_training_rows(MatrixView<const double> points) {
  features = encoder.encode_points(points);
  encoded_outputs = encoder.encode_outputs(training_outputs);
}

// The pairs of a sampler that are worth training on, in proportion to their weights.
PairSampler Predictor::State::learn_weights(const Program& program, MatrixView<const double> points,
                                            const PairSampler& sampler, const PairLabels& labels,
                                            const ProgressFn& progress) {
  const SampledPairs::Data data{encoder, points, features, encoded_outputs};
  if (options.weights.source == WeightSource::joint) {
    weights = std::make_unique<PairWeights>(learn_jointly(
        data, sampler, {program, options.training, options.seed}, labels, options.weights, progress));
  } else {
    // These steps are not counted, but a wish to stop is heard.
    const ProgressFn heartbeat = [&](const Progress& p) { return !progress || progress({0, 0, p.loss}); };
    weights = std::make_unique<PairWeights>(
        kedge::learn_weights(data, labels, options.weights, options.seed, heartbeat));
  }
  return weighted_sampler(sampler, *weights, data, options.weights.cut, options.seed);
}

Predictor Predictor::fit(const Table& table, const FitOptions& options, const ProgressFn& progress,
                         TrainOutcome* outcome, int threads, const PairLabels& labels) {
  check(options);
  auto state = std::make_unique<State>();
  State& s = *state;
  s.inputs = table.names(Role::input);
  s.outputs = table.names(Role::output);
  require_fittable(table, s.inputs, s.outputs);
  const Space space = Space::parse(options.space, s.inputs);
  const SameUnit together = SameUnit::parse(options.same_unit, s.inputs, s.outputs, space);
  Matrix<double> points = canonical_points(table, s.inputs, space, "fit");
  if (options.constants == ConstantInputs::refuse) refuse_constant_columns(table, s.inputs, space);
  const Model& model = find_model(options.model);
  const bool uses_anchor = program_for(options, s.inputs, s.outputs.size(), space).uses_anchor();
  require_weighable(options, labels, table.rows(), uses_anchor && !model.anchors);
  if (uses_anchor && !model.anchors && options.anchors.rule == AnchorRule::none)
    throw Error("fit", fmt::format("model {} needs anchors; found the rule 'none'; take another rule",
                                   options.model));
  PairSampler sampler = sampler_for(table, options);

  // The table is good: trials may begin. They count as the first steps of the whole, calibration as the last.
  const uint64_t training = training_steps(options, table.rows());
  const uint64_t trials = trial_steps(table, options),
                 before = trials + joint_steps(options.weights, training);
  const auto report = [&](uint64_t done) -> ProgressFn {
    if (!progress) return {};
    const uint64_t total = before + training + calibration_steps(table, options);
    return [&progress, done, total](const Progress& p) { return progress({done + p.step, total, p.loss}); };
  };
  s.options = resolve(table, options, report(0), threads, labels);

  s.training_outputs = table.matrix(s.outputs);
  s.encoder = Encoder(space, points, s.training_outputs, draw_pool(sampler, scale_pairs, options.seed),
                      {options.inputs, options.outputs, together});
  require_finite_scales(table, s.encoder);
  const Program program = program_for(s.options, s.inputs, s.outputs.size(), space);
  s.encode_training_rows(points);
  if (options.weights.source != WeightSource::none) {
    s.options.training.steps = training;
    Architecture& weighing = s.options.weights.architecture;
    if (weighing.fourier == Fourier::automatic) weighing.fourier = s.options.architecture.fourier;
    sampler = s.learn_weights(program, points, sampler, labels, report(trials));
  }
  s.index = AnchorIndex(space, std::move(points), s.encoder.metric(),
                        draw_pool(sampler, options.pool, options.seed));
  s.support = Support(s.index.differences(), sampler, options.seed);
  if (!program.uses_anchor()) s.options.anchors.rule = AnchorRule::none;
  if (model.anchors) s.options.anchors.rule = *model.anchors;

  TrainOutcome ended;
  if (model.solver == Solver::adam) {
    std::vector<uint64_t> seeds;
    for (size_t r = 0; r < options.replicas; ++r) seeds.push_back(options.seed + r);
    s.engine = make_cpu_engine(program, seeds);
    s.options.training.steps = training;
    Pool pool(threads);
    const SampledPairs pairs({s.encoder, s.index.points(), s.features, s.encoded_outputs}, sampler);
    ended = train(*s.engine, pairs, s.options.training, pool, report(before));
    s.final_loss = ended.loss;
  } else {
    s.options.replicas = 1;
    s.engine = make_cpu_engine(program, {options.seed},
                               {solve_closed_form(program, model.solver, s.features, s.encoded_outputs)});
  }
  if (outcome) *outcome = ended;
  Predictor predictor(std::move(state));
  if (ended.status == TrainStatus::finished)
    s.errors = calibrate(table, predictor, report(before + training), threads, labels);
  return predictor;
}

Predictor::Predictor(std::unique_ptr<const State> state) : state_(std::move(state)) {}
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;
Predictor::~Predictor() = default;

const FitOptions& Predictor::options() const { return state_->options; }
const std::vector<std::string>& Predictor::inputs() const { return state_->inputs; }
const std::vector<std::string>& Predictor::outputs() const { return state_->outputs; }
const Program& Predictor::program() const { return state_->engine->program(); }
const Encoder& Predictor::encoder() const { return state_->encoder; }
const PairWeights* Predictor::weights() const { return state_->weights.get(); }
size_t Predictor::training_rows() const { return state_->index.points().rows(); }
StoredCoverage Predictor::coverage() const { return state_->coverage(); }
const Matrix<double>& Predictor::training_points() const { return state_->index.points(); }
const Matrix<double>& Predictor::training_outputs() const { return state_->training_outputs; }
double Predictor::final_loss() const { return state_->final_loss; }
const std::string& Predictor::written_by() const { return state_->written_by; }

}  // namespace kedge
