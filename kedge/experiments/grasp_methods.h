#pragma once

// Rows and columns that the grasp tables share.

#include <string>
#include <vector>

#include "kedge/experiments/result.h"
#include "kedge/jobs/fit_job.h"

namespace kedge {

/// A method as the paper's columns name it, and ours that it has not.
struct GraspMethod {
  std::string column, model;
  bool published = true;
};

/// The published ones first, in the paper's order.
const std::vector<GraspMethod>& grasp_methods();

/// Whether it is trained, and so has a size.
bool is_trained(const GraspMethod& method);

/// A row of a table.
struct GraspRowSpec {
  std::string row, domain;
  std::vector<Measured> published;  ///< of the published columns, in order
};

struct GraspColumn {
  std::string name, preset;
};

/// Two cells, in and out of support; `place` is the column's among the published ones.
void add_cells(const GraspRowSpec& row, size_t place, const GraspColumn& column, const FitScores& scores,
               Result& result);

}  // namespace kedge
