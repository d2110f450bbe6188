#include "kedge/experiments/fit_job.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "kedge/core/error.h"
#include "kedge/domains/domain.h"
#include "kedge/experiments/score.h"
#include "kedge/predictor.h"

namespace kedge {
namespace {

using Json = nlohmann::ordered_json;

/// Norm over outputs of their deviations.
double deviation_of(const Matrix<double>& outputs) {
  double squares = 0;
  for (size_t k = 0; k < outputs.cols(); ++k) {
    std::vector<double> column;
    for (size_t r = 0; r < outputs.rows(); ++r) column.push_back(outputs(r, k));
    squares += deviation(column) * deviation(column);
  }
  return std::sqrt(squares);
}

Json scores_json(const Predictor& predictor, const FitSpec& spec) {
  const PredictOptions alone{.threads = 1};
  Json json;
  for (const Split split : {Split::in, Split::oos}) {
    const Table queries = find_domain(spec.domain).sample(split, spec.test_rows, spec.options.seed);
    const Predictions predicted = predictor.predict(queries, alone);
    const Matrix<double> truth = queries.matrix(predicted.outputs);
    const std::string name = split == Split::in ? "in" : "oos";
    json[name] = distances(predicted.y, truth);
    json[name + "_deviation"] = deviation_of(truth);
  }
  if (!spec.grid.empty()) {
    const Predictions curve = predictor.predict(Matrix<double>(spec.grid.size(), 1, spec.grid), alone);
    json["grid"] = curve.y.values();
  }
  return json;
}

}  // namespace

Job fit_job(const FitSpec& spec) {
  const Json key{{"job", "fit"},
                 {"domain", spec.domain},
                 {"train_rows", spec.train_rows},
                 {"test_rows", spec.test_rows},
                 {"grid", spec.grid},
                 {"options", Json::parse(to_json(spec.options))},
                 {"version", version()}};
  return {key.dump(), [spec](const std::function<bool()>& stopped) {
            const Table rows =
                find_domain(spec.domain).sample(Split::train, spec.train_rows, spec.options.seed);
            TrainOutcome outcome;
            const Predictor predictor = Predictor::fit(
                rows, spec.options, [&](const Progress&) { return !stopped(); }, &outcome, 1);
            if (stopped()) return std::string("{}");
            if (outcome.status == TrainStatus::diverged)
              throw Error("reproduce", fmt::format("training of {} on {} diverged after step {}",
                                                   spec.options.model, spec.domain, outcome.steps));
            return scores_json(predictor, spec).dump();
          }};
}

FitScores scores_of(const std::string& result) {
  const Json json = Json::parse(result);
  FitScores scores{.in = json.at("in"),
                   .oos = json.at("oos"),
                   .in_deviation = json.at("in_deviation"),
                   .oos_deviation = json.at("oos_deviation"),
                   .grid = {}};
  if (json.contains("grid")) scores.grid = json.at("grid").get<std::vector<double>>();
  return scores;
}

FitOptions experiment_options(const std::string& preset, const std::string& model, uint64_t seed) {
  FitOptions options = preset_options(preset, model);
  options.calibration = Calibration::none;
  options.seed = seed;
  return options;
}

}  // namespace kedge
