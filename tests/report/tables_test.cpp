#include "kedge/report/tables.h"

#include <gtest/gtest.h>

#include "kedge/core/error.h"
#include "well_formed.h"

namespace kedge {
namespace {

TextTable errors() {
  return {.columns = {{"model"}, {"error", Align::right}, {"verdict", Align::center}},
          .rows = {{"mlp", "1.25", {"worse", Emphasis::bad}},
                   {"bilinear", {"0.079 ± 0.012", Emphasis::strong}, {"ok", Emphasis::good}},
                   {{"linear", Emphasis::muted}}},
          .caption = "Out of range"};
}

TEST(TextTable, renders_to_html_with_alignment_and_emphasis) {
  const std::string html = to_html(errors());
  EXPECT_EQ(fault_in(html), "");
  EXPECT_NE(html.find("<caption>Out of range</caption>"), std::string::npos);
  EXPECT_NE(html.find("<th>model</th><th class=\"right\">error</th><th class=\"center\">verdict</th>"),
            std::string::npos);
  EXPECT_NE(html.find("<td class=\"right strong\">0.079 ± 0.012</td>"), std::string::npos);
  EXPECT_NE(
      html.find("<td class=\"muted\">linear</td><td class=\"right\"></td><td class=\"center\"></td></tr>"),
      std::string::npos)
      << "a short row is filled";
}

TEST(TextTable, renders_to_aligned_text) {
  EXPECT_EQ(to_text(errors()),
            "Out of range\n"
            "\n"
            "model             error  verdict\n"
            "────────  ─────────────  ───────\n"
            "mlp                1.25   worse\n"
            "bilinear  0.079 ± 0.012    ok\n"
            "linear\n");
}

TEST(TextTable, writes_escapes_only_for_a_terminal_and_keeps_the_alignment) {
  EXPECT_EQ(to_text(errors()).find('\x1b'), std::string::npos);
  std::string ansi = to_text(errors(), TerminalStyle::ansi);
  EXPECT_NE(ansi.find("\x1b[1m0.079 ± 0.012\x1b[0m"), std::string::npos);
  for (size_t at = ansi.find('\x1b'); at != std::string::npos; at = ansi.find('\x1b')) {
    ansi.erase(at, ansi.find('m', at) + 1 - at);
  }
  EXPECT_EQ(ansi.substr(0, ansi.find("linear")),
            to_text(errors()).substr(0, to_text(errors()).find("linear")));
}

TEST(TextTable, renders_to_markdown) {
  EXPECT_EQ(to_markdown(errors()),
            "Out of range\n"
            "\n"
            "| model    |             error | verdict |\n"
            "| -------- | ----------------: | :-----: |\n"
            "| mlp      |              1.25 |  worse  |\n"
            "| bilinear | **0.079 ± 0.012** |   ok    |\n"
            "| *linear* |                   |         |\n");
}

TEST(TextTable, emphasizes_parts_of_a_cell) {
  const TextTable table{
      .columns = {{"error", Align::right}, {"x"}},
      .rows = {{TextCell({{"1 | "}, {"2", Emphasis::strong}, {" | "}, {"ok", Emphasis::good}}), "y"}}};
  EXPECT_NE(to_html(table).find("<td class=\"right\">1 | <span class=\"strong\">2</span> | "
                                "<span class=\"good\">ok</span></td>"),
            std::string::npos);
  EXPECT_EQ(to_text(table), "     error  x\n──────────  ─\n1 | 2 | ok  y\n");
  EXPECT_NE(to_text(table, TerminalStyle::ansi).find("1 | \x1b[1m2\x1b[0m | \x1b[32mok\x1b[0m  y"),
            std::string::npos);
  EXPECT_NE(to_markdown(table).find("| 1 \\| **2** \\| ok | y"), std::string::npos);
}

TEST(TextTable, no_text_breaks_out_of_its_cell) {
  const TextTable table{.columns = {{"a|b"}, {"<i>"}}, .rows = {{"x\ny|z", "a & *b* \x1b[31m"}}};
  EXPECT_EQ(fault_in(to_html(table)), "");
  EXPECT_EQ(to_markdown(table),
            "| a\\|b   | \\<i>              |\n"
            "| ------ | ----------------- |\n"
            "| x y\\|z | a \\& \\*b\\*  \\[31m |\n");
  EXPECT_EQ(to_text(table),
            "a|b    <i>\n"
            "─────  ─────────────\n"
            "x y|z  a & *b*  [31m\n");
}

TEST(TextTable, with_no_columns_or_no_rows_still_renders) {
  EXPECT_EQ(fault_in(to_html(TextTable{})), "");
  EXPECT_NO_THROW(to_text({}));
  EXPECT_NO_THROW(to_markdown({}));
  EXPECT_EQ(to_text({.columns = {{"only"}}}), "only\n────\n");
}

TEST(TextTable, a_row_longer_than_the_columns_is_refused) {
  const TextTable table{.columns = {{"a"}}, .rows = {{"1", "2"}}};
  EXPECT_THROW(to_html(table), Error);
  EXPECT_THROW(to_text(table), Error);
  EXPECT_THROW(to_markdown(table), Error);
}

}  // namespace
}  // namespace kedge
