#pragma once

// The threads of a cluster of blocks as fibers: who waits for whom, and who goes on.

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "block.h"
#include "cuda_runtime.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

// Keeps the registers of one fiber on its stack and goes on where another one kept them.
extern "C" void kedge_emulation_switch(void** from, void* to);

namespace emulation {

constexpr size_t stack_bytes = 256 * 1024;
constexpr unsigned barriers = 16;

/// The address sanitizer remembers the frames of a thread that ended in the middle of them.
inline void forget_frames([[maybe_unused]] unsigned char* stack) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(stack, stack_bytes);
#endif
}

struct Copy {
  void* to;
  const void* from;
  size_t bytes;
};

/// What one block gives another.
struct Gift {
  float* to;
  float a, b;
  Signal* signal;
  unsigned block;
};

struct Fiber {
  std::unique_ptr<unsigned char[]> stack;
  void* at = nullptr;
  unsigned number = 0;          // in the cluster
  size_t cluster_barriers = 0;  // that it came to
  std::vector<Copy> copies;
  std::deque<size_t> groups;  // how many copies each has
  size_t open = 0;            // copies that are in no group yet
};

struct Barrier {
  std::vector<unsigned> waiting;
  size_t arrived = 0;  // and went on
};

struct Warp {
  Barrier barrier;
  void* lanes[lanes_of_warp] = {};
};

/// The blocks of a cluster.
class Cluster {
 public:
  /// There is one, and one of them runs at a time.
  static Cluster& one() {
    static Cluster cluster;
    return cluster;
  }

  void run(Index first_block, unsigned blocks, unsigned threads, const std::function<void()>& thread) {
    thread_ = &thread;
    first_block_ = first_block;
    of_block_ = threads;
    threads *= blocks;
    count_ = threads;
    cluster_arrived_ = 0;
    cluster_barriers_ = 0;
    cluster_waiting_.clear();
    for_signals_.clear();
    gifts_.clear();
    std::fill(std::begin(alive_), std::end(alive_), 0u);
    std::fill_n(alive_, blocks, of_block_);
    fault_ = nullptr;
    ready_.clear();
    while (fibers_.size() < threads) fibers_.emplace_back();
    warps_.assign((threads + lanes_of_warp - 1) / lanes_of_warp, {});
    for (auto& own : barriers_)
      for (Barrier& barrier : own) barrier = {};
    std::vector<unsigned> all(threads);
    std::iota(all.begin(), all.end(), 0u);
    for (unsigned t : all) begin(fibers_[t], t);
    let_go(all);
    go_on(&main_);
    if (fault_) throw std::logic_error(fault_);
  }

  void wait(Barrier& barrier, unsigned count) {
    barrier.waiting.push_back(current_->number);
    open_if_full(barrier, count);
    go_on(&current_->at);
  }
  void arrive(Barrier& barrier, unsigned count) {
    ++barrier.arrived;
    open_if_full(barrier, count);
  }

  void arrive_at_cluster() {
    ++current_->cluster_barriers;
    if (++cluster_arrived_ < count_) return;
    cluster_arrived_ = 0;
    ++cluster_barriers_;
    let_go(cluster_waiting_);
  }
  void wait_for_cluster() {
    if (current_->cluster_barriers <= cluster_barriers_) return;
    cluster_waiting_.push_back(current_->number);
    go_on(&current_->at);
  }

  void expect(Signal& signal, unsigned bytes) {
    if (signal.is_expected) fail("a signal is expected twice");
    signal.is_expected = 1;
    signal.missing += static_cast<int32_t>(bytes);
    end_phase_if_over(signal);
  }
  void give(const Gift& gift) {
    if (device().copies == Copies::late)
      gifts_.push_back(gift);
    else
      bring(gift);
  }
  void wait_for(const Signal& signal, unsigned phase) {
    while (signal.phase % 2 == phase) {
      for_signals_.push_back(current_->number);
      go_on(&current_->at);
    }
  }

  Fiber& current() { return *current_; }
  unsigned own_block() const { return current_->number / of_block_; }
  Barrier& barrier(unsigned number) { return barriers_[own_block()][number]; }
  Warp& warp() { return warps_[current_->number / lanes_of_warp]; }
  unsigned threads_of_block() const { return of_block_; }

