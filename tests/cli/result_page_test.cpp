#include "cli/result_page.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "cli/result_summary.h"
#include "kedge/jobs/numerics.h"

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
  EXPECT_NE(
      html.find("<span class=\"strong\">2.00 ± 0.10</span><br/><span class=\"good\">agrees with<br/>2.000 ± "
                "0.500</span>"),
      std::string::npos)
      << html;
  const TextTable list = narrow_tables_of(result).front();
  EXPECT_EQ(list.rows[1][2].parts[0].emphasis, Emphasis::strong);
  EXPECT_EQ(list.rows[1][4].parts[0].emphasis, Emphasis::good);
}

/// Three published cells: one agrees, one is lower, one is higher by `times`.
Result compared(const std::string& id, double times) {
  Result result = result_of({error_of("Mug", "a", 2), error_of("Mug", "b", 1),
                             error_of("Mug", "c", 2 * times), error_of("Mug", "d", 2)});
  for (size_t i = 0; i < 3; ++i) result.cells[i].published = Measured{2, 0.5, 0};
  result.id = id;
  return result;
}

TEST(ResultSummary, counts_what_agrees_is_better_and_is_worse_by_table) {
  const std::vector<Result> results = {compared("table-1", 3), result_of({}), compared("table-2", 5)};
  EXPECT_EQ(agreement_sentence(results),
            "Of 6 errors with a published value, 2 agree with it, 2 are lower, which is better, and 2 are "
            "higher.");
  const Section section = agreement_section(results);
  const auto& table = std::get<TextTable>(section.parts.at(0));
  ASSERT_EQ(table.rows.size(), 2u) << "a result without published values has no row";
  EXPECT_EQ(table.rows[0][3].parts[0].emphasis, Emphasis::fine);
  const auto& worst = std::get<ItemList>(section.parts.at(2));
  ASSERT_EQ(worst.items.size(), 2u);
  EXPECT_TRUE(
      worst.items[0].starts_with("table-2, out of support, default preset: Mug, c: 10.00 ± 0.10, 5 times"))
      << worst.items[0];
}

TEST(ResultSummary, is_absent_where_nothing_was_published) {
  EXPECT_EQ(agreement_sentence({result_of({error_of("Mug", "a", 2)})}), "");
  EXPECT_TRUE(agreement_section({result_of({})}).parts.empty());
}

TEST(ResultSummary, a_lower_error_has_a_colour_too) {
  Cell cell = error_of("Mug", "a", 1);
  EXPECT_EQ(emphasis_of_agreement(cell), Emphasis::muted);
  cell.published = Measured{2, 0.5, 0};
  EXPECT_EQ(emphasis_of_agreement(cell), Emphasis::fine);
}

TEST(ResultPage, begins_with_the_summary_and_has_figures_before_tables) {
  Result figure = result_of({});
  figure.id = "fig-x";
  figure.charts = {{.series = {{.x = {0, 1}, .y = {0, 1}}}}};
  const Page page = page_of({compared("table-1", 3), figure}, "kedge report results");
  ASSERT_EQ(page.sections.size(), 3u);
  EXPECT_EQ(page.sections[0].heading, "Summary");
  EXPECT_EQ(page.sections[1].heading, "fig-x: ");
  EXPECT_TRUE(page.conclusion.starts_with("Of 3 errors"));
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

TEST(ResultPage, says_of_each_result_whether_it_holds_for_this_program) {
  Result result = result_of({});
  const auto page = [&](const std::string& numerics) {
    result.numerics = numerics;
    return to_html(page_of({result}, "kedge report results"));
  };
  EXPECT_NE(page(numerics_of("cpu")).find("It holds for this program: numerics "), std::string::npos);
  EXPECT_NE(page("").find("It is of a program before numerics 1"), std::string::npos);
  const std::string older = page("numerics 0, GNU 9.9.9, x86-64-v4");
  EXPECT_NE(older.find("It is of numerics 0, GNU 9.9.9, x86-64-v4; this program has " + numerics_of("cpu")),
            std::string::npos)
      << older;
}

}  // namespace
}  // namespace kedge
