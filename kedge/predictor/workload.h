#pragma once

// What fits and predictions take, estimated before they run, so that progress can say how long is left.
//
// Steps are exact. Work is in seconds of one core of a Xeon of 2023; what counts is that its parts have the
// right proportions.

#include "kedge/predictor/fit.h"

namespace kedge {

/// Of a fit: the steps that it reports, which are those of its training and of weights that are learned
/// before. `rows` is how many rows of the table it uses.
Workload fit_load(const FitRequest& request, size_t rows);
inline Workload fit_load(const FitRequest& request) { return fit_load(request, request.table.rows()); }

/// The part of a fit's work that comes before its training.
double draft_work(const FitRequest& request, size_t rows);

/// Of answering queries with such a fit.
double prediction_work(const FitRequest& request, size_t rows, size_t queries);

/// Of Predictor::measure_anchors; 0 where every row serves.
double measuring_work(const FitRequest& request);

}  // namespace kedge