 private:
  void begin(Fiber& fiber, unsigned number) {
    if (!fiber.stack) fiber.stack = std::make_unique<unsigned char[]>(stack_bytes);
    forget_frames(fiber.stack.get());
    fiber.number = number;
    fiber.cluster_barriers = 0;
    fiber.copies.clear();
    fiber.groups.clear();
    fiber.open = 0;
    // What the switch takes from the stack: six registers, and where to go on.
    auto top = reinterpret_cast<uintptr_t>(fiber.stack.get() + stack_bytes) & ~uintptr_t{63};
    auto* const words = reinterpret_cast<void**>(top - 64);
    std::fill(words, words + 6, nullptr);
    words[6] = reinterpret_cast<void*>(&Cluster::enter);
    fiber.at = words;
  }

  static void enter() { one().run_thread(); }
  void run_thread() {
    (*thread_)();
    end();
  }

  void end() {
    --alive_[own_block()];
    void* nowhere = nullptr;
    go_on(&nowhere);
    std::abort();
  }

  void open_if_full(Barrier& barrier, unsigned count) {
    if (barrier.waiting.size() + barrier.arrived < count) return;
    barrier.arrived = 0;
    let_go(barrier.waiting);
  }

  void bring(const Gift& gift) {
    if (alive_[gift.block] == 0) fail("a block gives to one that has ended");
    gift.to[0] = gift.a;
    gift.to[1] = gift.b;
    gift.signal->missing -= static_cast<int32_t>(2 * sizeof(float));
    end_phase_if_over(*gift.signal);
  }

  void end_phase_if_over(Signal& signal) {
    if (!signal.is_expected || signal.missing != 0) return;
    signal.is_expected = 0;
    ++signal.phase;
    let_go(for_signals_);
  }

  void let_go(std::vector<unsigned>& waiting) {
    const Order order = device().order;
    std::sort(waiting.begin(), waiting.end());
    if (order == Order::backward) std::reverse(waiting.begin(), waiting.end());
    if (order == Order::shuffled) std::shuffle(waiting.begin(), waiting.end(), random_);
    const bool goes_ahead = order == Order::backward || (order == Order::shuffled && random_() % 2 == 0);
    ready_.insert(goes_ahead ? ready_.begin() : ready_.end(), waiting.begin(), waiting.end());
    waiting.clear();
  }

  /// Leaves this fiber for the next one that is ready, or for the caller of the block.
  void go_on(void** from) {
    while (ready_.empty() && !gifts_.empty()) {
      const Gift gift = gifts_.back();
      gifts_.pop_back();
      bring(gift);
    }
    if (ready_.empty()) {
      const bool all_ended = std::count(std::begin(alive_), std::end(alive_), 0u) == most_of_cluster;
      if (!all_ended) fail("threads of a block wait for others that have ended");
      kedge_emulation_switch(from, main_);
      return;
    }
    current_ = &fibers_[ready_.front()];
    ready_.pop_front();
    threadIdx = {current_->number % of_block_, 0, 0};
    blockIdx = {first_block_.x + own_block(), first_block_.y, first_block_.z};
    if (from != &current_->at) kedge_emulation_switch(from, current_->at);
  }

  /// Leaves all threads where they are.
  [[noreturn]] void fail(const char* fault) {
    fault_ = fault;
    void* nowhere = nullptr;
    kedge_emulation_switch(&nowhere, main_);
    std::abort();
  }

  const std::function<void()>* thread_ = nullptr;
  Index first_block_;
  unsigned of_block_ = 1, count_ = 0;  // threads
  unsigned alive_[most_of_cluster] = {};
  unsigned cluster_arrived_ = 0;
  size_t cluster_barriers_ = 0;  // that all came to
  std::vector<unsigned> cluster_waiting_, for_signals_;
  std::vector<Gift> gifts_;  // that are not there yet
  const char* fault_ = nullptr;
  std::deque<Fiber> fibers_;
  std::vector<Warp> warps_;
  Barrier barriers_[most_of_cluster][barriers];
  std::deque<unsigned> ready_;
  Fiber* current_ = nullptr;
  void* main_ = nullptr;
  std::mt19937 random_{1};
};

}  // namespace emulation
