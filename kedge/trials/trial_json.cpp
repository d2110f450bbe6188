#include "kedge/trials/trial_json.h"

#include "kedge/predictor/info.h"

namespace kedge {
namespace {

/// Which shells a number is of.
enum class Of { inputs, outputs, all };

Json numbers(const ModelScore& score, Of of, const Estimate& estimate, double ShellScore::*number) {
  Json by_shell = Json::object();
  for (const ShellScore& shell : score.shells)
    if (of == Of::all || is_of_outputs(shell.shell) == (of == Of::outputs))
      by_shell[to_text(shell.shell)] = number_or_null(shell.*number);
  return {{"mean", number_or_null(estimate.mean)},
          {"sd", number_or_null(estimate.deviation)},
          {"by_shell", std::move(by_shell)}};
}

/// Of a model that is trained, what `tell` says of each shell's trial.
template <class Tell>
Json trial_json(const ModelScore& score, const Tell& tell) {
  if (!find_model(score.model()).is_trained()) return nullptr;
  Json by_shell = Json::object();
  for (const ShellScore& shell : score.shells)
    by_shell[to_text(shell.shell)] = shell.failure.empty() ? Json(tell(shell)) : Json();
  return {{"by_shell", std::move(by_shell)}};
}

}  // namespace

const char* kind_of(Carries carries) {
  switch (carries) {
    case Carries::over:
      return "carries-over";
    case Carries::not_over:
      return "does-not-carry-over";
    case Carries::unexplained:
      return "explains-little";
    case Carries::unknown:
      return "unknown";
  }
  return "";
}

Json to_json(const ModelScore& score) {
  Json json{{"model", score.name()},
            {"in_support", numbers(score, Of::all, score.in, &ShellScore::in)},
            {"out_of_support", numbers(score, Of::inputs, score.out, &ShellScore::out)},
            {"rank_correlation", numbers(score, Of::inputs, score.rank, &ShellScore::rank)},
            {"beyond_outputs", numbers(score, Of::outputs, score.beyond, &ShellScore::out)},
            {"beyond_rank_correlation", numbers(score, Of::outputs, score.beyond_rank, &ShellScore::rank)},
            {"beyond_found", numbers(score, Of::outputs, score.found, &ShellScore::found)},
            {"anchors", to_text(score.options.anchors)},
            {"inside_anchors",
             score.options.inside_anchors ? Json(to_text(*score.options.inside_anchors)) : Json()},
            {"share", score.options.share},
            {"outward", to_text(score.options.outward)},
            {"carries", kind_of(carries(score))},
            {"fourier",
             trial_json(score,
                        [](const ShellScore& shell) { return shell.fourier == Fourier::on ? "on" : "off"; })},
            {"trained_on",
             trial_json(score, [](const ShellScore& shell) { return device_json(shell.trained_on); })}};
  json["failure"] = score.failure.empty() ? Json() : Json(score.failure);
  return json;
}

Json to_json(const Recommendation& recommendation) {
  return {{"model", recommendation.model},
          {"kind", kind_of(recommendation.carries)},
          {"extrapolates", recommendation.carries == Carries::over},
          {"reason", recommendation.reason}};
}

Json to_json(const BudgetPlan& plan) {
  Json trials = Json::array();
  for (const InsideError& trial : plan.trials)
    trials.push_back(Json{{"steps", trial.steps}, {"error", number_or_null(trial.error)}});
  const std::optional<double> twice = error_of_twice(plan.trials);
  return {{"seconds_planned", plan.seconds},
          {"trials", std::move(trials)},
          {"error_of_twice", twice ? Json(*twice) : Json()}};
}

Json fit_json(const FitResult& result, const std::optional<CrossValidation>& choice,
              const std::optional<BudgetPlan>& plan) {
  const Predictor& predictor = result.predictor;
  const FitOptions& options = predictor.options();
  const bool stopped = result.outcome.status == TrainStatus::stopped || result.calibration_stopped;
  Json json{{"status", stopped ? "stopped" : "finished"},
            {"model", options.model},
            {"preset", options.preset},
            {"rows", predictor.training_rows()},
            {"anchor_rows", predictor.anchor_rows()},
            {"anchor_stretch", anchor_stretch_json(predictor)},
            {"inputs", predictor.inputs()},
            {"outputs", predictor.outputs()},
            {"parameters", predictor.program().parameters()},
            {"replicas", options.replicas},
            {"seed", options.seed},
            {"steps", nullptr},
            {"steps_planned", nullptr},
            {"final_loss", nullptr},
            {"training_error", nullptr},
            {"constant_error", nullptr},
            {"trained_on", device_json(result.trained_on)}};
  if (find_model(options.model).is_trained()) {
    json["steps"] = result.outcome.steps;
    json["steps_planned"] = options.training.steps;
    json["final_loss"] = predictor.final_loss();
  }
  if (const auto& errors = result.training_errors) {
    json["training_error"] = number_or_null(errors->model);
    json["constant_error"] = errors->constant;
  }
  if (const auto& validation = result.validation)
    json["validation"] = Json{{"error", number_or_null(validation->error)}, {"step", validation->step}};
  if (plan) json["budget"] = to_json(*plan);
  if (choice) {
    json["chosen"] = to_json(choice->recommendation);
    Json& scores = json["chosen"]["scores"] = Json::array();
    for (const ModelScore& score : choice->models) scores.push_back(to_json(score));
  }
  return json;
}

Json to_json(const Diagnosis& d, const StoredCoverage& coverage) {
  Json verdicts = Json::array(), columns = Json::array();
  for (const VerdictSummary& s : d.verdicts) {
    const GroupErrors errors = errors_of(d, s.verdict);
    verdicts.push_back({{"verdict", to_text(s.verdict)},
                        {"queries", s.count},
                        {"expected_error", number_or_null(s.expected_error)},
                        {"true_error", number_or_null(s.error)},
                        {"rmse", number_or_null(errors.rmse)},
                        {"r_squared", number_or_null(errors.r_squared)},
                        {"spread", number_or_null(s.spread)},
                        {"support_distance", number_or_null(s.support_distance)},
                        {"delta_distance", number_or_null(s.delta_distance)}});
  }
  for (const ColumnRange& c : d.columns)
    columns.push_back({{"name", c.name},
                       {"training", Json::array({c.training_low, c.training_high})},
                       {"queries", Json::array({number_or_null(c.query_low), number_or_null(c.query_high)})},
                       {"outside", c.outside},
                       {"furthest", c.furthest},
                       {"furthest_relative", number_or_null(c.furthest_relative)}});
  return {{"rows", d.predictions.rows() + d.unanswered},
          {"unanswered", d.unanswered},
          {"verdicts", std::move(verdicts)},
          {"columns", std::move(columns)},
          {"combinations", d.combinations},
          {"beyond_outputs", d.beyond_outputs},
          {"rank_correlation", number_or_null(d.rank_correlation)},
          {"top_share", number_or_null(d.top_share)},
          {"coverage", Json::parse(to_json(coverage))}};
}

}  // namespace kedge
