#pragma once

// What 'kedge fit --html' shows: how well a model fits inside of its rows, what its rehearsals showed
// outside, how far it reaches, and what to do next.

#include <string>
#include <vector>

#include "kedge/predictor/fit.h"
#include "kedge/report/page.h"
#include "kedge/table/table.h"

namespace kedge {

/// Where a fit comes from, as the page tells it.
struct FitSource {
  std::string train, model;  ///< names of files
  std::string command;
};

/// `table` is what was fitted.
Page fit_page(const FitResult& result, const Table& table, const FitSource& source);

}  // namespace kedge
