#include "kedge/core/message_of.h"

#include <gtest/gtest.h>

namespace kedge {
namespace {

TEST(MessageOf, is_the_text_without_its_verb) {
  EXPECT_EQ(message_of(Error("same unit", "needs \"a[1] b\"; found [2] ")), "needs \"a[1] b\"; found [2] ");
}

}  // namespace
}  // namespace kedge
