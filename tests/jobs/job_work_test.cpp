#include "kedge/jobs/job_work.h"

#include <gtest/gtest.h>

#include "tests/jobs/kept_work.h"

namespace kedge {
namespace {

TEST(JobWork, names_programs_alike_whatever_seed_and_domain_they_are_trained_with) {
  const auto program = [](const char* domain, int width, uint64_t seed) {
    return tiny_job(domain, width, seed).fit->program();
  };
  EXPECT_EQ(program("sawtooth", 8, 0), program("polynomial", 8, 1));
  EXPECT_NE(program("sawtooth", 8, 0), program("sawtooth", 16, 0));
  EXPECT_NE(program("sawtooth", 8, 0), program("grasp-mug", 8, 0));
  EXPECT_EQ(closed_job("sawtooth").fit->program(), "");
}

}  // namespace
}  // namespace kedge
