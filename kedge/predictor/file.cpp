// The model file: safetensors with a JSON head. Version 1 is
//
//   metadata  format "kedge-model"; version "1"; kedge, the writer's version; head, JSON of inputs, outputs,
//             options, program, final_loss and, since 0.1.0, coverage (thresholds, delta_quantiles, errors);
//             of models with weights of pairs also weights, the program of the weights; of trained models
//             also trained_steps, without which all steps of the options were trained; where some rows only
//             serve as anchors also anchor_stretch; of models whose files had more than plain numbers intake;
//             checksum, which older files do not have
//   tensors   training.points f64 [rows, point]; training.outputs f64 [rows, outputs]; pool i32 [pairs, 2];
//             scaling.{point, delta, output}.{mean, scale} f64; scaling.metric f64;
//             parameters f32 [replicas, count]; where there are weights, weights.parameters f32 [1, count];
//             where some rows only serve as anchors, anchors i32 [rows that do], rising
//
// A file of a later version is refused; files of this version load for ever.

#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/message_of.h"
#include "kedge/core/safetensors.h"
#include "kedge/core/shown.h"
#include "kedge/predictor/state.h"

namespace kedge {
namespace {

constexpr const char* format_name = "kedge-model";
constexpr const char* format_version = "1";

template <class T>
Tensor matrix_tensor(const Matrix<T>& matrix) {
  return make_tensor<T>({matrix.rows(), matrix.cols()}, matrix.values());
}

Tensor vector_tensor(const std::vector<double>& values) {
  return make_tensor<double>({values.size()}, values);
}

bool is_trained(const FitOptions& options) { return find_model(options.model).is_trained(); }

// Reads the tensors of a file, each held to its shape.
class Reader {
 public:
  explicit Reader(const TensorFile& file) : file_(file) {}

  template <class T>
  Matrix<T> matrix(const std::string& name, size_t rows, size_t cols) const {
    const std::vector<size_t>& shape = file_.at(name).shape;
    if (shape.size() != 2) bad(fmt::format("tensor {} needs two dimensions; found {}", name, shape.size()));
    if ((rows && shape[0] != rows) || shape[1] != cols)
      bad(fmt::format("tensor {} needs {} x {} numbers; found {} x {}", name,
                      rows ? std::to_string(rows) : "any", cols, shape[0], shape[1]));
    Matrix<T> m(shape[0], shape[1], file_.values<T>(name));
    require_finite(name, m.values());
    return m;
  }

  std::vector<double> vector(const std::string& name, size_t size) const {
    std::vector<double> v = file_.values<double>(name);
    if (v.size() != size) bad(fmt::format("tensor {} needs {} numbers; found {}", name, size, v.size()));
    require_finite(name, v);
    return v;
  }

  std::vector<double> scales(const std::string& name, size_t size) const {
    std::vector<double> v = vector(name, size);
    for (double x : v)
      if (!(x > 0)) bad(fmt::format("tensor {} needs positive numbers; found {}", name, x));
    return v;
  }

  Standardizer standardizer(const std::string& name, size_t size) const {
    return {vector("scaling." + name + ".mean", size), scales("scaling." + name + ".scale", size)};
  }

  /// Rows that may serve as anchors, rising; empty in files that have none, where all may.
  std::vector<uint32_t> anchors(size_t rows) const {
    if (!file_.tensors.contains("anchors")) return {};
    std::vector<uint32_t> anchors;
    for (int32_t row : file_.values<int32_t>("anchors")) {
      if (row < 0 || static_cast<size_t>(row) >= rows ||
          (!anchors.empty() && static_cast<uint32_t>(row) <= anchors.back()))
        bad(fmt::format("tensor anchors needs rising training rows below {}; found {}", rows, row));
      anchors.push_back(static_cast<uint32_t>(row));
    }
    if (anchors.empty()) bad("tensor anchors is empty");
    return anchors;
  }

