#include "cli/budget_words.h"

#include "kedge/core/format.h"

namespace kedge {

std::string outlook_text(const BudgetPlan& plan) {
  const std::optional<double> twice = error_of_twice(plan.trials);
  if (!twice) return "";
  const double less = 100 * (1 - *twice);
  return less < 0.5
             ? "twice the time would hardly lower the error inside"
             : fmt::format("twice the time would lower the error inside by at most about {:.0f} %", less);
}

}  // namespace kedge
