#include "kedge/report/parity.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kedge {

Chart parity_chart(Chart chart, ParityOf what, const std::string& equal) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double low = infinity, high = -infinity, least_above_0 = infinity;
  for (const Series& series : chart.series)
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) continue;
      for (double value : {series.x[i], series.y[i]}) {
        low = std::min(low, value);
        high = std::max(high, value);
        if (value > 0) least_above_0 = std::min(least_above_0, value);
      }
    }
  chart.width = chart.height = 480;
  if (!(low < high)) return chart;
  constexpr double much = 30, room = 0.04;
  if (what == ParityOf::sizes && high > much * least_above_0) {
    chart.x_steps = chart.y_steps = ScaleSteps::logarithmic;
    const double ratio = std::pow(high / least_above_0, room);
    low = least_above_0 / ratio;
    high *= ratio;
  } else {
    const double margin = room * (high - low);
    low = what == ParityOf::sizes ? 0 : low - margin;
    high += margin;
  }
  chart.x_range = chart.y_range = std::pair(low, high);
  chart.series.insert(chart.series.begin(), {.name = equal,
                                             .x = {low, high},
                                             .y = {low, high},
                                             .color = "currentColor",
                                             .style = SeriesStyle::dashes});
  return chart;
}

}  // namespace kedge
