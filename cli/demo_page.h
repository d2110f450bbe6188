#pragma once

// What 'kedge demo' shows: a table, a page that leads with the first picture, and JSON.

#include <string>
#include <vector>

#include "cli/demo_contest.h"
#include "kedge/core/json.h"
#include "kedge/report/page.h"
#include "kedge/report/tables.h"

namespace kedge {

/// Errors by domain and model, the least outside in bold.
TextTable demo_table(const std::vector<DemoScores>& scores);

/// The truth and the drawn models over the input, from the first seed.
Chart demo_chart(const char* domain, const JobResults& results);

/// `provenance` names the seeds.
Page demo_page(const JobResults& results, const std::vector<DemoScores>& scores, Provenance provenance);

/// It names the page without its folders, which are those of a machine. An empty path: there is no page.
Json demo_json(const std::vector<DemoScores>& scores, const Provenance& provenance, double seconds,
               const std::string& page);

}  // namespace kedge
