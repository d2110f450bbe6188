#include "kedge/coverage/stored_coverage.h"

#include <algorithm>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"

namespace kedge {
namespace {

void require_amount(double value, const std::string& name) {
  if (!std::isfinite(value) || value < 0)
    throw Error("coverage", fmt::format("{} needs finite numbers of at least 0; found {}", name, value));
}

/// Keeps `to` where the file has null.
void read_amount(const Json& object, const char* name, double& to) {
  const Json& found = object.at(name);
  if (found.is_null()) return;
  to = exactly<double>(found, name);
  require_amount(to, name);
}

std::vector<double> amounts(const Json& object, const char* name) {
  std::vector<double> values = exactly<std::vector<double>>(object.at(name), name);
  for (double value : values) require_amount(value, name);
  return values;
}

}  // namespace

std::string to_json(const StoredCoverage& c) {
  Json json{{"thresholds",
             {{"support_radius", number_or_null(c.thresholds.support_radius)},
              {"delta_radius", number_or_null(c.thresholds.delta_radius)},
              {"edge_factor", c.thresholds.edge_factor}}},
            {"delta_quantiles", c.delta_quantiles},
            {"errors",
             {{"coefficients", c.errors.coefficients},
              {"output_scale", number_or_null(c.errors.output_scale)},
              {"usual_spread", c.errors.usual_spread},
              {"knows_beyond", c.errors.knows_beyond}}}};
  if (std::isfinite(c.errors.past_low)) json["errors"]["past_low"] = c.errors.past_low;
  if (std::isfinite(c.errors.past_high)) json["errors"]["past_high"] = c.errors.past_high;
  return json.dump();
}

StoredCoverage coverage_from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    const Json &thresholds = json.at("thresholds"), &errors = json.at("errors");
    StoredCoverage c;
    read_amount(thresholds, "support_radius", c.thresholds.support_radius);
    read_amount(thresholds, "delta_radius", c.thresholds.delta_radius);
    read_amount(thresholds, "edge_factor", c.thresholds.edge_factor);
    c.delta_quantiles = amounts(json, "delta_quantiles");
    if (c.delta_quantiles.size() == 1 || !std::is_sorted(c.delta_quantiles.begin(), c.delta_quantiles.end()))
      throw Error("coverage", "delta_quantiles need rising numbers; found others");
    const std::vector<double> coefficients = amounts(errors, "coefficients");
    // Older files have no terms of the answer, and some none in the square of the distance.
    constexpr size_t fewest = 6;
    if (coefficients.size() < fewest || coefficients.size() > ErrorModel::terms)
      throw Error("coverage", fmt::format("coefficients need {} to {} numbers; found {}", fewest,
                                          ErrorModel::terms, coefficients.size()));
    std::copy(coefficients.begin(), coefficients.end(), c.errors.coefficients.begin());
    read_amount(errors, "output_scale", c.errors.output_scale);
    read_amount(errors, "usual_spread", c.errors.usual_spread);
    if (errors.find("past_low")) read_amount(errors, "past_low", c.errors.past_low);
    if (errors.find("past_high")) read_amount(errors, "past_high", c.errors.past_high);
    c.errors.knows_beyond = exactly<bool>(errors.at("knows_beyond"), "knows_beyond");
    return c;
  } catch (const JsonError& error) {
    throw Error("coverage", fmt::format("needs JSON as written by kedge; {}", error.fault()));
  }
}

}  // namespace kedge
