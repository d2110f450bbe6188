#pragma once

// What is said of a fit that had a budget.

#include <string>

#include "kedge/trials/budget.h"

namespace kedge {

/// What twice the time would buy; empty where no trial tells.
std::string outlook_text(const BudgetPlan& plan);

}  // namespace kedge
