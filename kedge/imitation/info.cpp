#include "kedge/imitation/info.h"

#include "kedge/predictor/info.h"

namespace kedge {
namespace {

Json parameters_json(const Policy& policy) {
  return policy.predictor() ? Json(policy.predictor()->program().parameters()) : Json();
}

}  // namespace

Json policy_json(const Policy& policy) {
  const Predictor* predictor = policy.predictor();
  return {{"kedge", policy.written_by()},
          {"kind", "policy"},
          {"model", policy.options().model},
          {"demonstrations", policy.demonstrations()},
          {"episode_steps", policy.steps()},
          {"observations", policy.columns().observations},
          {"actions", policy.columns().actions},
          {"goals", policy.columns().goals},
          {"parameters", parameters_json(policy)},
          {"trained_steps", predictor ? trained_steps_json(*predictor) : Json()},
          {"final_loss", predictor ? number_or_null(predictor->final_loss()) : Json()},
          {"anchors", to_text(policy.anchor_rule())},
          {"options", Json::parse(to_json(policy.options()))},
          {"coverage", Json::parse(to_json(policy.coverage()))}};
}

Json imitation_json(const ImitationResult& result) {
  const Policy& policy = result.policy;
  const PolicyOptions& options = policy.options();
  const bool stopped = result.outcome.status == TrainStatus::stopped || result.calibration_stopped;
  Json json{{"status", stopped ? "stopped" : "finished"},
            {"model", options.model},
            {"preset", options.fit.preset},
            {"demonstrations", policy.demonstrations()},
            {"episode_steps", policy.steps()},
            {"observations", policy.columns().observations},
            {"actions", policy.columns().actions},
            {"goals", policy.columns().goals},
            {"parameters", policy.predictor() ? policy.predictor()->program().parameters() : 0},
            {"replicas", options.fit.replicas},
            {"seed", options.fit.seed},
            {"steps", nullptr},
            {"steps_planned", nullptr},
            {"final_loss", nullptr},
            {"training_error", nullptr},
            {"constant_error", nullptr},
            {"trained_on", device_json(result.trained_on)}};
  if (find_policy_model(options.model).is_trained()) {
    json["steps"] = result.outcome.steps;
    json["steps_planned"] = training_steps(options, policy.demonstrations());
    json["final_loss"] = policy.predictor()->final_loss();
  }
  if (const auto& errors = result.training_errors) {
    json["training_error"] = number_or_null(errors->model);
    json["constant_error"] = errors->constant;
  }
  return json;
}

Json to_json(std::span<const GoalAnswer> answers) {
  Json list = Json::array();
  for (const GoalAnswer& answer : answers)
    list.push_back({{"anchors", answer.anchors},
                    {"analog", Json::array({answer.analog.query, answer.analog.anchor})},
                    {"support_distance", number_or_null(answer.support_distance)},
                    {"delta_distance", number_or_null(answer.delta_distance)},
                    {"expected_error", number_or_null(answer.expected_error)},
                    {"verdict", to_text(answer.verdict)}});
  return list;
}

}  // namespace kedge
