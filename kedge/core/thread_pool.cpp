#include "kedge/core/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace kedge {
namespace {

int cores_allowed() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable start, done;
  const std::function<void(size_t)>* task = nullptr;
  size_t tasks = 0, next = 0, unfinished = 0;
  uint64_t round = 0;
  bool closing = false;
  std::exception_ptr error;
  size_t error_task = SIZE_MAX;
  std::vector<std::thread> workers;

  void work(std::unique_lock<std::mutex>& lock) {
    while (next < tasks) {
      const size_t k = next++;
      lock.unlock();
      std::exception_ptr thrown;
      try {
        (*task)(k);
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      if (thrown && k < error_task) {
        error = thrown;
        error_task = k;
      }
      if (--unfinished == 0) done.notify_all();
    }
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  const int count = threads > 0 ? threads : cores_allowed();
  const auto work = [s = state_.get()] {
    std::unique_lock lock(s->mutex);
    uint64_t seen = 0;
    while (true) {
      s->start.wait(lock, [&] { return s->closing || s->round != seen; });
      if (s->closing) return;
      seen = s->round;
      s->work(lock);
    }
  };
  try {
    // Room for all of them first: a vector that cannot grow would let go of threads that run.
    state_->workers.reserve(static_cast<size_t>(count - 1));
    for (int i = 1; i < count; ++i) state_->workers.emplace_back(work);
  } catch (const std::exception&) {
    // The system gives no more threads, or no memory for them: fewer do the same work.
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(state_->mutex);
    state_->closing = true;
  }
  state_->start.notify_all();
  for (auto& worker : state_->workers) worker.join();
}

int ThreadPool::threads() const { return static_cast<int>(state_->workers.size()) + 1; }

void ThreadPool::run(size_t tasks, const std::function<void(size_t)>& task) {
  if (tasks == 0) return;
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  s.task = &task;
  s.tasks = s.unfinished = tasks;
  s.next = 0;
  s.error = nullptr;
  s.error_task = SIZE_MAX;
  ++s.round;
  if (tasks > 1) s.start.notify_all();
  s.work(lock);
  s.done.wait(lock, [&] { return s.unfinished == 0; });
  s.task = nullptr;
  s.tasks = s.next = 0;
  if (s.error) std::rethrow_exception(s.error);
}

}  // namespace kedge