  [[noreturn]] void bad(const std::string& why) const {
    throw Error("load", fmt::format("{}: {}; the file is damaged or not a kedge model",
                                    one_line(file_.source), one_line(why)));
  }

 private:
  template <class T>
  void require_finite(const std::string& name, const std::vector<T>& values) const {
    if constexpr (std::is_floating_point_v<T>) {
      for (T x : values)
        if (!std::isfinite(x)) bad(fmt::format("tensor {} needs finite numbers; found {}", name, x));
    }
  }

  const TensorFile& file_;
};

/// As in a table: every column has a name, and no two share one.
void require_names(const Reader& reader, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs) {
  std::unordered_set<std::string_view> seen;
  for (const std::vector<std::string>* names : {&inputs, &outputs}) {
    if (names->empty()) reader.bad("there is no input or no output column");
    for (const std::string& name : *names) {
      if (name.empty()) reader.bad("a column has no name");
      if (!seen.insert(name).second) reader.bad(fmt::format("two columns are named {}", shown(name)));
    }
  }
}

/// Every input comes of a raw column.
void require_intake(const Reader& reader, const Intake& intake, const std::vector<std::string>& inputs) {
  if (intake.columns.empty()) return;
  std::unordered_set<std::string> made;
  for (const IntakeColumn& column : intake.columns) {
    if (column.name.empty()) reader.bad("a column has no name");
    const std::vector<std::string> names = column.expanded();
    made.insert(names.begin(), names.end());
  }
  for (const std::string& name : inputs)
    if (!made.contains(name)) reader.bad(fmt::format("no column of a file becomes {}", shown(name)));
}

/// A rotation's coordinates have one scale, and its points are quaternions of unit length.
void require_rotations(const Reader& reader, const Space& space, const std::vector<double>& metric,
                       const Matrix<double>& points) {
  constexpr double tolerance = 1e-6;
  for (const CurvedGroup& group : space.curved_groups()) {
    if (group.kind != GroupKind::rotation) continue;
    const double* const scale = &metric[group.delta];
    if (scale[0] != scale[1] || scale[0] != scale[2])
      reader.bad(fmt::format("tensor scaling.metric needs one scale for a rotation; found {}, {} and {}",
                             scale[0], scale[1], scale[2]));
    for (size_t r = 0; r < points.rows(); ++r) {
      const double* const q = &points(r, group.point);
      const double length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
      if (!(std::abs(length - 1) <= tolerance))
        reader.bad(fmt::format("tensor training.points needs unit quaternions; row {} has length {}", r,
                               std::sqrt(length)));
    }
  }
}

}  // namespace

void require_storable(const Table& table, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    try {
      Json(name).dump();
    } catch (const JsonError&) {
      throw Error("fit", fmt::format("{} needs column names in UTF-8; found {}; convert the file to UTF-8",
                                     table.source(), shown(name)));
    }
  }
}

std::string Predictor::to_bytes() const {
  TensorFile file = to_tensors();
  seal(file);
  return encode_safetensors(file);
}

