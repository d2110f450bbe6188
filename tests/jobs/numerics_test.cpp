#include "kedge/jobs/numerics.h"

#include <gtest/gtest.h>

#include "kedge/core/format.h"
#include "kedge/jobs/build.h"

namespace kedge {
namespace {

TEST(Numerics, of_a_device_count_its_version_and_those_of_the_cpu_do_not) {
  EXPECT_EQ(numerics_of("cpu"),
            fmt::format("numerics {}, {}, {}", numerics_version, build().compiler, build().instructions));
  EXPECT_EQ(numerics_of("cuda (NVIDIA H200)"),
            fmt::format("{}, cuda numerics {}", numerics_of("cpu"), cuda_numerics_version));
}

TEST(Numerics, of_today_hold_whatever_the_compiler_and_older_ones_do_not) {
  EXPECT_TRUE(holds_today(numerics_of("cpu")));
  EXPECT_TRUE(holds_today(numerics_of("cuda (NVIDIA H200)")));
  EXPECT_TRUE(holds_today(fmt::format("numerics {}, Clang 14.0.6, portable", numerics_version)));
  EXPECT_FALSE(holds_today(""));
  EXPECT_FALSE(holds_today(fmt::format("numerics {}", numerics_version)));
  EXPECT_FALSE(holds_today(fmt::format("numerics {}, GNU 12.2.0, x86-64-v4", numerics_version + 1)));
  EXPECT_FALSE(holds_today(fmt::format("numerics {}0, GNU 12.2.0, x86-64-v4", numerics_version)));
  EXPECT_FALSE(
      holds_today(fmt::format("{}, cuda numerics {}", numerics_of("cpu"), cuda_numerics_version + 1)));
}

}  // namespace
}  // namespace kedge
