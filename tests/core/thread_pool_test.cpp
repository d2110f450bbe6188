#include "kedge/core/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/core/allocations.h"

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

/// Runs tasks on a pool in a process of its own; 0 when each ran once.
[[noreturn]] void run_and_exit() {
  std::atomic<int> runs = 0;
  try {
    ThreadPool pool(6);
    allow_allocations(SIZE_MAX);
    pool.run(50, [&](size_t) { ++runs; });
  } catch (const std::bad_alloc&) {
    ::_exit(0);  // not even the caller's own thread has memory
  }
  ::_exit(runs == 50 ? 0 : 1);
}

TEST(Pool, without_memory_for_a_thread_does_with_fewer) {
  if (!counts_allocations()) GTEST_SKIP() << "allocations are not ours";
  for (size_t allowed = 0; allowed < 12; ++allowed)
    EXPECT_EXIT(
        {
          allow_allocations(allowed);
          run_and_exit();
        },
        testing::ExitedWithCode(0), "")
        << allowed;
}

[[noreturn]] void run_without_room_and_exit() {
  const rlimit none{0, RLIM_INFINITY};
  ::setrlimit(RLIMIT_AS, &none);
  run_and_exit();
}

TEST(Pool, without_room_for_a_stack_does_with_fewer) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer needs the address space";
  EXPECT_EXIT(run_without_room_and_exit(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace kedge
