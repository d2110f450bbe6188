#pragma once

// The pictures of a diagnosis. A verdict has one colour in all of them, that of the tables.

#include "kedge/report/page.h"
#include "kedge/trials/diagnosis.h"

namespace kedge {

/// Expected against true errors, on the same axes; where nothing is known of the true ones, the expected
/// errors over the distance to the training rows.
Figure error_figure(const Diagnosis& diagnosis);

/// Where the queries lie: along two leading axes, or one input against the first output.
Figure map_figure(const Diagnosis& diagnosis, const Predictor& predictor, const Table& queries);

/// Where each query lies in each column's training range, a line for each column.
Figure range_figure(const Diagnosis& diagnosis, const Table& queries);

/// How far each query's difference is from one that was seen.
Figure difference_figure(const Diagnosis& diagnosis, const StoredCoverage& coverage);

}  // namespace kedge
