#include "kedge/table/intake.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kedge/core/error.h"
#include "kedge/table/csv.h"

namespace kedge {
namespace {

/// A table of these columns with y as its output; `words` are read as text.
Table table_of(const std::string& text, std::vector<std::string> words) {
  Table table = parse_csv(text, "t.csv", {.text = words, .only = {}, .skip = {}});
  table.assign(Role::input, words);
  if (table.has("y")) table.assign(Role::output, {"y"});
  return table;
}

std::string error_of(const std::string& text, std::vector<std::string> words,
                     const IntakeOptions& options = {}) {
  try {
    learn_intake(table_of(text, std::move(words)), options);
  } catch (const Error& error) {
    return std::string(error.what()) + " --" + error.option();
  }
  return "";
}

void expect_said(const std::string& text, const std::vector<std::string>& said) {
  for (const std::string& words : said) EXPECT_NE(text.find(words), std::string::npos) << text;
}

using Values = std::vector<double>;

TEST(Intake, a_table_of_numbers_is_left_as_it_is) {
  const LearnedIntake learned = learn_intake(table_of("a,b,y\n1,2,3\n4,5,6\n", {}), {});
  EXPECT_TRUE(learned.intake.is_empty());
  EXPECT_EQ(learned.table.names(Role::input), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(learned.intake.source_of("a"), "a");
  EXPECT_EQ(learned.intake.sources({"a", "b"}), (std::vector<std::string>{"a", "b"}));
}

TEST(Intake, words_become_a_column_each_with_one_for_the_word_of_the_row) {
  const LearnedIntake learned = learn_intake(table_of("x,c,y\n1,b,3\n4,a,6\n5,b,7\n6,a,7\n", {"c"}), {});
  EXPECT_EQ(learned.table.names(Role::input), (std::vector<std::string>{"x", "c=a", "c=b"}));
  EXPECT_EQ(learned.table.column("c=a").values, (Values{0, 1, 0, 1}));
  EXPECT_EQ(learned.table.column("c=b").values, (Values{1, 0, 1, 0}));
  EXPECT_EQ(learned.table.names(Role::output), std::vector<std::string>{"y"});
  EXPECT_EQ(learned.table.where(2), "t.csv, line 4");
  EXPECT_EQ(learned.intake.source_of("c=b"), "c");
  EXPECT_EQ(learned.intake.text_columns(), std::vector<std::string>{"c"});
  EXPECT_EQ(learned.intake.categories(), (std::vector<std::vector<std::string>>{{"c=a", "c=b"}}));
}

TEST(Intake, many_words_are_refused_unless_they_are_named) {
  const std::string text = "c,y\na,1\nb,2\nc,3\nd,3\na,3\n";
  expect_said(error_of(text, {"c"}), {"column \"c\"", "4 different words in 5 rows", "--ignore,categories"});
  EXPECT_EQ(error_of(text, {"c"}, {.categories = {"c"}}), "");
  std::string many = "c,y\n";
  for (int i = 0; i < 100; ++i) many += "w" + std::to_string(i % 21) + ",1\n";
  expect_said(error_of(many, {"c"}), {"21 different words in 100 rows"});
  for (int i = 0; i < 2000; ++i) many += "w" + std::to_string(i % 21) + ",1\n";
  EXPECT_EQ(error_of(many, {"c"}), "");
}

TEST(Intake, codes_are_categories_where_they_are_named) {
  const LearnedIntake learned =
      learn_intake(table_of("zip,y\n10,1\n20,2\n10,3\n", {}), {.categories = {"zip"}});
  EXPECT_EQ(learned.table.names(Role::input), (std::vector<std::string>{"zip=10", "zip=20"}));
  EXPECT_EQ(learned.table.column("zip=10").values, (Values{1, 0, 1}));
  expect_said(error_of("a,y\n1,2\n", {}, {.categories = {"z"}}),
              {"\"z\"", "the inputs are \"a\"", "--categories"});
}

TEST(Intake, a_row_with_a_new_word_or_an_odd_cell_has_a_note_and_changes_no_other) {
  const LearnedIntake learned = learn_intake(table_of("x,c,y\n1,b,3\n4,a,6\n5,b,7\n6,a,7\n", {"c"}), {});
  Table queries = table_of("x,c\n1,a\nnan,b\n3,mars\n4,\nnan,b\n", {"c"});
  const TakenIn taken = learned.intake.apply(queries, {{.row = 4, .line = 6, .column = "x", .text = "oak"}});
  EXPECT_EQ(taken.notes,
            (std::vector<std::string>{"", "x is missing", "c is 'mars': a word that was not in training",
                                      "c is missing", "x is 'oak': no number"}));
  EXPECT_EQ(taken.table.column("c=a").values[0], 1);
  EXPECT_EQ(taken.table.column("c=b").values[1], 1);
  EXPECT_TRUE(std::isnan(taken.table.column("c=a").values[2]));
  EXPECT_EQ(taken.table.where(4), "t.csv, line 6");
  EXPECT_TRUE(learned.intake.apply(table_of("x,c\n1,a\n", {"c"})).notes.empty());
}

TEST(Intake, notes_are_made_for_plain_numbers_too) {
  EXPECT_EQ(Intake{}.apply(table_of("x,z\n1,2\nnan,3\n", {})).notes,
            (std::vector<std::string>{"", "x is missing"}));
}

TEST(Intake, dates_become_days_and_cycles_become_angles) {
  const LearnedIntake learned =
      learn_intake(table_of("d,h,y\n2024-01-01,0,1\n2024-01-04 12:00,6,2\n2024-01-08,24,3\n", {"d"}),
                   {.cycles = "d=week+year,h=24"});
  EXPECT_EQ(learned.table.names(Role::input),
            (std::vector<std::string>{"d", "d.week", "d.year", "h", "h.24"}));
  EXPECT_EQ(learned.table.column("d").values, (Values{19723, 19726.5, 19730}));
  EXPECT_NEAR(learned.table.column("d.week").values[1], std::numbers::pi, 1e-12);
  EXPECT_EQ(learned.table.column("d.week").values[2], 0);
  EXPECT_NEAR(learned.table.column("h.24").values[1], std::numbers::pi / 2, 1e-12);
  EXPECT_EQ(learned.intake.angles(), (std::vector<std::string>{"d.week", "d.year", "h.24"}));
  EXPECT_EQ(learned.intake.source_of("d.week"), "d");
  const TakenIn taken = learned.intake.apply(table_of("d,h\n2024-13-01,0\n2024-01-08,1\n", {"d"}));
  EXPECT_EQ(taken.notes[0], "d is '2024-13-01': no date");
}

TEST(Intake, slashes_are_read_as_the_rows_decide_and_refused_where_none_does) {
  const auto first_day = [](const std::string& text) {
    return learn_intake(table_of(text, {"d"}), {}).table.column("d").values[0];
  };
  EXPECT_EQ(first_day("d,y\n03/04/2024,1\n13/04/2024,2\n"), 19816);  // 3 April
  EXPECT_EQ(first_day("d,y\n03/04/2024,1\n04/13/2024,2\n"), 19786);  // 4 March
  expect_said(error_of("d,y\n03/04/2024,1\n05/06/2024,2\n", {"d"}),
              {"line 2", "\"03/04/2024\"", "day or the month"});
}

TEST(Intake, one_bad_date_is_named_by_its_line) {
  expect_said(error_of("d,y\n2024-01-01,1\n2024-02-30,2\n2024-03-01,3\n", {"d"}),
              {"t.csv, line 3, column \"d\"", "needed a date", "\"2024-02-30\""});
}

TEST(Intake, cycles_that_cannot_be_are_refused) {
  const std::string text =
      "d,h,c,y\n2024-01-01,1,a,1\n2024-01-02,2,a,2\n2024-01-03,3,b,2\n2024-01-04,3,b,2\n";
  for (const std::string cycles : {"z=week", "c=24", "h=week", "h=0", "h=-1", "h=nan", "h=inf", "h", "h=24=1",
                                   "d=week+week", "d=fortnight", ","})
    expect_said(error_of(text, {"d", "c"}, {.cycles = cycles}), {"cycles need", "--cycles"});
  EXPECT_EQ(error_of(text, {"d", "c"}, {.cycles = "d=7.5+month,h=24"}), "");
}

TEST(Intake, missing_cells_are_refused_in_one_sentence_that_offers_a_way_out) {
  expect_said(error_of("a,c,y\n1,u,3\n4,NA,6\nnan,u,7\n2,u,nan\n", {"c"}),
              {"line 5", "needed a target in every row", "1 of 4 rows", "\"y\"", "--missing drop"});
  expect_said(
      error_of("a,c,y\n1,u,3\n4,NA,6\nnan,u,7\n", {"c"}),
      {"t.csv, line 3", "found 2 missing in 2 of 3 rows", "column \"c\"", "--missing impute,missing drop"});
}

TEST(Intake, rows_with_missing_cells_are_dropped_where_told) {
  const LearnedIntake learned = learn_intake(
      table_of("a,c,y\n1,u,3\n4,?,6\nnan,u,7\n2,u,nan\n5,u,8\n", {"c"}), {.missing = Missing::drop});
  EXPECT_EQ(learned.dropped, 3u);
  EXPECT_EQ(learned.table.column("a").values, (Values{1, 5}));
  EXPECT_EQ(learned.table.where(1), "t.csv, line 6");
  expect_said(error_of("a,y\nnan,1\n2,nan\n", {}, {.missing = Missing::drop}),
              {"needed rows without missing cells"});
}

TEST(Intake, missing_cells_get_the_median_and_a_flag_or_a_word_of_their_own) {
  const LearnedIntake learned =
      learn_intake(table_of("a,b,c,y\n1,1,u,3\nnan,2,,6\n10,3,u,7\n2,4,v,8\n4,5,v,1\n", {"c"}),
                   {.missing = Missing::impute});
  EXPECT_EQ(learned.table.names(Role::input),
            (std::vector<std::string>{"a", "a.missing", "b", "c=missing", "c=u", "c=v"}));
  EXPECT_EQ(learned.table.column("a").values, (Values{1, 3, 10, 2, 4}));
  EXPECT_EQ(learned.table.column("a.missing").values, (Values{0, 1, 0, 0, 0}));
  EXPECT_EQ(learned.table.column("c=missing").values, (Values{0, 1, 0, 0, 0}));
  const TakenIn taken = learned.intake.apply(table_of("a,b,c\nnan,1,?\n1,nan,u\n", {"c"}));
  EXPECT_EQ(taken.table.column("a").values[0], 3);
  EXPECT_EQ(taken.table.column("a.missing").values[0], 1);
  EXPECT_EQ(taken.notes, (std::vector<std::string>{"", "b is missing"}));
  expect_said(error_of("a,b,y\nnan,1,2\nnan,2,3\n", {}, {.missing = Missing::impute}),
              {"all 2 cells missing", "--ignore"});
}

TEST(Intake, words_to_predict_are_refused) {
  Table table = table_of("a,y\n1,u\n2,v\n", {"y"});
  table.assign(Role::output, {"y"});
  try {
    learn_intake(table, {});
    FAIL();
  } catch (const Error& error) {
    expect_said(error.what(), {"column \"y\"", "needed numbers to predict", "\"u\""});
  }
}

TEST(Intake, forgets_columns_that_nothing_comes_of) {
  LearnedIntake learned = learn_intake(table_of("x,c,y\n1,b,3\n4,b,6\n5,b,7\n6,b,7\n", {"c"}), {});
  learned.intake.keep_only({"x"});
  EXPECT_EQ(learned.intake.sources({"x"}), std::vector<std::string>{"x"});
}

TEST(Intake, comes_back_from_its_text_and_damaged_texts_are_errors) {
  LearnedIntake learned = learn_intake(
      table_of("a,d,c,y\n1,01.02.2024,u,3\nnan,02.02.2024,v,6\n2,03.02.2024,u,7\n3,04.02.2024,v,7\n",
               {"d", "c"}),
      {.cycles = "d=week,a=24", .missing = Missing::impute});
  learned.intake.constants = {"k"};
  learned.intake.format = {Separator::tab, Decimal::comma, Header::no};
  const std::string text = to_json(learned.intake);
  EXPECT_EQ(intake_from_json(text), learned.intake);
  EXPECT_TRUE(intake_from_json(to_json(Intake{})).is_empty());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    EXPECT_NE(other.find(from), std::string::npos) << text;
    return other.replace(other.find(from), from.size(), to);
  };
  for (const std::string& damaged :
       {std::string("{}"), std::string("[]"), std::string("x"), changed("\"tab\"", "\"pipe\""),
        changed("\"period\":24", "\"period\":0"), changed("[\"u\",\"v\"]", "[\"v\",\"u\"]"),
        changed("[\"u\",\"v\"]", "[\"u\",\"u\"]"), changed("[\"u\",\"v\"]", "[]"),
        changed("\"fill\":2", "\"fill\":null"), changed("\"name\":\"c\"", "\"name\":\"d\""),
        changed("\"calendar\":\"week\"", "\"calendar\":\"24\"")})
    EXPECT_THROW(intake_from_json(damaged), Error) << damaged;
}

}  // namespace
}  // namespace kedge
