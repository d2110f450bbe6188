#include "kedge/jobs/fit_job.h"

#include <algorithm>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/score.h"
#include "kedge/domains/analytic/analytic.h"
#include "kedge/domains/domain.h"
#include "kedge/domains/example_pairs.h"
#include "kedge/predictor/predictor.h"
#include "kedge/predictor/workload.h"

namespace kedge {
namespace {

std::vector<double> column_of(const Matrix<double>& matrix, size_t k) {
  std::vector<double> column;
  for (size_t r = 0; r < matrix.rows(); ++r) column.push_back(matrix(r, k));
  return column;
}

/// Norm over outputs of their deviations.
double deviation_of(const Matrix<double>& outputs) {
  double squares = 0;
  for (size_t k = 0; k < outputs.cols(); ++k) {
    const double one = deviation(column_of(outputs, k));
    squares += one * one;
  }
  return std::sqrt(squares);
}

Domain domain_of(const FitSpec& spec) {
  if (!spec.train_range) return find_domain(spec.domain);
  AnalyticFunction function = find_function(spec.domain);
  const auto [low, high] = *spec.train_range;
  function.train_low = low;
  function.train_high = high;
  function.oos_low = low - (high - low) / 2;
  function.oos_high = high + (high - low) / 2;
  return analytic_domain(function);
}

std::string answer(const Predictor& predictor, const FitSpec& spec) {
  const PredictOptions alone{.threads = 1};
  const Domain domain = domain_of(spec);
  Json json;
  for (const Split split : {Split::in, Split::oos}) {
    const Table queries = domain.sample(split, spec.test_rows, spec.options.seed);
    const Predictions predicted = predictor.predict(queries, alone);
    const Matrix<double> truth = queries.matrix(predicted.outputs);
    const std::string name = split == Split::in ? "in" : "oos";
    const std::vector<double> errors = distances(predicted.y, truth);
    if (!all_finite(errors)) return failed_result("predictions are not finite");
    json[name] = errors;
    json[name + "_deviation"] = deviation_of(truth);
    if (split == Split::oos && spec.keep_predictions) json["oos_y"] = predicted.y.values();
  }
  if (!spec.grid.empty()) {
    const Predictions curve = predictor.predict(Matrix<double>(spec.grid.size(), 1, spec.grid), alone);
    if (!all_finite(curve.y.values())) return failed_result("predictions are not finite");
    json["grid"] = curve.y.values();
  }
  return json.dump();
}

PairExamples examples_of(const Table& rows, const FitSpec& spec) {
  PairExamples examples;
  if (spec.example_pairs == 0) return examples;
  const ExamplePairOptions options{
      .positive = spec.example_pairs, .negative = spec.example_pairs, .seed = spec.options.seed};
  for (const ExamplePair& pair : example_pairs(rows, options)) {
    examples.pairs.push_back({static_cast<uint32_t>(pair.query), static_cast<uint32_t>(pair.anchor)});
    examples.weights.push_back(static_cast<float>(pair.related));
  }
  return examples;
}

/// Tables of grasps and tiles take seconds to make. A few rows tell all that an estimate needs of them.
Table few_rows(const FitSpec& spec) {
  constexpr size_t few = 32;
  return domain_of(spec).sample(Split::train, std::min(few, spec.train_rows), spec.options.seed);
}

double estimated_work(const FitSpec& spec) {
  const Table rows = few_rows(spec);
  FitRequest request{rows, spec.options};
  request.options.training.steps = training_steps(spec.options, spec.train_rows);
  request.options.epochs = 0;
  const double fitting = fit_load(request).work, all = fit_loads(request).total().work;
  return fit_load(request, spec.train_rows).work * (fitting > 0 ? all / fitting : 1);
}

}  // namespace

Fit fit_of(const FitSpec& spec) {
  Json key{{"job", "fit"},
           {"domain", spec.domain},
           {"train_rows", spec.train_rows},
           {"options", Json::parse(to_json(spec.options))}};
  if (spec.train_range) key["train_range"] = Json::array({(*spec.train_range)[0], (*spec.train_range)[1]});
  if (spec.example_pairs > 0) key["example_pairs"] = spec.example_pairs;
  return {.key = key.dump(),
          .source =
              [spec] {
                Table rows = domain_of(spec).sample(Split::train, spec.train_rows, spec.options.seed);
                PairExamples examples = examples_of(rows, spec);
                return Fit::Source{std::move(rows), spec.options, std::move(examples)};
              },
          .work = [spec] { return estimated_work(spec); },
          .program =
              [spec] {
                return program_text({few_rows(spec), spec.options});
              }};
}

Job fit_job(const FitSpec& spec) {
  Fit fit = fit_of(spec);
  Json key{
      {"job", "scores"}, {"fit", Json::parse(fit.key)}, {"test_rows", spec.test_rows}, {"grid", spec.grid}};
  if (spec.keep_predictions) key["keep_predictions"] = true;
  return {.key = key.dump(),
          .fit = std::move(fit),
          .ask = [spec](const Predictor& predictor, const std::function<bool()>&) {
            return answer(predictor, spec);
          }};
}

FitScores scores_from_json(const std::string& text) {
  if (is_failed(text)) {
    FitScores none;
    none.failed = 1;
    return none;
  }
  const Json json = Json::parse(text);
  FitScores scores{.failed = 0,
                   .in = exactly<std::vector<double>>(json.at("in"), "in"),
                   .oos = exactly<std::vector<double>>(json.at("oos"), "oos"),
                   .in_deviation = exactly<double>(json.at("in_deviation"), "in_deviation"),
                   .oos_deviation = exactly<double>(json.at("oos_deviation"), "oos_deviation"),
                   .grid = {},
                   .oos_y = {}};
  if (const Json* found = json.find("oos_y")) scores.oos_y = exactly<std::vector<double>>(*found, "oos_y");
  if (const Json* found = json.find("grid")) scores.grid = exactly<std::vector<double>>(*found, "grid");
  return scores;
}

FitScores scores_of(const FitSpec& fit, const JobResults& results) {
  return scores_from_json(results.of(fit_job(fit)));
}

FitScores training_mean_scores(const FitSpec& spec) {
  const auto truth = [&](Split split, size_t rows) {
    const Table table = domain_of(spec).sample(split, rows, spec.options.seed);
    return table.matrix(table.names(Role::output));
  };
  const Matrix<double> train = truth(Split::train, spec.train_rows);
  const auto errors = [&](const Matrix<double>& y) {
    Matrix<double> predicted(y.rows(), y.cols());
    for (size_t k = 0; k < y.cols(); ++k) {
      const double constant = mean(column_of(train, k));
      for (size_t r = 0; r < y.rows(); ++r) predicted(r, k) = constant;
    }
    return distances(predicted.view(), y.view());
  };
  const Matrix<double> in = truth(Split::in, spec.test_rows), oos = truth(Split::oos, spec.test_rows);
  return {.failed = 0,
          .in = errors(in),
          .oos = errors(oos),
          .in_deviation = deviation_of(in),
          .oos_deviation = deviation_of(oos),
          .grid = {},
          .oos_y = {}};
}

std::vector<Job> fit_jobs(const std::vector<FitSpec>& fits) {
  std::vector<Job> jobs;
  for (const FitSpec& fit : fits) jobs.push_back(fit_job(fit));
  return jobs;
}

double FitScores::in_error() const { return root_mean_square(in) / in_deviation; }
double FitScores::oos_error() const { return root_mean_square(oos) / oos_deviation; }

void FitScores::add(const FitScores& other) {
  failed += other.failed;
  in.insert(in.end(), other.in.begin(), other.in.end());
  oos.insert(oos.end(), other.oos.begin(), other.oos.end());
}

FitScores joined(const std::vector<FitSpec>& fits, const JobResults& results) {
  FitScores all;
  for (const FitSpec& fit : fits) all.add(scores_of(fit, results));
  return all;
}

FitOptions experiment_options(const std::string& domain, const std::string& preset, const std::string& model,
                              uint64_t seed) {
  FitOptions options = preset_options(preset, model);
  if (options.inputs == Scaling::standard) options.same_unit = find_domain(domain).same_unit;
  options.space = find_domain(domain).space;
  options.calibration = Calibration::none;
  options.seed = seed;
  return options;
}

}  // namespace kedge
