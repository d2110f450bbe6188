#pragma once

// ThreadPool: a fixed set of threads that runs numbered tasks.
//
// Task k does the same work whichever thread takes it, so results never depend on the number of threads. An
// own pool and not OpenMP, whose threads hang in a forked child.

#include <cstddef>
#include <functional>
#include <memory>

namespace kedge {

class ThreadPool {
 public:
  /// `threads` = 0 takes every core the process may use. The caller's thread is one of them. Where the system
  /// gives fewer threads, or none, those there are do all the work.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;

  /// Runs task(0) ... task(tasks - 1) and returns when all are done. If tasks throw, the exception of the
  /// lowest number is rethrown. Not to be called from two threads at once, nor from inside a task.
  void run(size_t tasks, const std::function<void(size_t)>& task);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kedge
