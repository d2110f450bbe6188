#include "kedge/report/text.h"

#include <gtest/gtest.h>

namespace kedge {
namespace {

TEST(Text, escapes_every_character_that_markup_reads) {
  EXPECT_EQ(escape_xml(R"(a & b < c > d "e" 'f')"), "a &amp; b &lt; c &gt; d &quot;e&quot; &#39;f&#39;");
  EXPECT_EQ(escape_xml("σ ≤ 1 · 漢 🙂"), "σ ≤ 1 · 漢 🙂");
}

TEST(Text, replaces_what_is_not_utf8_or_not_allowed_in_xml) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(escape_xml("caf\xE9!"), "caf" + bad + "!");
  EXPECT_EQ(escape_xml(std::string_view("a\0b\x1b"
                                        "c\n",
                                        6)),
            "a" + bad + "b" + bad + "c\n");
  EXPECT_EQ(escape_xml("a\u202eb\u2066\u0085"), "a" + bad + "b" + bad + bad) << "marks that turn text";
  EXPECT_EQ(escape_xml("\xC0\xAF"), bad + bad) << "an overlong slash";
  EXPECT_EQ(escape_xml("\xED\xA0\x80"), bad + bad + bad) << "a surrogate";
  EXPECT_EQ(escape_xml("x\xE2\x82"), "x" + bad + bad) << "a character cut short";
}

TEST(Text, a_number_of_any_size_is_short) {
  EXPECT_EQ(rounded(0.12345, 4), "0.1235");
  EXPECT_EQ(rounded(-999999.5, 1), "-999999.5");
  EXPECT_EQ(rounded(1e300, 4), "1.0000e+300");
  EXPECT_EQ(rounded(-2.5e6, 3), "-2.500e+06");
}

TEST(Text, width_counts_columns_not_bytes) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("±σ"), 2u);
  EXPECT_EQ(display_width("漢字"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
}

TEST(Text, that_does_not_fit_ends_in_an_ellipsis_and_then_fits) {
  const std::string text = "a rather long title about σ and other things";
  EXPECT_EQ(fit_text(text, 1000, 13), text);
  const std::string cut = fit_text(text, 120, 13);
  EXPECT_TRUE(cut.ends_with("…")) << cut;
  EXPECT_LE(text_pixels(cut, 13), 120);
  EXPECT_GT(cut.size(), 10u);
}

}  // namespace
}  // namespace kedge
