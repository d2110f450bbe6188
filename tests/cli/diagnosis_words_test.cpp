#include "cli/diagnosis_words.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cli/findings.h"

namespace kedge {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Group {
  Verdict verdict;
  size_t count;
  double expected;
};

/// Queries of one output, group after group, without truth.
Diagnosis diagnosis_of(const std::vector<Group>& groups, std::vector<ColumnRange> columns = {}) {
  Diagnosis d;
  d.predictions.outputs = {"y"};
  size_t rows = 0;
  for (const Group& group : groups) {
    rows += group.count;
    d.predictions.verdict.insert(d.predictions.verdict.end(), group.count, group.verdict);
    d.predictions.expected_error.insert(d.predictions.expected_error.end(), group.count, group.expected);
  }
  d.predictions.y = Matrix<double>(rows, 1);
  d.columns = std::move(columns);
  // What lies beyond does so in the first column.
  d.predictions.outside.resize(rows);
  for (size_t r = 0; r < rows && !d.columns.empty(); ++r)
    if (is_beyond(d.predictions.verdict[r]))
      d.predictions.outside[r] = {{.column = 0, .amount = 9, .relative = 3}};
  return d;
}

/// The truth of every query, 0 and 10 by turns, is missed by `error`.
Diagnosis with_errors(Diagnosis d, double error) {
  const size_t rows = d.predictions.rows();
  d.truth = Matrix<double>(rows, 1);
  for (size_t r = 0; r < rows; ++r) (*d.truth)(r, 0) = r % 2 == 0 ? 0 : 10;
  d.errors = std::vector<double>(rows, error);
  return d;
}

ColumnRange speed(size_t outside) {
  return {.name = "speed",
          .training_low = 0,
          .training_high = 10,
          .query_low = 1,
          .query_high = 20,
          .outside = outside};
}

const DiagnosisContext context{
    .model = "m.kedge", .queries = "q.csv", .where = [](size_t row) { return "row " + std::to_string(row); }};

std::string steps_of(const Diagnosis& d, const DiagnosisContext& c = context) {
  std::string text;
  for (const std::string& step : next_steps(d, c)) text += step + "\n";
  return text;
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != text.npos; }

TEST(DiagnosisWords, begin_with_how_many_can_be_answered_how_well_and_where_the_others_lie) {
  const Diagnosis d = diagnosis_of(
      {{Verdict::interpolation, 200, 0.2}, {Verdict::reachable, 70, 0.6}, {Verdict::unreachable, 30, 5}},
      {speed(30), {.name = "x", .training_high = 1, .query_high = 1}});
  EXPECT_EQ(
      conclusion(d, context),
      "270 of 300 queries can be answered, with an error of about 0.3 in `y`; 30 lie beyond in `speed`. The "
      "worst expected error is 5 (row 270).");
}

TEST(DiagnosisWords, say_all_and_none) {
  EXPECT_TRUE(
      conclusion(diagnosis_of({{Verdict::reachable, 4, 1}}), context).starts_with("All 4 queries can be"));
  EXPECT_TRUE(conclusion(diagnosis_of({{Verdict::unreachable, 4, 1}}), context)
                  .starts_with("None of the 4 queries can be answered; 4 lie beyond all differences"));
  EXPECT_EQ(conclusion(diagnosis_of({{Verdict::reachable, 1, 1}}), context),
            "The query can be answered, with an error of about 1 in `y`.");
  EXPECT_EQ(conclusion(diagnosis_of({}), context), "There are no queries.");
}

TEST(DiagnosisWords, promise_no_error_that_is_not_known) {
  const std::string text = conclusion(diagnosis_of({{Verdict::reachable, 4, nan}}), context);
  EXPECT_EQ(text, "All 4 queries can be answered.");
  EXPECT_TRUE(says(steps_of(diagnosis_of({{Verdict::reachable, 4, nan}})), "--calibration shells"));
}

TEST(DiagnosisWords, do_not_call_it_an_answer_when_errors_are_as_large_as_the_outputs_vary) {
  DiagnosisContext scaled = context;
  scaled.output_scale = 2;
  const Diagnosis d = diagnosis_of({{Verdict::reachable, 4, 3}});
  EXPECT_TRUE(
      conclusion(d, scaled).starts_with("All 4 queries can be reached, but an error of about 3 in `y` is "
                                        "expected, where the outputs vary by 2."))
      << conclusion(d, scaled);
  EXPECT_TRUE(says(steps_of(d, scaled), "--model auto"));
  EXPECT_FALSE(says(steps_of(d, context), "--model auto"));
}

TEST(DiagnosisWords, put_the_truth_beside_what_was_expected) {
  const Diagnosis d = diagnosis_of({{Verdict::reachable, 4, 1}});
  EXPECT_TRUE(says(conclusion(with_errors(d, 1.5), context),
                   "The true error is about 1.5 (RMSE 1.5, R² 0.91): about as expected."))
      << conclusion(with_errors(d, 1.5), context);
  EXPECT_TRUE(says(conclusion(with_errors(d, 4), context), ": 4 times what was expected."));
  EXPECT_TRUE(says(conclusion(with_errors(d, 0.1), context), ": less than was expected."));
  EXPECT_TRUE(says(steps_of(with_errors(d, 4)), "Add some of the queries to the training table"));
  EXPECT_FALSE(says(steps_of(with_errors(d, 1.5)), "Add some of the queries"));
}

TEST(DiagnosisWords, say_where_to_collect_rows_and_what_else_may_help) {
  const std::vector<ColumnRange> columns = {speed(30), {.name = "x", .training_high = 1, .query_high = 1}};
  const std::string steps =
      steps_of(diagnosis_of({{Verdict::reachable, 9, 1}, {Verdict::unreachable, 30, 9}}, columns));
  EXPECT_TRUE(says(steps, "Collect rows with `speed` above 10 (queries go up to 20), and fit again."))
      << steps;
  EXPECT_TRUE(says(steps, "`--ignore speed`")) << steps;
  EXPECT_TRUE(says(steps,
                   "30 queries that nothing vouches for empty: `kedge predict m.kedge q.csv --on-unreachable "
                   "nan`"))
      << steps;
  EXPECT_FALSE(says(steps, "--space")) << steps;
}

TEST(DiagnosisWords, guess_an_angle_by_its_name_or_by_a_full_turn) {
  const auto steps_with = [](const std::string& name, double low, double high) {
    return steps_of(diagnosis_of({{Verdict::unreachable, 3, 9}}, {{.name = name,
                                                                   .training_low = low,
                                                                   .training_high = high,
                                                                   .query_low = low,
                                                                   .query_high = 2 * high,
                                                                   .outside = 3}}));
  };
  EXPECT_TRUE(says(steps_with("elbow_angle", 0, 1), "--space elbow_angle=angle"));
  EXPECT_TRUE(says(steps_with("w", 0, 359), "--space w=degrees"));
  EXPECT_TRUE(says(steps_with("w", -3.1, 3.1), "--space w=angle"));
  EXPECT_FALSE(says(steps_with("w", 0, 100), "--space"));
}

TEST(DiagnosisWords, end_with_the_command_that_answers_when_nothing_is_in_the_way) {
  EXPECT_EQ(steps_of(diagnosis_of({{Verdict::interpolation, 9, 1}})),
            "Take the answers: `kedge predict m.kedge q.csv -o answers.csv`.\n");
}

TEST(DiagnosisWords, hold_no_mark_of_code_that_a_name_brings) {
  Diagnosis d = diagnosis_of({{Verdict::reachable, 2, 1}});
  d.predictions.outputs = {"a`b\nc"};
  const std::string text = conclusion(d, context);
  EXPECT_EQ(std::count(text.begin(), text.end(), '`'), 2) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0) << text;
}

