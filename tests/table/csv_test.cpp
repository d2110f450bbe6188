#include "kedge/table/csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "tests/table/broken_files.h"

namespace kedge {
namespace {

using Strings = std::vector<std::string>;

Table parse(std::string_view text, const CsvOptions& options = {}) {
  return parse_csv(text, "t.csv", options);
}

std::string error_of(std::string_view text, const CsvOptions& options = {}) {
  const std::string result = error_text([&] { parse(text, options); });
  EXPECT_EQ(result.find('\n'), std::string::npos) << "more than one line: " << result;
  return result;
}

std::vector<double> values(std::string_view text, const std::string& column) {
  return parse(text).column(column).values;
}

TEST(Csv, reads_numbers_in_every_form_people_write) {
  const auto read = values("a\n1\n-2.5\n+3\n 4 \n\t5e3\n.5\n6.\n1E-2\n-0\n\"7\"\n\" 8\"\n", "a");
  EXPECT_EQ(read, (std::vector<double>{1, -2.5, 3, 4, 5000, 0.5, 6, 0.01, 0, 7, 8}));
  EXPECT_TRUE(std::signbit(read[8]));
}

TEST(Csv, reads_nan_and_infinity_in_any_case) {
  for (const double value : values("a\nnan\nNaN\n-NAN\n+nan\n nan \n", "a")) EXPECT_TRUE(std::isnan(value));
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(values("a\ninf\n-Inf\n+INFINITY\ninfinity\n", "a"), (std::vector<double>{inf, -inf, inf, inf}));
}

TEST(Csv, a_number_too_small_for_a_double_reads_as_zero_of_its_sign) {
  const std::string many_zeros(400, '0');
  const auto read = values("a\n1e-999\n-1e-400\n0." + many_zeros + "1\n1e-99999999999999999999\n", "a");
  EXPECT_EQ(read, (std::vector<double>{0, 0, 0, 0}));
  EXPECT_FALSE(std::signbit(read[0]));
  EXPECT_TRUE(std::signbit(read[1]));
}

TEST(Csv, line_ends_byte_order_mark_and_blank_lines_at_the_end_change_nothing) {
  for (const char* text :
       {"a,b\n1,2\n3,4\n", "a,b\n1,2\n3,4", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r\n1,2\r\n3,4\r",
        "\xEF\xBB\xBF"
        "a,b\n1,2\n3,4\n",
        "a,b\n1,2\n3,4\n\n \t\n\r\n", "\"a\",b\n1,2\n3,\"4\"", " a , \"b\" \n1,2\n3, \"4\" \r\n"}) {
    const Table table = parse(text);
    EXPECT_EQ(table.names(Role::input), (Strings{"a", "b"})) << text;
    EXPECT_EQ(table.matrix({"a", "b"}), (Matrix<double>(2, 2, {1, 2, 3, 4}))) << text;
  }
}

TEST(Csv, quoted_cells_keep_commas_quotes_line_ends_and_white_space) {
  const Table table =
      parse("\"a \"\"b\"\"\n,\",k\n1,\" x,\r\ny \"\n2,\"\"\"\"\n3, plain \n4,\"\"\n5,5\" pipe\n",
            {.text = {"k"}, .only = {}, .skip = {}});
  EXPECT_EQ(table.columns()[0].name, "a \"b\"\n,");
  EXPECT_EQ(table.column("k").words, (Strings{" x,\r\ny ", "\"", "plain", "", "5\" pipe"}));
}

TEST(Csv, words_are_numbered_by_first_appearance_and_are_labels) {
  const Table table = parse("k,x\nmug,1\npot,2\nmug,3\n", {.text = {"k"}, .only = {}, .skip = {}});
  EXPECT_EQ(table.column("k").values, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(table.column("k").words, (Strings{"mug", "pot"}));
  EXPECT_EQ(table.names(Role::label), Strings{"k"});
  EXPECT_EQ(table.names(Role::input), Strings{"x"});
}

TEST(Csv, rows_know_their_line_also_behind_quoted_line_ends) {
  const Table table = parse("x,k\n1,a\n2,\"b\n\nb\"\n3,c\n\n", {.text = {"k"}, .only = {}, .skip = {}});
  EXPECT_EQ(table.where(0), "t.csv, line 2");
  EXPECT_EQ(table.where(1), "t.csv, line 3");
  EXPECT_EQ(table.where(2), "t.csv, line 6");
}

TEST(Csv, columns_left_out_are_counted_and_not_parsed) {
  const char* text = "a,note,b\n1,\"x,\ny\",2\n3,,4\n";
  EXPECT_EQ(parse(text, {.text = {}, .only = {"b", "a"}, .skip = {}}).names(Role::input),
            (Strings{"a", "b"}));
  EXPECT_EQ(parse(text, {.text = {}, .only = {}, .skip = {"note"}}).matrix({"a", "b"}),
            (Matrix<double>(2, 2, {1, 2, 3, 4})));
  EXPECT_EQ(parse(text, {.text = {"note"}, .only = {"b"}, .skip = {}}).columns().size(), 1u);
  EXPECT_NE(error_of("a,note,b\n1,2\n", {.text = {}, .only = {"a"}, .skip = {}}).find("needed 3 cells"),
            std::string::npos);
}

TEST(CsvErrors, text_where_a_number_should_be) {
  EXPECT_EQ(
      error_of("x,y\n1,2\n3,mug\n"),
      R"([csv] t.csv, line 3, column "y": needed a number; found "mug"; correct the cell, leave the column )"
      "out, or make it a category");
  for (const char* cell : {"1x", "0x10", "1e", "--1", "+-1", "++1", "+", "-", ".", "1 2", "1_0", "nanx",
                           "infinit", "1\r2", "\"1\r\"", "e5", "#N/A"}) {
    EXPECT_NE(error_of("x\n" + std::string(cell) + "\n").find("needed a number; found"), std::string::npos)
        << cell;
  }
}

TEST(CsvErrors, a_long_or_unprintable_cell_is_cut_and_escaped) {
  EXPECT_NE(error_of("x\n\"a\tb\n\x01"
                     "c\"\n")
                .find(R"(found "a\tb\n\x01c";)"),
            std::string::npos);
  const std::string text = error_of("x\n" + std::string(5000, 'w') + "\n");
  EXPECT_NE(text.find('"' + std::string(30, 'w') + "...\""), std::string::npos) << text;
  std::string accented = "a";
  for (int i = 0; i < 100; ++i) accented += "\xC3\xBC";
  EXPECT_NE(error_of("x\n" + accented + "\n").find(accented.substr(0, 29) + "...\""), std::string::npos);
}

TEST(CsvErrors, an_empty_cell_in_a_column_of_numbers) {
  const std::string expected =
      R"([csv] t.csv, line 2, column "y": needed a number; found an empty cell; drop the row or write nan)";
  EXPECT_EQ(error_of("x,y\n1,\n"), expected);
  EXPECT_EQ(error_of("x,y\n1, \t\r\n"), expected);
  EXPECT_EQ(error_of("x,y\n1,\"\"\n"), expected);
}

TEST(CsvErrors, a_number_beyond_the_largest_double) {
  const std::string many_digits(400, '9');
  for (const std::string& cell :
       {std::string("1e999"), std::string("-1E+400"), many_digits, "0.1" + many_digits + "e999",
        std::string("1e99999999999999999999"), many_digits + "e-5"}) {
    EXPECT_NE(error_of("x\n" + cell + "\n").find("needed a number a double can hold; found"),
              std::string::npos)
        << cell;
  }
}

TEST(CsvErrors, too_few_or_too_many_cells) {
  EXPECT_EQ(error_of("a,b,c\n1,2,3\n1,2\n"),
            "[csv] t.csv, line 3: needed 3 cells, as in the header; found 2; complete the row");
  EXPECT_EQ(
      error_of("a,b\n1,2,3,4\n"),
      "[csv] t.csv, line 2: needed 2 cells, as in the header; found 4; quote cells that contain commas");
  EXPECT_NE(error_of("a,b\n1,\"2\n\",\n").find("found 3"), std::string::npos);
}

TEST(CsvErrors, a_wrong_count_is_told_before_the_odd_cell_it_causes) {
  EXPECT_NE(error_of("a,b,c\n1,mug\n").find("needed 3 cells, as in the header; found 2"), std::string::npos);
  EXPECT_NE(error_of("a,b\nNew York, NY, 5\n").find("needed 2 cells, as in the header; found 3"),
            std::string::npos);
}

TEST(CsvErrors, a_blank_line_in_the_middle) {
  const std::string expected =
      "[csv] t.csv, line 3: needed a row; found a blank line with more lines after it; delete it";
  EXPECT_EQ(error_of("a\n1\n\n2\n"), expected);
  EXPECT_EQ(error_of("a\n1\n \t\r\n\n2\n"), expected);
  EXPECT_NE(error_of("\na\n1\n").find("line 1: needed a row; found a blank line"), std::string::npos);
}

TEST(CsvErrors, an_empty_file) {
  for (const char* text : {"", "\n", " \r\n\n", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(error_of(text),
              "[csv] t.csv: needed a header line and rows; found an empty file; check what wrote it");
  }
}

TEST(CsvErrors, a_header_without_rows) {
  for (const char* text : {"a,b", "a,b\n", "a,b\r\n\r\n"}) {
    EXPECT_EQ(error_of(text), "[csv] t.csv: needed rows after the header; found none; check what wrote it");
  }
}

TEST(CsvErrors, a_column_name_that_is_empty_or_taken) {
  EXPECT_EQ(
      error_of("a,,c\n1,2,3\n"),
      "[csv] t.csv, line 1: needed a name for every column; found none for column 2; name it in the header");
  EXPECT_NE(error_of("a,\n1,2\n").find("found none for column 2"), std::string::npos);
  EXPECT_EQ(error_of("a,b, a\n1,2,3\n"),
            "[csv] t.csv, line 1: needed a different name for every column; found \"a\" twice; rename one");
}

TEST(CsvErrors, a_quote_that_is_never_closed) {
  EXPECT_EQ(
      error_of("a,b\n1,2\n3,\"4\n5,6\n7,8\n"),
      R"([csv] t.csv, line 3, column "b": needed a closing quote; found the end of the file after "\"4"; close )"
      "the quote");
  EXPECT_NE(error_of("a,\"b\n1,2\n").find("line 1: needed a closing quote"), std::string::npos);
  EXPECT_NE(error_of("a\n\"1\"\"\n").find("needed a closing quote"), std::string::npos);
}

TEST(CsvErrors, text_after_a_closing_quote) {
  EXPECT_EQ(
      error_of("a,b\n1,\"2\"x\n"),
      R"([csv] t.csv, line 2, column "b": needed a comma or the end of the line after a closing quote; found "x"; )"
      "write quotes inside quotes twice");
}

TEST(CsvErrors, a_nul_byte) {
  using namespace std::string_view_literals;
  EXPECT_NE(error_of("a,b\n1,2\n3,\0\n"sv).find("t.csv, line 3: needed text; found a NUL byte"),
            std::string::npos);
}

TEST(CsvErrors, another_separator_or_line_end) {
  EXPECT_NE(error_of("a;b\n1;2\n").find("needed columns separated by commas"), std::string::npos);
  EXPECT_NE(error_of("a\tb\n1\t2\n").find("needed columns separated by commas"), std::string::npos);
  EXPECT_NE(error_of("a,b\r1,2\r").find("found CR alone"), std::string::npos);
}

TEST(CsvErrors, an_unknown_name_in_the_options) {
  const std::string expected = R"([csv] t.csv: needed a column "z"; found "a", "b"; check the name)";
  EXPECT_EQ(error_of("a,b\n1,2\n", {.text = {"z"}, .only = {}, .skip = {}}), expected);
  EXPECT_EQ(error_of("a,b\n1,2\n", {.text = {}, .only = {"a", "z"}, .skip = {}}), expected);
  EXPECT_EQ(error_of("a,b\n1,2\n", {.text = {}, .only = {}, .skip = {"z"}}), expected);
}

TEST(CsvErrors, nothing_left_to_read) {
  EXPECT_NE(error_of("a,b\n1,2\n", {.text = {}, .only = {"a"}, .skip = {"a"}}).find("found all 2 skipped"),
            std::string::npos);
}

TEST(CsvFile, reads_what_is_in_the_file_and_names_it) {
  const std::string path = testing::TempDir() + "kedge_csv_test.csv";
  std::ofstream(path) << "a\n1\n2\n";
  EXPECT_EQ(read_csv(path).column("a").values, (std::vector<double>{1, 2}));
  EXPECT_EQ(read_csv(path).where(1), path + ", line 3");
  std::remove(path.c_str());
}

TEST(CsvFile, a_missing_file_a_directory_and_a_file_that_may_not_be_read_are_errors) {
  const std::string path = testing::TempDir() + "kedge_no_such_file.csv";
  EXPECT_EQ(error_text([&] { read_csv(path); }),
            "[csv] " + path + " cannot be read: No such file or directory; check the path");
  EXPECT_NE(error_text([] { read_csv(testing::TempDir()); }).find("it is a directory"), std::string::npos);
  std::ofstream(path) << "a\n1\n";
  std::filesystem::permissions(path, std::filesystem::perms::none);
  if (!std::ifstream(path)) {  // who may read everything cannot be refused
    EXPECT_NE(error_text([&] { read_csv(path); }).find("Permission denied"), std::string::npos);
  }
  std::remove(path.c_str());
}

bool same_double(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

void expect_same(const Table& a, const Table& b) {
  ASSERT_EQ(a.columns().size(), b.columns().size());
  ASSERT_EQ(a.rows(), b.rows());
  for (size_t c = 0; c < a.columns().size(); ++c) {
    EXPECT_EQ(a.columns()[c].name, b.columns()[c].name);
    EXPECT_EQ(a.columns()[c].words, b.columns()[c].words);
    for (size_t r = 0; r < a.rows(); ++r) {
      EXPECT_TRUE(same_double(a.columns()[c].values[r], b.columns()[c].values[r]))
          << a.columns()[c].values[r] << " became " << b.columns()[c].values[r];
    }
  }
}

TEST(CsvRoundTrip, any_double_comes_back_bit_for_bit) {
  using Limits = std::numeric_limits<double>;
  Table table("t.csv");
  std::vector<double> edge{0.0,
                           -0.0,
                           Limits::denorm_min(),
                           -Limits::denorm_min(),
                           Limits::min(),
                           Limits::max(),
                           Limits::lowest(),
                           Limits::infinity(),
                           -Limits::infinity(),
                           Limits::quiet_NaN(),
                           1e22,
                           1e23,
                           123456789012345678.0,
                           0.1,
                           5e-324,
                           1.7976931348623157e308};
  Rng rng(11, Stream::noise);
  while (edge.size() < 2000) edge.push_back(std::bit_cast<double>(rng.bits64()));
  while (edge.size() < 3000) edge.push_back(std::bit_cast<double>(rng.bits64() >> 12));  // denormals
  while (edge.size() < 4000) edge.push_back(std::round(rng.normal() * 1e4) / 1e2);
  for (const double value : edge) {
    EXPECT_TRUE(same_double(std::strtod(shortest(value).c_str(), nullptr), value)) << shortest(value);
  }
  table.add({.name = "v", .values = edge, .words = {}});
  table.add({.name = "w", .values = std::vector<double>(edge.rbegin(), edge.rend()), .words = {}});
  std::ostringstream out;
  write_csv(out, table);
  expect_same(parse(out.str()), table);
}

TEST(CsvRoundTrip, any_name_and_any_word_come_back) {
  const std::string alphabet = " \t,;\"\r\nab\xC3\xBC'=+-@1";
  Rng rng(12, Stream::noise);
  for (int trial = 0; trial < 2000; ++trial) {
    auto draw = [&](size_t least) {
      std::string text;
      for (size_t size = least + rng.below(4); text.size() < size;)
        text += alphabet[rng.below(alphabet.size())];
      return text;
    };
    Column column{.name = draw(1), .values = {}, .words = {}};
    for (int i = 0; i < 5; ++i) {
      const std::string word = draw(0);
      if (std::find(column.words.begin(), column.words.end(), word) != column.words.end()) continue;
      column.values.push_back(static_cast<double>(column.words.size()));
      column.words.push_back(word);
    }
    Table table("t.csv");
    const std::string name = column.name;
    table.add(std::move(column));
    std::ostringstream out;
    write_csv(out, table);
    SCOPED_TRACE(testing::PrintToString(out.str()));
    expect_same(parse(out.str(), {.text = {name}, .only = {}, .skip = {}}), table);
  }
}

TEST(CsvWrite, quotes_only_what_needs_it_and_writes_the_shortest_numbers) {
  Table table;
  table.add({.name = "a b", .values = {0.1, -0.0}, .words = {}});
  table.add({.name = "c,d", .values = {1e300, std::nan("")}, .words = {}});
  table.add({.name = "k", .values = {0, 1}, .words = {"say \"hi\"", "mug"}});
  std::ostringstream out;
  write_csv(out, table);
  EXPECT_EQ(out.str(), "a b,\"c,d\",k\n0.1,1e+300,\"say \"\"hi\"\"\"\n-0,nan,mug\n");
}

TEST(CsvRoundTrip, a_name_that_begins_with_a_byte_order_mark_comes_back) {
  const std::string mark = "\xEF\xBB\xBF";
  const Table table = parse(mark + mark + "a,b\n1,2\n");
  EXPECT_TRUE(table.has(mark + "a"));
  std::ostringstream out;
  write_csv(out, table);
  expect_same(parse(out.str()), table);
}

TEST(CsvWrite, puts_an_apostrophe_before_what_a_spreadsheet_would_compute) {
  Table table;
  table.add({.name = "=a", .values = {0, 1, 2}, .words = {"=1+1", "-5", "'@x"}});
  table.add({.name = "-b", .values = {-1, 2, 3}, .words = {}});
  std::ostringstream out;
  write_csv(out, table);
  EXPECT_EQ(out.str(), "'=a,'-b\n'=1+1,-1\n-5,2\n''@x,3\n");
  expect_same(parse(out.str(), {.text = {"=a"}, .only = {}, .skip = {}}), table);
}

TEST(CsvWrite, a_stream_that_fails_is_an_error) {
  Table table;
  table.add({.name = "a", .values = {1}, .words = {}});
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_NE(error_text([&] { write_csv(out, table); }).find("[csv]"), std::string::npos);
}

void expect_lawful(const Table& table) {
  ASSERT_FALSE(table.columns().empty());
  ASSERT_GT(table.rows(), 0u);
  for (size_t c = 0; c < table.columns().size(); ++c) {
    const Column& column = table.columns()[c];
    EXPECT_FALSE(column.name.empty());
    EXPECT_EQ(&table.column(column.name), &column) << "two columns share a name";
    ASSERT_EQ(column.values.size(), table.rows());
    double next = 0;
    for (const double value : column.values) {
      if (column.words.empty()) break;
      ASSERT_LE(value, next) << "words are not numbered by first appearance";
      if (value == next) ++next;
    }
    EXPECT_EQ(next, static_cast<double>(column.words.size()));
  }
}

TEST(CsvMutation, a_damaged_file_gives_a_lawful_table_or_an_error_and_nothing_else) {
  const std::string valid =
      "time,\"x, m\",kind,y\r\n0,1.5,mug,-2e-3\r\n1,+2.5,\"big \"\"pot\"\"\",nan\r\n2, 3.5 ,mug,inf\r\n"
      "3,4.5,\"two\r\nlines\",7\r\n4,5.5,pot,8\r\n\r\n";
  Rng rng(13, Stream::noise);
  int tables = 0, errors = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    const std::vector<char> text = mutated(valid, ",\"\r\n 0e-+.", rng);
    const CsvOptions by_name{.text = {"kind"}, .only = {}, .skip = {}};
    try {
      expect_lawful(parse({text.data(), text.size()}, trial % 4 == 0 ? CsvOptions{} : by_name));
      ++tables;
    } catch (const Error& error) {
      EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
      ++errors;
    }
  }
  EXPECT_GT(tables, 500);
  EXPECT_GT(errors, 500);
}

TEST(Csv, a_number_that_is_not_there_can_be_written_as_an_empty_cell) {
  Table table;
  table.add({.name = "a", .role = Role::input, .values = {1, std::nan("")}, .words = {}});
  table.add({.name = "b", .role = Role::input, .values = {std::nan(""), 2}, .words = {}});
  std::ostringstream out;
  write_csv(out, table, {.nan = ""});
  EXPECT_EQ(out.str(), "a,b\n1,\n,2\n");
}

}  // namespace
}  // namespace kedge
