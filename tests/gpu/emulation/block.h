#pragma once

// A block of threads of a device, run on one thread of a CPU: each is a fiber with a stack of its own, which
// runs until it waits for others.
//
// Laws: a kernel that waits wherever it has to gives the same bits in every order of its threads. One that
// waits for threads that have ended throws.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>

namespace emulation {

/// Who goes on first. forward: all threads in turn, in their order. backward: the last thread, and those that
/// it is let go with, as far as they come; the others wait meanwhile. shuffled: those who are let go together
/// go on in any order, before or after the others.
enum class Order { forward, backward, shuffled };

/// When a copy ahead is made: as soon as can be, or when somebody waits for it. When it is there what a block
/// gives another: at once, or when nobody can go on without it.
enum class Copies { early, late };

struct Device {
  bool is_there = true;
  int driver = 13000;  ///< 13.0; 0: there is none
  /// 90: compute capability 9.0, which its code is made for. Before 9.0 there are no clusters.
  int architecture = 90;
  Order order = Order::forward;
  Copies copies = Copies::early;
  size_t memory = size_t{4} << 30;  ///< bytes
  size_t used = 0, most_used = 0;
  size_t refused = 0;   ///< requests for more than there is
  size_t clusters = 0;  ///< launches of clusters of more than one block
  /// By kernel: the shared memory that a launch may ask for, where it was set. All threads share it.
  std::map<const void*, size_t> shared_limits = {};
  size_t launches_left = std::numeric_limits<size_t>::max();  ///< after so many the device is lost
  /// Called by each thread before each of its launches.
  std::function<void()> before_launch = {};
};
/// There is one for the process, as there is one of the real ones.
Device& device();

struct Index {
  unsigned x = 0, y = 0, z = 0;
};

/// What a device has at most, and what a launch may ask for unless its kernel is allowed more.
constexpr size_t shared_bytes_of_80 = 163 * 1024, shared_bytes_of_90 = 227 * 1024;
constexpr size_t usual_shared_bytes = 48 * 1024;
inline size_t most_shared_bytes() {
  return device().architecture >= 90 ? shared_bytes_of_90 : shared_bytes_of_80;
}
constexpr unsigned most_threads = 1024, most_blocks_x = 0x7fffffff, most_blocks_yz = 65535;
constexpr unsigned most_of_cluster = 2;  // a device may have more; nobody here asks for them

/// Runs `thread` once for each thread of each block, one cluster of blocks after the other, those of one call
/// at a time. The threads of a cluster run side by side. Their shared memory begins as numbers that are no
/// numbers. Throws std::logic_error where threads wait in vain, where they give to a block that has ended,
/// and where they wrote behind their shared memory.
void run_blocks(Index blocks, unsigned threads, size_t shared_bytes, const std::function<void()>& thread,
                unsigned cluster = 1);

constexpr unsigned lanes_of_warp = 32;

// For threads of a block that runs.

/// Waits until `count` threads have come to barrier `number`.
void wait_at(unsigned number, unsigned count);
/// Comes to that barrier and goes on.
void arrive_at(unsigned number, unsigned count);
unsigned threads_of_block();

float* block_memory();

/// Stands in shared memory. A phase ends when as many bytes were told of as one thread expects.
struct alignas(8) Signal {
  int32_t missing = 0;  ///< bytes; below 0 where they came before they were expected
  uint16_t is_expected = 0, phase = 0;
};
void expect(Signal& signal, unsigned bytes);
/// Writes two numbers to the same place in the memory of block `number` of the cluster, and tells its signal.
void give(float* own, float a, float b, Signal* signal, unsigned number);
/// Waits for the end of the phase whose number is odd or even, as `phase` is.
void wait_for(const Signal& signal, unsigned phase);

/// All threads of a cluster come, and wait after it.
void arrive_at_cluster();
void wait_for_cluster();

/// Waits for all lanes of the warp. The last one to come calls `together` with what each brought.
void with_warp(void* own, void (*together)(void* const (&lanes)[lanes_of_warp]));

void copy_ahead(void* to, const void* from, size_t bytes);
void end_group();
void wait_for_groups(size_t left);

}  // namespace emulation
