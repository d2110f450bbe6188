#include "kedge/report/narrow.h"

#include <gtest/gtest.h>

#include "kedge/report/text.h"

namespace kedge {
namespace {

TextTable verdicts() {
  return {.columns = {{"verdict"}, {"mean support distance", Align::right}, {"what it means"}},
          .rows = {{"reachable", "0.25", {"outside, but a difference like that was seen", Emphasis::muted}},
                   {"edge", "1.5", "nearly"}}};
}

TEST(NarrowTable, is_untouched_where_it_fits) {
  EXPECT_EQ(fitting_widths(verdicts(), 0), (std::vector<size_t>{9, 21, 44}));
  EXPECT_EQ(to_text(verdicts(), TerminalStyle::plain, 78), to_text(verdicts()));
}

TEST(NarrowTable, breaks_its_widest_cells_between_words) {
  EXPECT_EQ(to_text(verdicts(), TerminalStyle::plain, 64),
            "verdict    mean support distance  what it means\n"
            "─────────  ─────────────────────  ──────────────────────────────\n"
            "reachable                   0.25  outside, but a difference like\n"
            "                                  that was seen\n"
            "edge                         1.5  nearly\n");
}

TEST(NarrowTable, tells_below_what_would_be_squeezed_at_its_right) {
  EXPECT_EQ(to_text(verdicts(), TerminalStyle::plain, 40),
            "verdict    mean support distance\n"
            "─────────  ─────────────────────\n"
            "reachable                   0.25\n"
            "edge                         1.5\n"
            "\n"
            "verdict    what it means\n"
            "─────────  ─────────────────────────────\n"
            "reachable  outside, but a difference\n"
            "           like that was seen\n"
            "edge       nearly\n");
  const TextTable numbers{.columns = {{"a"}, {"b"}, {"c"}},
                          .rows = {{"1 2 3 4 5 6 7 8", "1 2 3 4 5 6 7 8", "9"}}};
  EXPECT_EQ(parts_that_fit(numbers, 20).size(), 1u);
}

TEST(NarrowTable, keeps_words_whole_even_where_it_is_too_wide_then) {
  const std::vector<size_t> widths = fitting_widths(verdicts(), 10);
  EXPECT_EQ(widths, (std::vector<size_t>{9, 8, 10}));
  EXPECT_NE(to_text(verdicts(), TerminalStyle::plain, 10).find("difference"), std::string::npos);
}

TEST(NarrowTable, keeps_the_emphasis_of_each_part) {
  const TextCell cell(std::vector<TextPart>{{"1 ± ", Emphasis::none}, {"2 good", Emphasis::good}});
  const auto lines = broken({cell}, {5});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0][0].parts.back().text, "2");
  EXPECT_EQ(lines[0][0].parts.back().emphasis, Emphasis::good);
  EXPECT_EQ(lines[1][0].parts[0].text, "good");
  EXPECT_EQ(lines[1][0].parts[0].emphasis, Emphasis::good);
}

TEST(NarrowTable, counts_what_a_terminal_shows_and_not_bytes) {
  const TextTable table{.columns = {{"größe größe"}}, .rows = {{"温度 温度"}}};
  EXPECT_EQ(fitting_widths(table, 0), (std::vector<size_t>{11}));
  EXPECT_EQ(fitting_widths(table, 1), (std::vector<size_t>{5}));
}

}  // namespace
}  // namespace kedge
