#pragma once

// What 'kedge demo' shows: a table, and a page that leads with the first picture.

#include <vector>

#include "cli/demo_contest.h"
#include "kedge/report/page.h"
#include "kedge/report/tables.h"

namespace kedge {

/// Errors by domain and model, the least outside in bold.
TextTable demo_table(const std::vector<DemoScores>& scores);

/// The truth and the drawn models over the input, from the first seed.
Chart demo_chart(const char* domain, const JobResults& results);

/// `provenance` names the seeds.
Page demo_page(const JobResults& results, const std::vector<DemoScores>& scores, Provenance provenance);

}  // namespace kedge