TensorFile Predictor::to_tensors() const {
  const State& s = *state_;
  TensorFile file;
  Json head{
      {"inputs", s.inputs},
      {"outputs", s.outputs},
      {"options", Json::parse(to_json(s.options))},
      {"program", Json::parse(program().to_json())},
      {"final_loss", s.final_loss},  // null when there is none
      {"coverage", Json::parse(to_json(s.coverage()))},
  };
  if (s.weights) head["weights"] = Json::parse(s.weights->program().to_json());
  if (is_trained(s.options)) head["trained_steps"] = s.trained_steps;
  if (s.anchor_stretch) head["anchor_stretch"] = *s.anchor_stretch;
  if (!s.intake.is_empty()) head["intake"] = Json::parse(to_json(s.intake));
  file.metadata = {
      {"format", format_name}, {"version", format_version}, {"kedge", version()}, {"head", head.dump()}};
  file.tensors["training.points"] = matrix_tensor(s.index.points());
  file.tensors["training.outputs"] = matrix_tensor(s.training_outputs);
  std::vector<int32_t> pool;
  for (const Pair& pair : s.index.pool()) {
    pool.push_back(static_cast<int32_t>(pair.query));
    pool.push_back(static_cast<int32_t>(pair.anchor));
  }
  file.tensors["pool"] = make_tensor<int32_t>({s.index.pool().size(), 2}, pool);
  if (const std::vector<uint32_t>& anchors = s.index.differences().anchors; !anchors.empty())
    file.tensors["anchors"] =
        make_tensor<int32_t>({anchors.size()}, std::vector<int32_t>(anchors.begin(), anchors.end()));
  const auto scaling = [&](const std::string& name, const Standardizer& standardizer) {
    file.tensors["scaling." + name + ".mean"] = vector_tensor(standardizer.mean);
    file.tensors["scaling." + name + ".scale"] = vector_tensor(standardizer.scale);
  };
  scaling("point", s.encoder.point_scaling());
  scaling("delta", s.encoder.delta_scaling());
  scaling("output", s.encoder.output_scaling().standard);
  file.tensors["scaling.metric"] = vector_tensor(s.encoder.metric());
  std::vector<float> parameters;
  for (size_t r = 0; r < s.engine->replicas(); ++r) {
    const std::vector<float> one = s.engine->read(r);
    parameters.insert(parameters.end(), one.begin(), one.end());
  }
  file.tensors["parameters"] = make_tensor<float>({s.engine->replicas(), program().parameters()}, parameters);
  if (s.weights) {
    const std::vector<float> learned = s.weights->parameters();
    file.tensors["weights.parameters"] = make_tensor<float>({1, learned.size()}, learned);
  }
  return file;
}

