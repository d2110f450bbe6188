#include "kedge/table/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/table/broken_files.h"

namespace kedge {
namespace {

Table small() {
  Table table("X");
  table.add({.name = "a", .role = Role::input, .values = {1, 2, 3}, .words = {}});
  table.add({.name = "b", .role = Role::output, .values = {4, 5, 6}, .words = {}});
  table.add({.name = "kind", .role = Role::label, .values = {0, 1, 0}, .words = {"mug", "pot"}});
  return table;
}

TEST(Table, puts_the_named_columns_side_by_side_in_the_order_asked_for) {
  EXPECT_EQ(small().matrix({"b", "a"}), (Matrix<double>(3, 2, {4, 1, 5, 2, 6, 3})));
  EXPECT_EQ(small().matrix({}).rows(), 3u);
}

TEST(Table, keeps_roles_and_lists_names_by_role_in_table_order) {
  Table table = small();
  EXPECT_EQ(table.names(Role::input), std::vector<std::string>{"a"});
  table.assign(Role::input, {"b"});
  EXPECT_EQ(table.names(Role::input), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(table.names(Role::output).empty());
}

TEST(Table, assign_changes_nothing_when_a_name_is_unknown) {
  Table table = small();
  const std::string text = error_text([&] { table.assign(Role::ignored, {"a", "z"}); });
  EXPECT_EQ(text, R"([table] X needs a column "z"; found "a", "b", "kind"; check the name)");
  EXPECT_TRUE(table.names(Role::ignored).empty());
}

TEST(Table, refuses_a_name_that_is_taken_or_empty) {
  Table table = small();
  EXPECT_NE(error_text([&] {
              table.add({.name = "a", .values = {1, 2, 3}, .words = {}});
            }).find("\"a\" twice"),
            std::string::npos);
  EXPECT_NE(error_text([&] {
              table.add({.name = "", .values = {1, 2, 3}, .words = {}});
            }).find("an empty one"),
            std::string::npos);
}

TEST(Table, refuses_a_column_of_another_length) {
  Table table = small();
  const std::string text = error_text([&] { table.add({.name = "c", .values = {1, 2}, .words = {}}); });
  EXPECT_NE(text.find("needs 3 rows in every column; found 2 in column \"c\""), std::string::npos) << text;
}

TEST(Table, refuses_values_of_a_text_column_that_are_no_index_of_a_word) {
  for (const double value : {-1.0, 0.5, 2.0, std::nan("")}) {
    Table table;
    EXPECT_NE(error_text([&] { table.add({.name = "c", .values = {0, value}, .words = {"u", "v"}}); }), "");
  }
}

TEST(Table, names_the_columns_there_are_when_one_is_missing_and_never_floods_the_line) {
  Table table;
  EXPECT_NE(error_text([&] { table.column("a"); }).find("found no columns"), std::string::npos);
  for (int i = 0; i < 1000; ++i) {
    table.add({.name = "column\n" + std::to_string(i), .values = {}, .words = {}});
  }
  const std::string text = error_text([&] { table.column("a"); });
  EXPECT_NE(text.find("\"column\\n0\", "), std::string::npos) << text;
  EXPECT_NE(text.find("and 980 more"), std::string::npos) << text;
  EXPECT_LT(text.size(), 1000u);
}

TEST(Table, says_where_a_row_stands_by_line_when_lines_are_known_and_by_row_otherwise) {
  Table table = small();
  EXPECT_EQ(table.where(2), "X, row 2");
  table.set_lines({2, 3, 7});
  EXPECT_EQ(table.where(2), "X, line 7");
}

TEST(Table, a_matrix_becomes_columns_numbered_from_zero) {
  const Matrix<double> matrix(2, 3, {1, 2, 3, 4, 5, 6});
  const Table table = table_from_matrix(matrix, "X");
  EXPECT_EQ(table.names(Role::input), (std::vector<std::string>{"x0", "x1", "x2"}));
  EXPECT_EQ(table.matrix({"x0", "x1", "x2"}), matrix);
  EXPECT_TRUE(table_from_matrix(matrix, "Y", "y").has("y2"));
}

TEST(RequireFinite, names_the_first_row_and_column_that_is_not_finite) {
  Table table("X");
  table.add({.name = "a", .values = {1, 2, std::nan("")}, .words = {}});
  table.add({.name = "b", .values = {1, -std::numeric_limits<double>::infinity(), 3}, .words = {}});
  EXPECT_EQ(
      error_text([&] {
        require_finite(table, {"a", "b"}, "fit");
      }),
      R"([fit] X, row 1, column "b": needed a finite number; found -inf; drop the row or fill in a value)");
  EXPECT_NE(error_text([&] { require_finite(table, {"a"}, "fit"); }).find("X, row 2, column \"a\""),
            std::string::npos);
  EXPECT_EQ(error_text([&] { require_finite(small(), {"a", "b"}, "fit"); }), "");
}

}  // namespace
}  // namespace kedge
