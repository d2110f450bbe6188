#include "block.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "cluster.h"
#include "cuda_runtime.h"

// kedge_emulation_switch of cluster.h.
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

Cluster& cluster() { return Cluster::one(); }

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
