#include "cli/score_text.h"

#include <cmath>

#include "kedge/core/format.h"

namespace kedge {

std::string number_text(double value) {
  return std::abs(value) < 1000 ? fmt::format("{:.3f}", value) : fmt::format("{:.1e}", value);
}

std::string estimate_text(const Estimate& estimate) {
  if (std::isnan(estimate.mean)) return "-";
  return fmt::format("{} ± {}", number_text(estimate.mean), number_text(estimate.deviation));
}

}  // namespace kedge