void Predictor::save(const std::string& path) const {
  const std::string bytes = to_bytes();
  write_atomically(
      path, [&](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
}

Predictor Predictor::load(const std::string& path) { return from_bytes(read_file(path, "load"), path); }

Predictor Predictor::from_bytes(std::string_view bytes, const std::string& source) {
  return from_tensors(decode_safetensors(bytes, source));
}

Predictor Predictor::from_tensors(const TensorFile& file) {
  const Reader reader(file);
  const auto text = [&](const std::string& key) {
    const auto found = file.metadata.find(key);
    return found == file.metadata.end() ? std::string() : found->second;
  };
  if (text("format") == "kedge-policy")
    throw Error("load", fmt::format("{}: needs a model of a table, which kedge fit makes; found a policy; "
                                    "roll it out with kedge rollout",
                                    one_line(file.source)));
  if (text("format") != format_name) reader.bad("metadata needs the format kedge-model");
  if (text("version") != format_version)
    throw Error("load",
                fmt::format("{}: needs a model file of version {}; found version '{}'; load it with a newer "
                            "kedge",
                            one_line(file.source), format_version, one_line(text("version"))));
  require_intact(file);
  auto state = std::make_unique<State>();
  State& s = *state;
  s.written_by = text("kedge");
  Program program(0, 0);
  std::optional<Program> weights;
  StoredCoverage coverage;
  try {
    const Json head = Json::parse(text("head"));
    s.inputs = exactly<std::vector<std::string>>(head.at("inputs"), "inputs");
    s.outputs = exactly<std::vector<std::string>>(head.at("outputs"), "outputs");
    s.options = options_from_json(head.at("options").dump());
    program = Program::from_json(head.at("program").dump());
    const Json& loss = head.at("final_loss");
    if (!loss.is_null()) s.final_loss = exactly<double>(loss, "final_loss");
    if (is_trained(s.options)) s.trained_steps = s.options.training.steps;
    if (const Json* found = head.find("trained_steps"))
      s.trained_steps = exactly<uint64_t>(*found, "trained_steps");
    if (const Json* found = head.find("anchor_stretch"))
      s.anchor_stretch = exactly<double>(*found, "anchor_stretch");
    if (const Json* found = head.find("coverage")) coverage = coverage_from_json(found->dump());
    if (const Json* found = head.find("intake")) s.intake = intake_from_json(found->dump());
    if (const Json* found = head.find("weights")) weights = Program::from_json(found->dump());
  } catch (const JsonError& error) {
    reader.bad(fmt::format("the head is damaged ({})", error.fault()));
  } catch (const Error& error) {
    reader.bad(message_of(error));
  }
  require_names(reader, s.inputs, s.outputs);
  require_intake(reader, s.intake, s.inputs);
  const auto [space, output_space] = [&] {
    try {
      return Spaces::parse(s.options.space, s.inputs, s.outputs);
    } catch (const Error& error) {
      reader.bad(message_of(error));
    }
  }();
  if (program.features() != space.features() || program.outputs() != static_cast<int>(s.outputs.size()))
    reader.bad("columns and program do not fit together");

  if (s.trained_steps > (is_trained(s.options) ? s.options.training.steps : 0))
    reader.bad("it was trained for more steps than its options have");

  const bool weighs = s.options.weights.source != WeightSource::none;
  if (weights.has_value() != weighs || (!weighs && goes_by_weight(s.options.anchors.rule)) ||
      (weights && (weights->features() != space.features() || weights->outputs() != 1 ||
                   weights->reads(Input::query) || weights->reads(Input::anchor_output))))
    reader.bad("weights of pairs and options do not fit together");

  const size_t features = static_cast<size_t>(space.features());
  Matrix<double> points =
      reader.matrix<double>("training.points", 0, static_cast<size_t>(space.point_size()));
  if (points.rows() == 0) reader.bad("there are no training rows");
  s.training_outputs = reader.matrix<double>("training.outputs", points.rows(), s.outputs.size());
  const Matrix<int32_t> pairs = reader.matrix<int32_t>("pool", 0, 2);
  std::vector<Pair> pool;
  for (size_t p = 0; p < pairs.rows(); ++p) {
    for (size_t side = 0; side < 2; ++side) {
      if (pairs(p, side) < 0 || static_cast<size_t>(pairs(p, side)) >= points.rows())
        reader.bad(fmt::format("pool names training row {} of {}", pairs(p, side), points.rows()));
    }
    pool.push_back({static_cast<uint32_t>(pairs(p, 0)), static_cast<uint32_t>(pairs(p, 1))});
  }
  if (pool.empty()) reader.bad("the pool of differences is empty");
  std::vector<double> metric = reader.scales("scaling.metric", static_cast<size_t>(space.delta_size()));
  require_rotations(reader, space, metric, points);
  s.encoder = Encoder(space, reader.standardizer("point", features), reader.standardizer("delta", features),
                      {reader.standardizer("output", s.outputs.size()), output_space}, std::move(metric));
  std::vector<uint32_t> anchors = reader.anchors(points.rows());
  s.index = AnchorIndex(
      DifferencePool{space, std::move(points), s.encoder.metric(), std::move(pool), std::move(anchors)});
  s.support = Support(s.index.differences(), coverage.thresholds, std::move(coverage.delta_quantiles),
                      s.index.rows());
  s.errors = coverage.errors;
  s.encode_training_rows(s.index.points());

  if (program.parameters() == 0 && s.options.replicas > 1)
    reader.bad(fmt::format("a program without parameters needs one replica; found {}", s.options.replicas));
  const Matrix<float> parameters =
      reader.matrix<float>("parameters", s.options.replicas, program.parameters());
  std::vector<std::vector<float>> sets;
  for (size_t r = 0; r < parameters.rows(); ++r)
    sets.emplace_back(parameters.row(r).begin(), parameters.row(r).end());
  s.engine = make_engine(program, sets);
  if (weights) {
    const Matrix<float> learned = reader.matrix<float>("weights.parameters", 1, weights->parameters());
    s.weights = std::make_unique<PairWeights>(*weights, learned.values());
  }
  return Predictor(std::move(state));
}

}  // namespace kedge
