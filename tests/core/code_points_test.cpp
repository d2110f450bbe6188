#include "kedge/core/code_points.h"

#include <gtest/gtest.h>

#include "kedge/core/files.h"
#include "kedge/core/shown.h"

namespace kedge {
namespace {

// One of each kind: C0, DEL, C1, marks, separators, embeddings, overrides, isolates, byte order mark.
const std::vector<std::string> controls = {"\x01",   "\x7f",   "\u0085", "\u009b", "\u061c",
                                           "\u200e", "\u200f", "\u2028", "\u202a", "\u202e",
                                           "\u2066", "\u2069", "\ufeff"};

TEST(CodePoints, are_read_from_utf8_and_nothing_else) {
  EXPECT_EQ(first_code_point("a").value, U'a');
  EXPECT_EQ(first_code_point("ü").value, U'ü');
  EXPECT_EQ(first_code_point("漢x").bytes, 3u);
  EXPECT_EQ(first_code_point("🙂").value, U'🙂');
  for (const char* bad : {"\x80", "\xC0\xAF", "\xE9", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x82"})
    EXPECT_FALSE(first_code_point(bad).is_valid);
  EXPECT_TRUE(first_code_point("\uFFFD").is_valid);
}

TEST(CodePoints, that_turn_or_hide_text_are_controls) {
  for (const std::string& text : controls) EXPECT_TRUE(is_control(first_code_point(text).value));
  for (const char* text : {" ", "~", "\u00a0", "é", "‐", "\u200d", "漢", "🙂"})
    EXPECT_FALSE(is_control(first_code_point(text).value)) << text;
  EXPECT_EQ(without_controls("a\u202eb\nc\xff", "."), "a.b.c.");
}

TEST(OneLine, has_no_control_and_nothing_that_is_not_utf8) {
  for (const std::string& text : controls) EXPECT_EQ(one_line("a" + text + "b"), "a?b");
  EXPECT_EQ(one_line("größe \xff"), "größe ?");
}

TEST(Shown, escapes_controls_and_bytes_that_are_not_utf8) {
  EXPECT_EQ(shown("a\u202eb"), "\"a\\u202eb\"");
  EXPECT_EQ(shown("\ufeffx\u0085"), "\"\\ufeffx\\u0085\"");
  EXPECT_EQ(shown("caf\xe9\x1b"), "\"caf\\xe9\\x1b\"");
  EXPECT_EQ(shown("größe \"q\"\n"), "\"größe \\\"q\\\"\\n\"");
}

}  // namespace
}  // namespace kedge
