#include "kedge/report/page.h"

#include <gtest/gtest.h>

#include "count.h"
#include "well_formed.h"

namespace kedge {
namespace {

Chart chart(const std::string& title) {
  return {
      .title = title,
      .series = {{.name = "truth", .x = {0, 1}, .y = {0, 1}}, {.name = "guess", .x = {0, 1}, .y = {1, 0}}},
      .y_range = {{0, 1}},
      .width = 300,
      .height = 200};
}

TEST(Page, holds_all_its_parts_in_order_and_is_well_formed) {
  const Page page{
      .title = "Results & more",
      .intro = "What was <asked>.",
      .sections = {{"First", {Paragraph{"Text."}, TextTable{.columns = {{"a"}}, .rows = {{"1"}}}}},
                   {"Second", {Figure{{chart("One")}, "A caption."}}}},
      .provenance = {"kedge reproduce --seeds 3", "0.1.0", "a machine", {0, 1, 2}}};
  const std::string html = to_html(page);
  EXPECT_EQ(fault_in(html), "");
  size_t at = 0;
  for (const char* part :
       {"<!DOCTYPE html>", "<title>Results &amp; more</title>", "<h1>Results &amp; more</h1>",
        "What was &lt;asked&gt;.", "<h2>First</h2>", "<p>Text.</p>", "<table>", "<h2>Second</h2>", "<svg",
        "A caption.", "<footer>", "<code>kedge reproduce --seeds 3</code>", "0.1.0", "a machine", "0, 1, 2",
        "</html>"}) {
    at = html.find(part, at);
    ASSERT_NE(at, std::string::npos) << part;
  }
  EXPECT_EQ(to_html(page), html);
}

TEST(Page, needs_nothing_but_itself) {
  const std::string html = to_html(Page{.title = "t", .sections = {{"s", {Figure{{chart("One")}, ""}}}}});
  for (const char* part : {"<script", "<link", "src=", "@import", "https:"}) {
    EXPECT_EQ(html.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(count(html, "http:"), count(html, "xmlns=\"http:")) << "only the name of the SVG language";
}

TEST(Page, equal_charts_on_one_page_have_different_ids) {
  const Figure twice{{chart("Same"), chart("Same")}, ""};
  const std::string html = to_html(Page{.title = "t", .sections = {{"a", {twice, twice}}, {"b", {twice}}}});
  EXPECT_EQ(count(html, "<clipPath"), 6u);
  EXPECT_EQ(fault_in(html), "");
}

TEST(Page, has_one_style_sheet_for_all_its_charts) {
  const auto html = [](size_t charts) {
    return to_html(Page{.sections = {{"s", {Figure{std::vector<Chart>(charts, chart("Same")), ""}}}}});
  };
  EXPECT_EQ(count(html(7), "prefers-color-scheme"), count(html(1), "prefers-color-scheme"));
  EXPECT_NE(html(1).find(chart_styles()), std::string::npos);
  EXPECT_EQ(count(to_svg(chart("Same"), "a", ChartStyles::in_document), "<style"), 0u);
}

TEST(Page, charts_with_the_same_names_share_one_legend) {
  const auto legends = [](const Figure& figure) {
    return count(to_html(Page{.sections = {{"s", {figure}}}}), ">guess</text>");
  };
  Chart other = chart("Two");
  EXPECT_EQ(legends({{chart("One"), other}, ""}), 0u);
  EXPECT_EQ(legends({{chart("One")}, ""}), 1u);
  other.series[0].name = "another";
  EXPECT_EQ(legends({{chart("One"), other}, ""}), 2u);
}

TEST(Page, many_sections_are_listed_and_an_empty_page_still_renders) {
  Page page{.title = "t"};
  EXPECT_EQ(fault_in(to_html(page)), "");
  EXPECT_EQ(to_html(page).find("<footer>"), std::string::npos);
  for (const char* heading : {"a", "b", "c", "d & e"}) page.sections.push_back({heading, {}});
  const std::string html = to_html(page);
  EXPECT_EQ(fault_in(html), "");
  EXPECT_NE(html.find("<a href=\"#section-4\">d &amp; e</a>"), std::string::npos);
  EXPECT_NE(html.find("<section id=\"section-4\">"), std::string::npos);
}

TEST(Page, charts_are_shrunk_by_a_quarter_at_most_and_small_ones_not_at_all) {
  const auto least = [](int width) {
    Chart one = chart("One");
    one.width = width;
    const std::string html = to_html(Page{.sections = {{"s", {Figure{{one, one}, ""}}}}});
    const size_t at = html.find("--least:", html.find("<body>"));
    return html.substr(at, html.find('"', at) - at);
  };
  EXPECT_EQ(least(220), "--least:220px");
  EXPECT_EQ(least(300), "--least:272px");
  EXPECT_EQ(least(560), "--least:420px");
}

TEST(Page, says_its_conclusion_first_and_shows_commands_as_code) {
  const Page page{.title = "t",
                  .conclusion = "It <works>; run `a < b`.",
                  .intro = "One ` alone.",
                  .sections = {{"s", {ItemList{{"first", "`--second`"}}, ItemList{}}}}};
  const std::string html = to_html(page);
  EXPECT_EQ(fault_in(html), "");
  const size_t conclusion =
      html.find("<p class=\"conclusion\">It &lt;works&gt;; run <code>a &lt; b</code>.</p>");
  EXPECT_NE(conclusion, std::string::npos) << html;
  EXPECT_LT(conclusion, html.find("<p>One ` alone.</p>"));
  EXPECT_NE(html.find("<ul>\n<li>first</li>\n<li><code>--second</code></li>\n</ul>\n</section>"),
            std::string::npos)
      << html;
  EXPECT_EQ(plain_prose(page.conclusion), "It <works>; run 'a < b'.");
}

TEST(Page, with_a_dozen_charts_of_huge_series_stays_below_a_megabyte) {
  Chart large = chart("Large");
  for (int i = 0; i < 100000; ++i) {
    large.series[0].x.push_back(i * 1e-5);
    large.series[0].y.push_back((i * 7919 % 1000) * 1e-3);
  }
  const Figure figure{std::vector<Chart>(12, large), ""};
  EXPECT_LT(to_html(Page{.sections = {{"s", {figure}}}}).size(), 1000000u);
}

}  // namespace
}  // namespace kedge
