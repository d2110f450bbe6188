#include "block.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cuda_runtime.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

// Keeps the registers of one fiber on its stack and goes on where another one kept them.
extern "C" void kedge_emulation_switch(void** from, void* to);
asm(R"(
.text
.globl kedge_emulation_switch
.type kedge_emulation_switch, @function
kedge_emulation_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size kedge_emulation_switch, .-kedge_emulation_switch
)");

emulation::Index threadIdx, blockIdx, blockDim, gridDim;

namespace kedge::cuda {
constexpr size_t most_shared_floats = emulation::shared_bytes_of_90 / sizeof(float), guard_floats = 1024,
                 block_floats = most_shared_floats + guard_floats;
// Of the first block of a cluster, behind it those of the others.
alignas(128) float4 shared_memory[emulation::most_of_cluster * block_floats / 4];
}  // namespace kedge::cuda

namespace emulation {
namespace {

constexpr size_t stack_bytes = 256 * 1024;
constexpr unsigned barriers = 16;

/// The address sanitizer remembers the frames of a thread that ended in the middle of them.
void forget_frames([[maybe_unused]] unsigned char* stack) {
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

  static void enter();

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
    if (ready_.empty())
      for (const Gift& gift : std::exchange(gifts_, {})) bring(gift);
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

Cluster& cluster() {
  static Cluster one;
  return one;
}

void Cluster::enter() {
  (*cluster().thread_)();
  cluster().end();
}

std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

float* memory_of_block(unsigned number) {
  return reinterpret_cast<float*>(kedge::cuda::shared_memory) + number * kedge::cuda::block_floats;
}

void fill_shared(unsigned block, size_t bytes) {
  if (bytes > most_shared_bytes())
    throw std::logic_error("a block asks for more shared memory than there is");
  std::memset(memory_of_block(block), 0xff, bytes + kedge::cuda::guard_floats * sizeof(float));
}

void check_guard(unsigned block, size_t bytes) {
  const auto* const all = reinterpret_cast<const unsigned char*>(memory_of_block(block));
  const size_t end = bytes + kedge::cuda::guard_floats * sizeof(float);
  if (std::any_of(all + bytes, all + end, [](unsigned char byte) { return byte != 0xff; }))
    throw std::logic_error("a block wrote behind its shared memory");
}

}  // namespace

Device& device() {
  static Device one;
  return one;
}

void run_blocks(Index blocks, unsigned threads, size_t shared_bytes, const std::function<void()>& thread,
                unsigned in_cluster) {
  const std::lock_guard lock(one_at_a_time());
  if (in_cluster > 1) ++device().clusters;
  gridDim = blocks;
  blockDim = {threads, 1, 1};
  for (unsigned y = 0; y < std::max(blocks.y, 1u); ++y)
    for (unsigned x = 0; x < blocks.x; x += in_cluster) {
      for (unsigned b = 0; b < in_cluster; ++b) fill_shared(b, shared_bytes);
      cluster().run({x, y, 0}, in_cluster, threads, thread);
      for (unsigned b = 0; b < in_cluster; ++b) check_guard(b, shared_bytes);
    }
}

void wait_at(unsigned number, unsigned count) { cluster().wait(cluster().barrier(number), count); }
void arrive_at(unsigned number, unsigned count) { cluster().arrive(cluster().barrier(number), count); }
unsigned threads_of_block() { return cluster().threads_of_block(); }

float* block_memory() { return memory_of_block(cluster().own_block()); }
void expect(Signal& signal, unsigned bytes) { cluster().expect(signal, bytes); }
void give(float* own, float a, float b, Signal* signal, unsigned number) {
  float* const to = memory_of_block(number) + (own - block_memory());
  const auto in_other = reinterpret_cast<float*>(signal) - block_memory();
  cluster().give({to, a, b, reinterpret_cast<Signal*>(memory_of_block(number) + in_other), number});
}
void wait_for(const Signal& signal, unsigned phase) { cluster().wait_for(signal, phase); }
void arrive_at_cluster() { cluster().arrive_at_cluster(); }
void wait_for_cluster() { cluster().wait_for_cluster(); }

void with_warp(void* own, void (*together)(void* const (&lanes)[lanes_of_warp])) {
  Warp& warp = cluster().warp();
  warp.lanes[cluster().current().number % lanes_of_warp] = own;
  if (together && warp.barrier.waiting.size() + 1 == lanes_of_warp) together(warp.lanes);
  cluster().wait(warp.barrier, lanes_of_warp);
}

void copy_ahead(void* to, const void* from, size_t bytes) {
  if (device().copies == Copies::early) {
    std::memcpy(to, from, bytes);
    return;
  }
  Fiber& own = cluster().current();
  own.copies.push_back({to, from, bytes});
  ++own.open;
}

void end_group() {
  Fiber& own = cluster().current();
  own.groups.push_back(own.open);
  own.open = 0;
}

void wait_for_groups(size_t left) {
  Fiber& own = cluster().current();
  size_t count = 0;
  while (own.groups.size() > left) {
    count += own.groups.front();
    own.groups.pop_front();
  }
  for (size_t i = 0; i < count; ++i) std::memcpy(own.copies[i].to, own.copies[i].from, own.copies[i].bytes);
  own.copies.erase(own.copies.begin(), own.copies.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace emulation
