#pragma once

// What is said of a fit that had a budget.

#include <string>

#include "kedge/core/json.h"
#include "kedge/trials/budget.h"

namespace kedge {

Json to_json(const BudgetPlan& plan);

/// What twice the time would buy; empty where no trial tells.
std::string outlook_text(const BudgetPlan& plan);

}  // namespace kedge
