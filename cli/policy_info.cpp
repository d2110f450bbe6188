#include "cli/policy_info.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/output.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/imitation/info.h"

namespace kedge {
namespace {

/// "goal_x 0 to 0.3, goal_y 0.5 to 0.7"
std::string ranges_text(const Policy& policy) {
  const Matrix<double>& goals = policy.goals();
  std::vector<std::string> ranges;
  for (size_t g = 0; g < goals.cols(); ++g) {
    double low = goals(0, g), high = low;
    for (size_t e = 0; e < goals.rows(); ++e) {
      low = std::min(low, goals(e, g));
      high = std::max(high, goals(e, g));
    }
    ranges.push_back(fmt::format("{} {:.4g} to {:.4g}", policy.columns().goals[g], low, high));
  }
  return fmt::format("{}", fmt::join(ranges, ", "));
}

using Facts = std::vector<std::pair<std::string, std::string>>;

void add_network(const Policy& policy, Facts& facts) {
  const Predictor& predictor = *policy.predictor();
  const FitOptions& fit = policy.options().fit;
  facts.emplace_back("parameters",
                     fmt::format("{}{}", predictor.program().parameters(),
                                 fit.replicas > 1 ? fmt::format(" x {} replicas", fit.replicas) : ""));
  if (!find_model(predictor.options().model).is_trained()) return;
  const Architecture& a = fit.architecture;
  facts.emplace_back("networks", fmt::format("{} layers, width {}, embedding {}, fourier {}", a.layers,
                                             a.width, a.embedding, a.fourier == Fourier::on ? "on" : "off"));
  facts.emplace_back(
      "training", fmt::format("{} steps of {} pairs, learning rate {} {}, loss {}", predictor.trained_steps(),
                              fit.training.batch, fit.training.adam.learning_rate,
                              fit.training.adam.schedule == Schedule::cosine ? "cosine" : "constant",
                              fit.training.loss == Loss::l2 ? "l2" : "mse"));
  if (const std::string stopped = stopped_text(predictor); !stopped.empty())
    facts.emplace_back("steps", stopped);
  facts.emplace_back("final loss", fmt::format("{:.6g}", predictor.final_loss()));
  facts.emplace_back("seed", std::to_string(fit.seed));
}

}  // namespace

std::string thresholds_text(const Thresholds& thresholds, const std::string& things) {
  if (!thresholds.is_usable()) return fmt::format("unknown: too few different {}", things);
  return fmt::format("support radius {:.4g}, delta radius {:.4g}, edge factor {:g}",
                     thresholds.support_radius, thresholds.delta_radius, thresholds.edge_factor);
}

std::string stopped_text(const Predictor& predictor) {
  const uint64_t planned = predictor.options().training.steps;
  const bool stopped =
      find_model(predictor.options().model).is_trained() && predictor.trained_steps() < planned;
  return stopped ? fmt::format("{} of {} (stopped)", predictor.trained_steps(), planned) : "";
}

std::string policy_text(const Policy& policy, const PolicyFile& file) {
  const PolicyOptions& options = policy.options();
  const StoredCoverage coverage = policy.coverage();
  Facts facts = {
      {"policy", fmt::format("{} ({} preset): {}", options.model, options.fit.preset,
                             find_policy_model(options.model).title)},
      {"learned from", fmt::format("{} demonstrations of {} steps", policy.demonstrations(), policy.steps())},
      {"observations", fmt::format("{}", fmt::join(policy.columns().observations, ", "))},
      {"actions", fmt::format("{}", fmt::join(policy.columns().actions, ", "))},
      {"goals", ranges_text(policy)}};
  if (policy.predictor()) add_network(policy, facts);
  facts.emplace_back("anchors", to_text(policy.anchor_rule()));
  facts.emplace_back("thresholds", thresholds_text(coverage.thresholds, "demonstrations"));
  facts.emplace_back("expected error", coverage.errors.is_known() ? "of actions, learned on held-out episodes"
                                       : options.fit.calibration == Calibration::none
                                           ? "unknown: not asked for"
                                           : "unknown: too few demonstrations, or the training was stopped");
  facts.emplace_back("file", fmt::format("{} bytes, written by kedge {}", file.bytes, policy.written_by()));
  return one_line(file.name) + "\n" + fact_lines(facts);
}

std::string policy_json(const Policy& policy, const PolicyFile& file) {
  Json json = policy_json(policy);
  json["file"] = file.name;
  json["bytes"] = file.bytes;
  return json.dump(JsonText::replaced) + "\n";
}

}  // namespace kedge
