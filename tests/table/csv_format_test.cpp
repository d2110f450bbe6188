#include "kedge/table/csv_format.h"

#include <gtest/gtest.h>

#include "kedge/core/error.h"
#include "kedge/table/csv.h"
#include "kedge/table/missing.h"

namespace kedge {
namespace {

CsvFormat format(Separator separator, Decimal decimal = Decimal::point, Header header = Header::yes) {
  return {separator, decimal, header};
}

TEST(CsvFormat, separators_are_recognised_where_every_line_has_as_many_cells) {
  EXPECT_EQ(recognise_csv("a,b\n1,2\n", "t"), format(Separator::comma));
  EXPECT_EQ(recognise_csv("a;b\n1;2\n", "t"), format(Separator::semicolon));
  EXPECT_EQ(recognise_csv("a\tb\n1\t2\n", "t"), format(Separator::tab));
  EXPECT_EQ(recognise_csv("\xEF\xBB\xBF\"a;x\";b\r\n\"1;\"\"2\";3\r\n", "t"), format(Separator::semicolon));
  EXPECT_EQ(recognise_csv("name,b\n\"x;y\",2\nu;v,3\n", "t"), format(Separator::comma));
  EXPECT_EQ(recognise_csv("a\n1\n", "t"), format(Separator::comma));
  EXPECT_EQ(recognise_csv("", "t"), format(Separator::comma));
}

TEST(CsvFormat, a_decimal_comma_is_recognised_from_numbers_that_only_it_explains) {
  EXPECT_EQ(recognise_csv("a;b\n1,5;2\n3;4,25\n", "t"), format(Separator::semicolon, Decimal::comma));
  EXPECT_EQ(recognise_csv("1,5;2,5\n3,0;4,25\n", "t"),
            format(Separator::semicolon, Decimal::comma, Header::no));
  EXPECT_EQ(recognise_csv("a,b\n\"1,5\",2\n", "t"), format(Separator::comma, Decimal::comma));
  EXPECT_EQ(recognise_csv("a;b\n0,123;2\n", "t"), format(Separator::semicolon, Decimal::comma));
  EXPECT_EQ(recognise_csv("a;b\n1,234;1.5\n", "t"), format(Separator::semicolon));
}

TEST(CsvFormat, a_number_that_may_be_a_thousand_is_not_guessed) {
  const std::string text = "a;b\n1,234;2\n";
  try {
    recognise_csv(text, "t.csv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(
        std::string(error.what()).find("t.csv: needed numbers that can be read in one way; found \"1,234\""),
        std::string::npos)
        << error.what();
    EXPECT_EQ(error.option(), "decimal");
  }
  EXPECT_EQ(recognise_csv(text, "t", {.decimal = Decimal::point}).decimal, Decimal::point);
  const CsvFormat known = format(Separator::semicolon, Decimal::comma);
  EXPECT_EQ(recognise_csv(text, "t", {}, known).decimal, Decimal::comma);
  EXPECT_THROW(recognise_csv("a\tb\n1,234\t2\n", "t", {}, known), Error);
}

TEST(CsvFormat, a_first_line_of_numbers_is_no_header) {
  EXPECT_EQ(recognise_csv("1,2\n3,4\n", "t").header, Header::no);
  EXPECT_EQ(recognise_csv("1,b\n3,4\n", "t").header, Header::yes);
  EXPECT_EQ(recognise_csv("nan,2\n3,4\n", "t").header, Header::yes);
  EXPECT_EQ(recognise_csv("2023,2024\n3,4\n", "t", {.header = Header::yes}).header, Header::yes);
}

TEST(CsvFormat, what_is_told_is_not_questioned) {
  EXPECT_EQ(recognise_csv("a;b\n1;2\n", "t", {.separator = Separator::comma}).separator, Separator::comma);
  EXPECT_EQ(recognise_csv("a;b\n1,5;2\n", "t", {.decimal = Decimal::point}).decimal, Decimal::point);
}

TEST(CsvFormat, differences_are_said_one_by_one) {
  EXPECT_TRUE(differences(CsvFormat{}).empty());
  const auto said = differences(format(Separator::tab, Decimal::comma, Header::no));
  ASSERT_EQ(said.size(), 3u);
  EXPECT_EQ(said[0], "columns are separated by tabs");
  EXPECT_EQ(said[1], "numbers have a decimal comma");
}

TEST(CsvFormat, tables_of_other_formats_are_read_like_those_with_commas) {
  const Table semicolons =
      parse_csv("a;b\n1,5;2\n-3e1;+4,25\n", "t",
                {.text = {}, .only = {}, .skip = {}, .format = format(Separator::semicolon, Decimal::comma)});
  EXPECT_EQ(semicolons.column("a").values, (std::vector<double>{1.5, -30}));
  EXPECT_EQ(semicolons.column("b").values, (std::vector<double>{2, 4.25}));
  const Table tabs = parse_csv(
      "1\t2\n \t4\n", "t",
      {.text = {"x0"}, .only = {}, .skip = {}, .format = format(Separator::tab, Decimal::point, Header::no)});
  EXPECT_EQ(tabs.column("x0").words, (std::vector<std::string>{"1", ""}));
  EXPECT_EQ(tabs.column("x1").values, (std::vector<double>{2, 4}));
  EXPECT_EQ(tabs.where(1), "t, line 2");
}

TEST(Missing, cells_are_those_that_people_write_for_no_value) {
  for (const char* cell : {"", " ", "NA", "n/a", "null", "None", "NaN", "?", " na "})
    EXPECT_TRUE(is_missing(cell)) << cell;
  for (const char* cell : {"0", "-", "nana", "no", "missing", "??"}) EXPECT_FALSE(is_missing(cell)) << cell;
}

}  // namespace
}  // namespace kedge
