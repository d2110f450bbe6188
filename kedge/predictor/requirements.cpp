#include "kedge/predictor/requirements.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/message_of.h"
#include "kedge/core/name_index.h"
#include "kedge/core/shown.h"
#include "kedge/predictor/state.h"
#include "kedge/table/row_weights.h"

namespace kedge {
namespace {

constexpr int widest_layer = 100000;    // beyond it a fit would take days and gigabytes
constexpr double least_scale = 1e-150;  // squares of less are lost below the smallest double

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
                  fmt::format("{}: input columns need at least two different values; column {} is {} in "
                              "all {} rows; leave it out",
                              table.source(), shown(name), table.column(name).values[0], table.rows()),
                  "ignore");
  }
}

std::vector<int> context_features(const FitOptions& options, const std::vector<std::string>& inputs,
                                  const Space& space) {
  if (options.context.empty()) return {};
  const NameIndex places(inputs);
  std::vector<int> features;
  for (const std::string& name : options.context) {
    const std::optional<size_t> place = places.find(name);
    if (!place)
      throw Error("fit",
                  fmt::format("context needs input columns; found {}; the inputs are {}", shown(name),
                              shown_list(inputs)),
                  "context");
    for (int f : space.features_of(static_cast<int>(*place))) features.push_back(f);
  }
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  return features;
}

void require_columns(const Table& table, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs) {
  if (inputs.empty() || outputs.empty())
    throw Error("fit",
                fmt::format("{} needs an input and an output column; found {} inputs and {} outputs; leave "
                            "columns for both",
                            table.source(), inputs.size(), outputs.size()));
  if (table.rows() < 2)
    throw Error("fit", fmt::format("{} needs at least two rows, a query and an anchor; found {}; add rows",
                                   table.source(), table.rows()));
  require_storable(table, inputs);
  require_storable(table, outputs);
}

/// The number of rows before the first that has a number in these columns that is not finite.
size_t finite_rows(const Table& table, const std::vector<std::string>& names) {
  size_t rows = table.rows();
  for (const std::string& name : names) {
    const double* const values = table.column(name).values.data();
    rows = static_cast<size_t>(
        std::find_if_not(values, values + rows, [](double v) { return std::isfinite(v); }) - values);
  }
  return rows;
}

/// Canonical points, of the first `count` rows only, which are finite.
Matrix<double> points_of(const Table& table, size_t count, const std::vector<std::string>& inputs,
                         const Space& space, const std::string& verb) {
  Matrix<double> rows = table.matrix(inputs);
  if (is_euclidean(space)) return rows;
  Matrix<double> points(rows.rows(), static_cast<size_t>(space.point_size()));
  for (size_t r = 0; r < count; ++r) {
    try {
      space.to_point(rows.row(r), points.row(r), inputs);
    } catch (const Error& error) {
      throw Error(verb, fmt::format("{}: {}", table.where(r), message_of(error)));
    }
  }
  return points;
}

void require_positive(const Table& table, const std::string& name, size_t rows) {
  const std::vector<double>& values = table.column(name).values;
  for (size_t r = 0; r < rows; ++r)
    if (!(values[r] > 0))
      throw Error(
          "fit",
          fmt::format("{}, column {}: an output on a log scale needs positive numbers; found {}; drop "
                      "the row or leave the output plain",
                      table.where(r), shown(name), values[r]),
          "space");
}

/// Throws Error at the first row that is no point of the space, or has an output that is not finite or not on
/// its scale.
void require_points(const Table& table, const FitColumns& columns) {
  std::vector<std::string> names;
  for (const Column& column : table.columns())
    if (column.role == Role::input || column.role == Role::output) names.push_back(column.name);
  const size_t finite = finite_rows(table, names);
  // Of plain numbers every finite row is a point.
  if (!is_euclidean(columns.space)) points_of(table, finite, columns.inputs, columns.space, "fit");
  for (size_t k = 0; k < columns.outputs.size(); ++k)
    if (columns.output_space.is_log(k)) require_positive(table, columns.outputs[k], finite);
  if (finite < table.rows()) require_finite(table, names, "fit");
}

void require_computable(const Table& table, const std::string& name, double scale) {
  const bool is_large = !std::isfinite(scale);
  if (is_large || scale < least_scale)
    throw Error("fit",
                fmt::format("{} needs numbers whose squares can be computed; found some {} in column "
                            "{}; change the units of that column",
                            table.source(), is_large ? "above 1e150" : "that differ by less than 1e-150",
                            shown(name)));
}

void require_weighable(const FitOptions& options, const PairExamples& examples, size_t rows,
                       bool uses_anchor) {
  const WeightSource source = options.weights.source;
  if (goes_by_weight(options.anchors.rule) && source == WeightSource::none)
    throw Error("fit",
                fmt::format("anchors by '{}' need weights of pairs; found none; give example pairs "
                            "or take another rule",
                            to_text(options.anchors)),
                "weights");
  if (source != WeightSource::none && !uses_anchor)
    throw Error("fit",
                fmt::format("weights of pairs need a model that reads an anchor; found {}; take bilinear "
                            "or concat",
                            options.model));
  if (source == WeightSource::examples && examples.empty())
    throw Error("fit", "weights need example pairs; found none; give some or learn weights jointly");
  if (source == WeightSource::none && !examples.empty())
    throw Error("fit", fmt::format("options need to say what example pairs are for; found {} pairs and no "
                                   "weights",
                                   examples.size()));
  if (examples.weights.size() != examples.pairs.size())
    throw Error("fit", fmt::format("example pairs need a weight each; found {} weights for {} pairs",
                                   examples.weights.size(), examples.size()));
  for (size_t i = 0; i < examples.size(); ++i) {
    const Pair& pair = examples.pairs[i];
    if (!(examples.weights[i] >= 0 && examples.weights[i] <= 1))
      throw Error("fit",
                  fmt::format("example pairs need weights from 0 to 1; found {}", examples.weights[i]));
    if (std::max(pair.query, pair.anchor) >= rows)
      throw Error("fit", fmt::format("example pairs need rows below {}; found ({}, {})", rows, pair.query,
                                     pair.anchor));
  }
  if (!examples.empty() && std::count(examples.weights.begin(), examples.weights.end(), 0.0f) ==
                               static_cast<long>(examples.size()))
    throw Error(
        "fit", fmt::format("example pairs need one of weight 1; found {}, all of weight 0", examples.size()));
}

