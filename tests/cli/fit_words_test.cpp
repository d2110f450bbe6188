#include "cli/fit_words.h"

#include <gtest/gtest.h>

namespace kedge {
namespace {

bool says(const std::string& text, const std::string& words) { return text.find(words) != text.npos; }

/// Four rows inside and four outside, whose truth is 0 and 10 by turns, missed by so much.
RehearsedRows rehearsed(double inside, double outside) {
  RehearsedRows rows{.held_out = "the outermost 20 %",
                     .truth = Matrix<double>(8, 1),
                     .predicted = Matrix<double>(8, 1),
                     .outside = {},
                     .expected = {}};
  for (size_t r = 0; r < 8; ++r) {
    const double error = r < 4 ? inside : outside;
    rows.truth(r, 0) = r % 2 == 0 ? 0 : 10;
    rows.predicted(r, 0) = rows.truth(r, 0) + error;
    rows.outside.push_back(r >= 4);
    rows.expected.push_back(error / 2);
  }
  return rows;
}

FitErrors fit_of(std::vector<RehearsedRows> rows) {
  FitErrors fit{.outputs = {"y"}, .output_scale = 5, .rehearsed = std::move(rows)};
  fit.truth = fit.predicted = Matrix<double>(2, 1, std::vector<double>{0, 4});
  fit.predicted(0, 0) = 1;
  return fit;
}

std::string steps_of(const FitErrors& fit) {
  std::string text;
  for (const std::string& step : fit_next_steps(fit, "m.kedge", "t.csv")) text += step + "\n";
  return text;
}

TEST(FitWords, say_how_well_a_rehearsal_did_inside_and_outside) {
  EXPECT_EQ(
      fit_conclusion(fit_of({rehearsed(0.5, 2)})),
      "Inside of the training rows a rehearsal of this fit errs by about 0.5 in `y` (RMSE 0.5, R² 0.99; 4 "
      "rows). On the outermost 20 % of the rows, which it did not see, it errs by about 2 (RMSE 2, R² 0.84; "
      "4 "
      "rows).");
}

TEST(FitWords, say_when_it_is_no_better_than_a_constant_outside_and_what_to_do) {
  const FitErrors fit = fit_of({rehearsed(0.5, 5)});
  EXPECT_TRUE(says(fit_conclusion(fit), ": no better than a constant, since the outputs vary by 5."));
  EXPECT_TRUE(
      says(steps_of(fit), "Do not trust it outside of its rows. Compare models there: `kedge cv t.csv"));
  EXPECT_FALSE(says(steps_of(fit_of({rehearsed(0.5, 2)})), "kedge cv"));
  EXPECT_TRUE(says(steps_of(fit_of({rehearsed(5, 5)})), "hardly fits inside"));
}

TEST(FitWords, own_rows_stand_in_where_nothing_was_held_out_and_are_called_so) {
  const std::string text = fit_conclusion(fit_of({}));
  EXPECT_TRUE(text.starts_with("On its own training rows the model errs by about 0.5 in `y`")) << text;
  EXPECT_TRUE(says(text, "Nothing was held out")) << text;
  EXPECT_TRUE(says(steps_of(fit_of({})), "--calibration shells"));
}

TEST(FitWords, end_with_the_question_what_the_model_can_answer) {
  for (const FitErrors& fit : {fit_of({}), fit_of({rehearsed(0.5, 2)})})
    EXPECT_TRUE(says(fit_next_steps(fit, "m.kedge", "t.csv").back(), "`kedge diagnose m.kedge queries.csv"));
}

TEST(FitWords, the_table_has_a_row_for_each_part_of_each_rehearsal) {
  const TextTable table = rehearsal_table(fit_of({rehearsed(0.5, 2), rehearsed(1, 3)}));
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[1][1].parts[0].text, "outside");
  EXPECT_EQ(table.rows[1][3].parts[0].text, "2");
  EXPECT_EQ(table.rows[1][6].parts[0].text, "1");
  EXPECT_EQ(errors_of(rehearsed(0.5, 2), RehearsedPart::inside).count, 4u);
}

}  // namespace
}  // namespace kedge
