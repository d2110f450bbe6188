#include "kedge/table/formula.h"

#include <gtest/gtest.h>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

TEST(Formula, gets_an_apostrophe_and_numbers_and_words_do_not) {
  for (const char* text : {"=1+1", "+x", "-x", "@sum", "\tx", "\rx", "'=x", "''-x", "-", "=", "'-5"})
    EXPECT_EQ(guarded_formula(text), std::string("'") + text);
  for (const char* text : {"", "x", "-5", "+2.5e3", "-inf", "'", "''", "'x", "a=b", "5-3"})
    EXPECT_EQ(guarded_formula(text), text);
}

TEST(Formula, any_text_comes_back_from_its_guard) {
  const std::string alphabet = "'=+-@\t\rx1. ";
  Rng rng(1, Stream::noise);
  for (int trial = 0; trial < 5000; ++trial) {
    std::string text;
    for (size_t size = rng.below(6); text.size() < size;) text += alphabet[rng.below(alphabet.size())];
    const std::string guarded = guarded_formula(text);
    EXPECT_EQ(without_guard(guarded), text) << testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace kedge
