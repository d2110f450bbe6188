#include "kedge/coverage/stored_coverage.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/table/broken_files.h"

namespace kedge {
namespace {

StoredCoverage some() {
  return {.thresholds = {.support_radius = 0.1, .delta_radius = 1.0 / 3, .edge_factor = 3},
          .delta_quantiles = {0, 0.5, 0.5, 7},
          .errors = {.coefficients = {1, 2, 3, 4, 5, 0, 6},
                     .output_scale = 0.7,
                     .usual_spread = 1e-9,
                     .knows_beyond = true}};
}

TEST(StoredCoverage, comes_back_from_its_json_unchanged) {
  const std::string text = to_json(some());
  EXPECT_EQ(to_json(coverage_from_json(text)), text);
  EXPECT_EQ(coverage_from_json(text).thresholds.delta_radius, 1.0 / 3);
  const std::string unknown = to_json(StoredCoverage{});
  EXPECT_EQ(to_json(coverage_from_json(unknown)), unknown);
  EXPECT_FALSE(coverage_from_json(unknown).errors.is_known());
}

TEST(StoredCoverage, of_an_older_file_has_no_term_in_the_square_of_the_distance) {
  nlohmann::json json = nlohmann::json::parse(to_json(some()));
  json["errors"]["coefficients"] = {1, 2, 3, 4, 5, 6};
  const StoredCoverage old = coverage_from_json(json.dump());
  EXPECT_EQ(old.errors.coefficients, (std::array<double, ErrorModel::terms>{1, 2, 3, 4, 5, 6, 0}));
}

TEST(StoredCoverage, of_numbers_that_cannot_be_is_refused) {
  const std::vector<std::pair<std::string, nlohmann::json>> faults = {
      {"/thresholds/support_radius", -1}, {"/thresholds/support_radius", "wide"},
      {"/thresholds/edge_factor", -2},    {"/thresholds", nullptr},
      {"/delta_quantiles", {1, 0}},       {"/delta_quantiles", {0}},
      {"/delta_quantiles", {0, -1}},      {"/delta_quantiles", 3},
      {"/errors/coefficients", {1, 2}},   {"/errors/coefficients", {1, 2, 3, 4, 5, -6}},
      {"/errors/output_scale", -1},       {"/errors/usual_spread", "small"},
      {"/errors/knows_beyond", 1},
  };
  for (const auto& [pointer, value] : faults) {
    nlohmann::json json = nlohmann::json::parse(to_json(some()));
    json[nlohmann::json::json_pointer(pointer)] = value;
    EXPECT_NE(error_text([&] { coverage_from_json(json.dump()); }), "") << pointer << " " << value;
  }
  for (const char* key : {"thresholds", "delta_quantiles", "errors"}) {
    nlohmann::json json = nlohmann::json::parse(to_json(some()));
    json.erase(key);
    EXPECT_NE(error_text([&] { coverage_from_json(json.dump()); }), "") << key;
  }
  EXPECT_NE(error_text([] { coverage_from_json("{"); }), "");
}

}  // namespace
}  // namespace kedge
