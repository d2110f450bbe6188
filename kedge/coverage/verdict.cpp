#include "kedge/coverage/verdict.h"

#include <cmath>

namespace kedge {

std::string to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::interpolation:
      return "interpolation";
    case Verdict::reachable:
      return "reachable";
    case Verdict::edge:
      return "edge";
    case Verdict::unreachable:
      return "unreachable";
    case Verdict::undetermined:
      return "undetermined";
  }
  return "";
}

bool Thresholds::is_usable() const {
  const auto positive = [](double radius) { return std::isfinite(radius) && radius > 0; };
  return positive(support_radius) && positive(delta_radius) && edge_factor >= 1;
}

Verdict judge(const Position& position, const Thresholds& thresholds) {
  if (!thresholds.is_usable() || std::isnan(position.support_distance)) return Verdict::undetermined;
  if (position.columns_in_range && position.support_distance <= thresholds.support_radius)
    return Verdict::interpolation;
  if (std::isnan(position.delta_distance)) return Verdict::undetermined;
  if (position.admissible_anchors > 0) return Verdict::reachable;
  return position.delta_distance <= thresholds.edge_factor * thresholds.delta_radius ? Verdict::edge
                                                                                     : Verdict::unreachable;
}

}  // namespace kedge
