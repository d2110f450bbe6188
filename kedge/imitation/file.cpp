// The policy file: safetensors with a JSON head. Version 1 is
//
//   metadata  format "kedge-policy"; version "1"; kedge, the writer's version; head, JSON of observations,
//             actions, goals, steps, options and coverage; checksum, which older files do not have
//   tensors   goals f64 [demonstrations, goals]; ridge f64, only of the model ridge-by-step
//   both      of all other models those of a model file, their names behind "predictor/"
//
// A file of a later version is refused; files of this version load for ever.

#include <algorithm>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/message_of.h"
#include "kedge/core/safetensors.h"
#include "kedge/imitation/state.h"
#include "kedge/table/standardizer.h"

namespace kedge {
namespace {

constexpr const char* format_name = "kedge-policy";
constexpr const char* format_version = "1";
constexpr std::string_view prefix = "predictor/";

std::string of_predictor(const std::string& name) { return fmt::format("{}{}", prefix, name); }

Tensor tensor_of(const Matrix<double>& matrix) {
  return make_tensor<double>({matrix.rows(), matrix.cols()}, matrix.values());
}

/// The part of a file that is a predictor's.
TensorFile predictor_part(const TensorFile& file) {
  TensorFile part;
  part.source = file.source;
  for (const auto& [name, text] : file.metadata)
    if (name.starts_with(prefix)) part.metadata[name.substr(prefix.size())] = text;
  for (const auto& [name, tensor] : file.tensors)
    if (name.starts_with(prefix)) part.tensors[name.substr(prefix.size())] = tensor;
  return part;
}

[[noreturn]] void bad(const TensorFile& file, const std::string& why) {
  throw Error("load", fmt::format("{}: {}; the file is damaged or not a kedge policy", one_line(file.source),
                                  one_line(why)));
}

Matrix<double> finite_matrix(const TensorFile& file, const std::string& name, size_t cols) {
  const std::vector<size_t>& shape = file.at(name).shape;
  if (shape.size() != 2 || shape[1] != cols) bad(file, fmt::format("tensor {} needs {} columns", name, cols));
  Matrix<double> matrix(shape[0], shape[1], file.values<double>(name));
  for (double x : matrix.values())
    if (!std::isfinite(x)) bad(file, fmt::format("tensor {} needs finite numbers; found {}", name, x));
  return matrix;
}

/// Columns that are lawful, as Demonstrations knows them.
void require_lawful(const TensorFile& file, const EpisodeColumns& columns) {
  try {
    Demonstrations(columns, "the head");
  } catch (const Error& error) {
    bad(file, message_of(error));
  }
}

}  // namespace

std::string Policy::to_bytes() const {
  const State& s = *state_;
  TensorFile file;
  if (s.predictor) {
    const TensorFile part = s.predictor->to_tensors();  // without a checksum: the file's covers it
    for (const auto& [name, text] : part.metadata) file.metadata[of_predictor(name)] = text;
    for (const auto& [name, tensor] : part.tensors) file.tensors[of_predictor(name)] = tensor;
  }
  if (s.ridge) file.tensors["ridge"] = tensor_of(s.ridge->coefficients());
  file.tensors["goals"] = tensor_of(goals());
  const Json head{{"observations", s.columns.observations},
                  {"actions", s.columns.actions},
                  {"goals", s.columns.goals},
                  {"steps", s.steps},
                  {"options", Json::parse(to_json(s.options))},
                  {"coverage", Json::parse(to_json(s.goals.coverage()))}};
  file.metadata.insert(
      {{"format", format_name}, {"version", format_version}, {"kedge", version()}, {"head", head.dump()}});
  seal(file);
  return encode_safetensors(file);
}

void Policy::save(const std::string& path) const {
  const std::string bytes = to_bytes();
  write_atomically(
      path, [&](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
}

Policy Policy::load(const std::string& path) { return from_bytes(read_file(path, "load"), path); }

Policy Policy::from_bytes(std::string_view bytes, const std::string& source) {
  const TensorFile file = decode_safetensors(bytes, source);
  const auto text = [&](const std::string& key) {
    const auto found = file.metadata.find(key);
    return found == file.metadata.end() ? std::string() : found->second;
  };
  if (text("format") == "kedge-model")
    throw Error("load",
                fmt::format("{}: needs a policy, which kedge imitate makes; found a model of a table; "
                            "kedge predict answers with it",
                            one_line(source)));
  if (text("format") != format_name) bad(file, "metadata needs the format kedge-policy");
  if (text("version") != format_version)
    throw Error("load",
                fmt::format("{}: needs a policy file of version {}; found version '{}'; load it with a "
                            "newer kedge",
                            one_line(source), format_version, one_line(text("version"))));
  require_intact(file);
  auto state = std::make_unique<State>();
  State& s = *state;
  s.written_by = text("kedge");
  StoredCoverage coverage;
  try {
    const Json head = Json::parse(text("head"));
    s.columns.observations = exactly<std::vector<std::string>>(head.at("observations"), "observations");
    s.columns.actions = exactly<std::vector<std::string>>(head.at("actions"), "actions");
    s.columns.goals = exactly<std::vector<std::string>>(head.at("goals"), "goals");
    s.steps = exactly<size_t>(head.at("steps"), "steps");
    s.options = policy_options_from_json(head.at("options").dump());
    coverage = coverage_from_json(head.at("coverage").dump());
  } catch (const JsonError& error) {
    bad(file, fmt::format("the head is damaged ({})", error.fault()));
  } catch (const Error& error) {
    bad(file, message_of(error));
  }
  require_lawful(file, s.columns);
  if (s.steps == 0) bad(file, "there are no steps");
  Matrix<double> goals = finite_matrix(file, "goals", s.columns.goals.size());
  const size_t demonstrations = goals.rows(), inputs = s.columns.observations.size();
  if (demonstrations < 2) bad(file, "there are no two demonstrations");
  const PolicyModel& model = find_policy_model(s.options.model);
  if (model.fit.empty()) {
    Matrix<double> ridge = finite_matrix(file, "ridge", s.columns.actions.size());
    if (ridge.rows() / (inputs + 1) != s.steps || ridge.rows() % (inputs + 1) != 0)
      bad(file, "tensor ridge and steps do not fit together");
    s.ridge.emplace(std::move(ridge), s.steps);
  } else {
    s.predictor = std::make_shared<const Predictor>(Predictor::from_tensors(predictor_part(file)));
    if (s.predictor->inputs().size() != inputs + (model.reads_time ? 1 : 0) ||
        s.predictor->outputs().size() != s.columns.actions.size() ||
        s.predictor->options().model != model.fit ||
        s.predictor->training_rows() / s.steps != demonstrations ||
        s.predictor->training_rows() % s.steps != 0)
      bad(file, "network and demonstrations do not fit together");
  }
  const AnchorRule rule = s.rule().rule;
  if (s.predictor && s.predictor->program().uses_anchor() &&
      (rule == AnchorRule::none || rule == AnchorRule::given))
    bad(file, "the network reads an anchor and no rule finds one");
  for (double scale : Standardizer::fit(goals).scale)
    if (!std::isfinite(scale)) bad(file, "tensor goals needs numbers whose squares can be computed");
  s.goals = GoalIndex(std::move(goals), s.columns.goals, goal_options(s.options), coverage);
  return Policy(std::move(state));
}

}  // namespace kedge
