#include "kedge/core/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace kedge {
namespace {

TEST(Pool, runs_every_task_exactly_once_for_any_number_of_threads) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (size_t tasks : {0u, 1u, 2u, 1000u}) {
      std::vector<std::atomic<int>> runs(tasks);
      pool.run(tasks, [&](size_t k) { ++runs[k]; });
      for (const auto& count : runs) EXPECT_EQ(count, 1);
    }
  }
}

TEST(Pool, rethrows_the_exception_of_the_lowest_task_and_stays_usable) {
  ThreadPool pool(3);
  try {
    pool.run(100, [](size_t k) {
      if (k % 10 == 7) throw std::runtime_error(std::to_string(k));
    });
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "7");
  }
  std::atomic<int> runs = 0;
  pool.run(50, [&](size_t) { ++runs; });
  EXPECT_EQ(runs, 50);
}

}  // namespace
}  // namespace kedge
