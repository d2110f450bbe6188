#pragma once

// A chart as a result's file holds it.
//
// Laws: what a chart does not use is not written, so that files keep their text when charts learn more; what
// is not written is what a new Chart has. Numbers of series are rounded to five digits.

#include "kedge/core/json.h"
#include "kedge/report/svg.h"

namespace kedge {

Json chart_json(const Chart& chart);
/// Throws Error on what is no chart.
Chart chart_of(const Json& json);

}  // namespace kedge