TEST(Findings, name_columns_that_take_queries_beyond_and_not_those_that_are_hardly_out) {
  const std::vector<ColumnRange> columns = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
  Diagnosis d = diagnosis_of({{Verdict::reachable, 1, 1}, {Verdict::unreachable, 3, 9}}, columns);
  d.predictions.outside = {
      {{.column = 2, .amount = 1, .relative = 1}},
      {{.column = 1, .amount = 8, .relative = 8}, {.column = 0, .amount = 1, .relative = 1}},
      {{.column = 1, .amount = 8, .relative = 8}, {.column = 0, .amount = 7, .relative = 7}},
      {{.amount = 3, .relative = 3}}};
  const Findings found = findings_of(d);
  ASSERT_EQ(found.outside.size(), 2u);
  EXPECT_EQ(found.outside[0].range->name, "b");
  EXPECT_EQ(found.outside[0].queries, 2u);
  EXPECT_EQ(found.outside[1].range->name, "a");
  EXPECT_EQ(found.outside[1].queries, 1u);
}

TEST(Findings, errors_are_those_of_what_can_be_answered_or_else_of_all) {
  const Diagnosis mixed = diagnosis_of({{Verdict::reachable, 2, 1}, {Verdict::unreachable, 2, 9}});
  EXPECT_EQ(findings_of(mixed).errors.expected, 1);
  EXPECT_EQ(findings_of(diagnosis_of({{Verdict::unreachable, 2, 9}})).errors.expected, 9);
  EXPECT_EQ(errors_of(mixed, Verdict::edge).count, 0u);
  EXPECT_TRUE(std::isnan(errors_of(mixed, Verdict::edge).expected));
  EXPECT_TRUE(std::isnan(errors_of(mixed, Verdict::reachable).rmse));
}

}  // namespace
}  // namespace kedge