/// Examples of pairs name rows by their numbers in the whole table.
void refuse_two_weights(const FitRequest& request) {
  const std::vector<std::string> names = request.table.names(Role::weight);
  const bool weighs_pairs = request.options.weights.source != WeightSource::none || !request.examples.empty();
  if (names.empty() || !weighs_pairs) return;
  throw Error("fit",
              fmt::format("learned weights of pairs need rows that count alike; found row weights in column "
                          "{}; leave out the one or the other",
                          shown(names[0])));
}

}  // namespace

bool is_euclidean(const Space& space) {
  return std::all_of(space.groups().begin(), space.groups().end(),
                     [](const Group& group) { return group.kind == GroupKind::vector; });
}

FitColumns::FitColumns(const FitRequest& request)
    : inputs(request.table.names(Role::input)), outputs(request.table.names(Role::output)) {
  require_columns(request.table, inputs, outputs);
  Spaces spaces = Spaces::parse(request.options.space, inputs, outputs);
  space = std::move(spaces.inputs);
  output_space = std::move(spaces.outputs);
  same_unit = SameUnit::parse(request.options.same_unit, inputs, outputs, {space, output_space});
}

PairSampler sampler_for(const FitRequest& request) {
  const Table& table = request.table;
  const FitOptions& options = request.options;
  const std::vector<double> weights = row_weights(table);
  if (options.pairs == PairRule::any) return {table.rows(), options.self, weights};
  const bool by_label = options.pairs == PairRule::same_label;
  const auto names = table.names(by_label ? Role::label : Role::time);
  if (names.size() != 1)
    throw Error("fit", fmt::format("pairs by {} need one {} column; found {}", by_label ? "label" : "time",
                                   by_label ? "label" : "time", names.size()));
  require_finite(table, names, "fit");
  PairSampler sampler(table.column(names[0]).values, options.self, weights);
  if (!sampler.has_pairs())
    throw Error("fit", fmt::format("{}: pairs by {} need two rows with the same value; all {} rows differ",
                                   table.source(), shown(names[0]), table.rows()));
  return sampler;
}

Program program_for(const FitOptions& options, const FitColumns& columns) {
  const Model& model = find_model(options.model);
  const std::vector<std::string>& inputs = columns.inputs;
  const Shape shape{columns.space.features(), static_cast<int>(columns.outputs.size()),
                    context_features(options, inputs, columns.space)};
  const int context = static_cast<int>(shape.context.size());
  if (model.needs_context && (context == 0 || context == shape.features))
    throw Error("fit",
                fmt::format("model {} needs some, not all, input columns as context; found {} of {}; name "
                            "them",
                            model.name, options.context.size(), inputs.size()),
                "context");
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

void require_computable_scales(const Table& table, const Encoder& encoder) {
  const std::vector<std::string> inputs = table.names(Role::input), outputs = table.names(Role::output);
  const Space& space = encoder.space();
  for (size_t c = 0; c < inputs.size(); ++c) {
    for (int j : space.deltas_of(static_cast<int>(c)))
      require_computable(table, inputs[c], encoder.metric()[static_cast<size_t>(j)]);
    for (int f : space.features_of(static_cast<int>(c)))
      require_computable(table, inputs[c], encoder.point_scaling().scale[static_cast<size_t>(f)]);
  }
  for (size_t k = 0; k < outputs.size(); ++k)
    require_computable(table, outputs[k], encoder.output_scaling().standard.scale[k]);
}

Matrix<double> canonical_points(const Table& table, const std::vector<std::string>& inputs,
                                const Space& space, const std::string& verb) {
  const size_t finite = finite_rows(table, inputs);
  Matrix<double> points = points_of(table, finite, inputs, space, verb);
  if (finite < table.rows()) require_finite(table, inputs, verb);
  return points;
}

void require_fittable(const FitRequest& request) {
  const FitOptions& options = request.options;
  check(options);
  refuse_two_weights(request);
  if (const auto counted = counted_rows(request.table)) return require_fittable({*counted, options});
  const FitColumns columns(request);
  require_points(request.table, columns);
  if (options.constants == ConstantInputs::refuse)
    refuse_constant_columns(request.table, columns.inputs, columns.space);
  const Model& model = find_model(options.model);
  const bool searches_anchors = program_for(options, columns).uses_anchor() && !model.anchors;
  require_weighable(options, request.examples, request.table.rows(), searches_anchors);
  if (searches_anchors && options.anchors.rule == AnchorRule::none)
    throw Error("fit", fmt::format("model {} needs anchors; found the rule 'none'; take another rule",
                                   options.model));
  sampler_for(request);
}

}  // namespace kedge
