#pragma once

// What a table and options must be like to be fitted, each fault with its own words; and the sampler and the
// program that follow from them.

#include "kedge/predictor/fit.h"

namespace kedge {

/// The columns and the space of a request.
struct FitColumns {
  explicit FitColumns(const FitRequest& request);

  std::vector<std::string> inputs, outputs;
  Space space;
  OutputSpace output_space;
  SameUnit same_unit;
};

/// Which pairs of rows the options let meet. Throws Error where the table lacks the column, or no rows meet.
PairSampler sampler_for(const FitRequest& request);

/// The model's program. Throws Error where these columns have none.
Program program_for(const FitOptions& options, const FitColumns& columns);

/// Throws Error when the numbers of a column are so large or so small that their squares are lost.
void require_computable_scales(const Table& table, const Encoder& encoder);

/// Whether every column is a plain number: then every finite row is a point.
bool is_euclidean(const Space& space);

/// Canonical points of the named columns. Errors name line and column of the first row that is none.
Matrix<double> canonical_points(const Table& table, const std::vector<std::string>& inputs,
                                const Space& space, const std::string& verb);

}  // namespace kedge
