#include "kedge/coverage/stored_coverage.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json_reading.h"

namespace kedge {
namespace {

nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

void require_amount(double value, const std::string& name) {
  if (!std::isfinite(value) || value < 0)
    throw Error("coverage", fmt::format("{} needs finite numbers of at least 0; found {}", name, value));
}

/// Keeps `to` where the file has null.
void read_amount(const nlohmann::json& object, const char* name, double& to) {
  const nlohmann::json& found = object.at(name);
  if (found.is_null()) return;
  to = exactly<double>(found, name);
  require_amount(to, name);
}

std::vector<double> amounts(const nlohmann::json& object, const char* name) {
  std::vector<double> values = exactly<std::vector<double>>(object.at(name), name);
  for (double value : values) require_amount(value, name);
  return values;
}

}  // namespace

std::string to_json(const StoredCoverage& c) {
  const nlohmann::ordered_json json{{"thresholds",
                                     {{"support_radius", number_or_null(c.thresholds.support_radius)},
                                      {"delta_radius", number_or_null(c.thresholds.delta_radius)},
                                      {"edge_factor", c.thresholds.edge_factor}}},
                                    {"delta_quantiles", c.delta_quantiles},
                                    {"errors",
                                     {{"coefficients", c.errors.coefficients},
                                      {"output_scale", number_or_null(c.errors.output_scale)},
                                      {"usual_spread", c.errors.usual_spread},
                                      {"knows_beyond", c.errors.knows_beyond}}}};
  return json.dump();
}

StoredCoverage coverage_from_json(const std::string& text) {
  try {
    const nlohmann::json json = parse_json(text);
    const nlohmann::json &thresholds = json.at("thresholds"), &errors = json.at("errors");
    StoredCoverage c;
    read_amount(thresholds, "support_radius", c.thresholds.support_radius);
    read_amount(thresholds, "delta_radius", c.thresholds.delta_radius);
    read_amount(thresholds, "edge_factor", c.thresholds.edge_factor);
    c.delta_quantiles = amounts(json, "delta_quantiles");
    if (c.delta_quantiles.size() == 1 || !std::is_sorted(c.delta_quantiles.begin(), c.delta_quantiles.end()))
      throw Error("coverage", "delta_quantiles need rising numbers; found others");
    const std::vector<double> coefficients = amounts(errors, "coefficients");
    if (coefficients.size() != ErrorModel::terms)
      throw Error("coverage", fmt::format("coefficients need {} numbers; found {}", ErrorModel::terms,
                                          coefficients.size()));
    std::copy(coefficients.begin(), coefficients.end(), c.errors.coefficients.begin());
    read_amount(errors, "output_scale", c.errors.output_scale);
    read_amount(errors, "usual_spread", c.errors.usual_spread);
    if (!errors.at("knows_beyond").is_boolean())
      refuse_json(errors.at("knows_beyond"), "knows_beyond", "true or false");
    c.errors.knows_beyond = errors.at("knows_beyond").get<bool>();
    return c;
  } catch (const nlohmann::json::exception& error) {
    throw Error("coverage", fmt::format("needs JSON as written by kedge; found damage ({})", error.what()));
  }
}

}  // namespace kedge
