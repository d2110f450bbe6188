#include "cli/budget_words.h"

#include "kedge/core/format.h"

namespace kedge {

Json to_json(const BudgetPlan& plan) {
  Json trials = Json::array();
  for (const InsideError& trial : plan.trials)
    trials.push_back(Json{{"steps", trial.steps}, {"error", number_or_null(trial.error)}});
  const std::optional<double> twice = error_of_twice(plan.trials);
  return {{"seconds_planned", plan.seconds},
          {"trials", std::move(trials)},
          {"error_of_twice", twice ? Json(*twice) : Json()}};
}

std::string outlook_text(const BudgetPlan& plan) {
  const std::optional<double> twice = error_of_twice(plan.trials);
  if (!twice) return "";
  const double less = 100 * (1 - *twice);
  return less < 0.5
             ? "twice the time would hardly lower the error inside"
             : fmt::format("twice the time would lower the error inside by at most about {:.0f} %", less);
}

}  // namespace kedge
