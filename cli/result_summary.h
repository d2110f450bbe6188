#pragma once

// What results of experiments come to: how many of their cells agree with what was published.

#include <string>
#include <vector>

#include "kedge/experiments/result.h"
#include "kedge/report/page.h"
#include "kedge/report/tables.h"

namespace kedge {

/// "lower" is better and "higher" worse, since what is published are errors.
Emphasis emphasis_of_agreement(const Cell& cell);

/// Agreement in one sentence; empty where nothing was published.
std::string agreement_sentence(const std::vector<Result>& results);

/// Cells that agree, are better and are worse, by result, and the worst of them all; without parts where
/// nothing was published.
Section agreement_section(const std::vector<Result>& results);

/// "out of support", "in support", or the split itself; with the preset where there is one.
std::string split_text(const Cell& cell);

}  // namespace kedge
