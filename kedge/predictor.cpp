#include "kedge/predictor.h"

#include <fmt/format.h>

#include <algorithm>

#include "kedge/core/error.h"
#include "kedge/models/least_squares.h"
#include "kedge/predictor_state.h"

namespace kedge {
namespace {

constexpr size_t scale_pairs = 10000;  // pairs that the scales of angles and rotations are measured on

void refuse_constant_columns(const Table& table, const std::vector<std::string>& inputs) {
  for (const std::string& name : inputs) {
    const auto& values = table.column(name).values;
    if (std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; }))
      throw Error("fit",
                  fmt::format("{}: input columns need at least two different values; column '{}' is {} in "
                              "all {} rows; leave it out with --ignore {}",
                              table.source(), name, values[0], table.rows(), name));
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
  program.check();
  return program;
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
      space.to_point(rows.row(r), points.row(r));
    } catch (const Error& error) {
      throw Error(verb, fmt::format("{}: {}", table.where(r), error.what()));
    }
  }
  return points;
}

void Predictor::State::encode_training_rows() {
  features = encoder.encode_points(index.points());
  encoded_outputs = encoder.encode_outputs(training_outputs);
}

Predictor Predictor::fit(const Table& table, const FitOptions& given, const ProgressFn& progress,
                         TrainOutcome* outcome, int threads) {
  check(given);
  auto state = std::make_unique<State>();
  State& s = *state;
  s.options = given;
  s.inputs = table.names(Role::input);
  s.outputs = table.names(Role::output);
  if (s.inputs.empty() || s.outputs.empty())
    throw Error("fit", fmt::format("{} needs an input and an output column; found {} inputs and {} outputs",
                                   table.source(), s.inputs.size(), s.outputs.size()));
  require_storable(table, s.inputs);
  require_storable(table, s.outputs);
  if (table.rows() < 2)
    throw Error("fit", fmt::format("{} needs at least two rows, a query and an anchor; found {}",
                                   table.source(), table.rows()));
  const Space space = Space::parse(given.space, s.inputs);
  Matrix<double> points = canonical_points(table, s.inputs, space, "fit");
  require_finite(table, s.outputs, "fit");
  if (given.constants == ConstantInputs::refuse) refuse_constant_columns(table, s.inputs);
  s.training_outputs = table.matrix(s.outputs);
  const Model& model = find_model(given.model);
  const PairSampler sampler = sampler_for(table, given);
  s.encoder = Encoder(space, points, s.training_outputs, draw_pool(sampler, scale_pairs, given.seed),
                      given.inputs, given.outputs);
  s.index =
      AnchorIndex(space, std::move(points), s.encoder.metric(), draw_pool(sampler, given.pool, given.seed));
  s.encode_training_rows();

  const Program program = program_for(given, s.inputs, s.outputs.size(), space);
  if (model.solver != Solver::adam) s.options.replicas = 1;
  std::vector<uint64_t> seeds;
  for (size_t r = 0; r < s.options.replicas; ++r) seeds.push_back(given.seed + r);
  s.engine = make_cpu_engine(program, seeds);
  TrainOutcome ended;
  if (model.solver == Solver::adam) {
    TrainOptions& training = s.options.training;
    training.steps = training_steps(given, table.rows());
    Pool pool(threads);
    ended =
        train(*s.engine, SampledPairs({s.encoder, s.index.points(), s.features, s.encoded_outputs}, sampler),
              training, pool, progress);
    if (!ended.losses.empty()) s.final_loss = ended.losses.back();
  } else {
    s.engine->write(0, solve_closed_form(program, model.solver, s.features, s.encoded_outputs));
  }
  if (!program.uses_anchor()) s.options.anchors.rule = AnchorRule::none;
  if (outcome) *outcome = ended;
  return Predictor(std::move(state));
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
size_t Predictor::training_rows() const { return state_->index.points().rows(); }
double Predictor::final_loss() const { return state_->final_loss; }
const std::string& Predictor::written_by() const { return state_->written_by; }

}  // namespace kedge
