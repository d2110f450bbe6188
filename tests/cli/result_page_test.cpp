#include "cli/result_page.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace kedge {
namespace {

Cell error_of(const std::string& row, const std::string& column, double mean) {
  Cell cell{row, column, "default", "oos", {}, {mean, 0.1, 3}};
  cell.contends = true;
  return cell;
}

Result result_of(std::vector<Cell> cells) {
  Result result{};
  result.cells = std::move(cells);
  return result;
}

/// The columns that are strong in each row of the first table, "row/column".
std::set<std::string> strong_in(const Result& result) {
  std::set<std::string> found;
  const TextTable table = tables_of(result).front();
  for (const auto& row : table.rows)
    for (size_t c = 1; c < row.size(); ++c)
      for (const TextPart& part : row[c].parts)
        if (part.emphasis == Emphasis::strong)
          found.insert(row[0].parts[0].text + "/" + table.columns[c].heading);
  return found;
}

using Names = std::set<std::string>;

TEST(ResultTables, show_the_least_error_of_each_row_in_bold) {
  const Result result = result_of({error_of("Mug", "Linear", 3), error_of("Mug", "Ours", 2),
                                   error_of("Bottle", "Linear", 1), error_of("Bottle", "Ours", 4)});
  EXPECT_EQ(strong_in(result), (Names{"Mug/Ours", "Bottle/Linear"}));
}

TEST(ResultTables, show_equal_least_errors_alike) {
  EXPECT_EQ(strong_in(result_of({error_of("Mug", "a", 2), error_of("Mug", "b", 2), error_of("Mug", "c", 3)})),
            (Names{"Mug/a", "Mug/b"}));
}

TEST(ResultTables, never_show_what_diverged_or_is_no_error_of_a_method_in_bold) {
  Result result = result_of({error_of("Mug", "diverged", 0.1), error_of("Mug", "unknown", std::nan("")),
                             error_of("Mug", "expert", 0.2), error_of("Mug", "Linear", 3),
                             error_of("Mug", "Ours", 2), error_of("Bottle", "alone", 1)});
  result.cells[0].failed = 1;
  result.cells[2].contends = false;
  EXPECT_EQ(strong_in(result), (Names{"Mug/Ours"}));
}

TEST(ResultTables, look_for_the_least_error_in_one_table_at_a_time) {
  Result result = result_of({error_of("Mug", "Linear", 3), error_of("Mug", "Ours", 2),
                             error_of("Mug", "Linear", 0.3), error_of("Mug", "Ours", 0.2)});
  result.cells[2].split = result.cells[3].split = "in";
  EXPECT_EQ(tables_of(result).size(), 2u);
  EXPECT_EQ(strong_in(result), (Names{"Mug/Ours"}));
}

TEST(ResultTables, of_cells_that_share_no_row_or_column_grow_with_the_cells) {
  std::vector<Cell> cells;
  for (int i = 0; i < 3000; ++i)
    cells.push_back(error_of("r" + std::to_string(i), "c" + std::to_string(i), 1));
  for (const auto& tables : {tables_of(result_of(cells)), narrow_tables_of(result_of(cells))}) {
    size_t places = 0;
    for (const TextTable& table : tables) places += table.rows.size() * table.columns.size();
    EXPECT_LE(places, 5 * cells.size());
    EXPECT_GE(places, cells.size());
  }
}

TEST(ResultTables, keep_the_colour_of_an_agreement_beside_a_bold_error) {
  Result result = result_of({error_of("Mug", "Linear", 3), error_of("Mug", "Ours", 2)});
  result.cells[1].published = Measured{2, 0.5, 0};
  const std::string html = to_html(tables_of(result).front());
  EXPECT_NE(html.find("<span class=\"strong\">2.00\u00a0±\u00a00.10</span>"), std::string::npos) << html;
  EXPECT_NE(html.find("<span class=\"good\">agrees"), std::string::npos) << html;
  const TextTable list = narrow_tables_of(result).front();
  EXPECT_EQ(list.rows[1][2].parts[0].emphasis, Emphasis::strong);
  EXPECT_EQ(list.rows[1][4].parts[0].emphasis, Emphasis::good);
}

TEST(ResultPage, says_what_bold_means_and_names_no_machine_where_none_worked) {
  Result result = result_of({});
  result.id = "fig-x";
  result.command = "kedge reproduce fig-x";
  result.version = "1";
  result.build = "b";
  const std::string html = to_html(page_of({result}, "kedge report results"));
  EXPECT_NE(html.find("Bold is the least error"), std::string::npos);
  EXPECT_NE(html.find("(kedge 1; build b)"), std::string::npos) << html;
}

}  // namespace
}  // namespace kedge
