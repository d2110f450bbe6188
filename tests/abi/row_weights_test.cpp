#include <gtest/gtest.h>

#include "kedge/trials/settings.h"
#include "tests/abi/handles.h"

namespace kedge {
namespace {

/// Rows count 1, 2, 1, 2, ...; every tenth not at all.
Table weighted_table() {
  Table table = training_table();
  std::vector<double> weights;
  for (size_t r = 0; r < table.rows(); ++r)
    weights.push_back(r % 10 == 0 ? 0 : static_cast<double>(1 + r % 2));
  table.add(column("w", Role::weight, weights));
  return table;
}

TEST(AbiRowWeights, a_column_of_the_role_weight_gives_the_file_that_cpp_gives) {
  const Table table = weighted_table();
  FitSettings settings = settings_from_json(quick_settings).fit;
  settings.label = "kind";
  kedge_predictor* made = nullptr;
  ASSERT_EQ(kedge_fit(table_of(table).get(), nullptr, quick_settings, nullptr, 0, nullptr, &made, nullptr),
            KEDGE_OK)
      << kedge_error();
  const HeldPredictor predictor(made);
  EXPECT_EQ(kedge_predictor_rows(made), 54u);
  EXPECT_EQ(file_of(made), fit({table, fit_options(settings)}).predictor.to_bytes());
  EXPECT_NE(file_of(made), file_of(quick_fit().get()));
}

TEST(AbiRowWeights, a_negative_weight_is_one_line) {
  Table table = training_table();
  table.add(column("w", Role::weight, std::vector<double>(table.rows(), -2)));
  kedge_predictor* made = nullptr;
  EXPECT_EQ(kedge_fit(table_of(table).get(), nullptr, quick_settings, nullptr, 0, nullptr, &made, nullptr),
            KEDGE_INVALID);
  EXPECT_NE(
      std::string(kedge_error()).find("row 0, column \"w\": a row weight needs a finite number, 0 or more"),
      std::string::npos)
      << kedge_error();
  EXPECT_EQ(made, nullptr);
}

}  // namespace
}  // namespace kedge
