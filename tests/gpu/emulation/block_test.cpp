// The emulated device keeps what it promises: its threads wait for each other, and its instructions are those
// of a real one.

#include "block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "kedge/core/rng.h"
#include "kedge/nn/cuda_instructions.cuh"

namespace kedge {
namespace {

using emulation::Copies;
using emulation::Order;

constexpr unsigned lanes = emulation::lanes_of_warp;

struct EmulatedBlock : testing::Test {
  void TearDown() override { emulation::device() = {}; }
};

TEST_F(EmulatedBlock, every_thread_of_every_block_runs_once) {
  std::vector<int> runs(3 * 2 * 70);
  emulation::run_blocks({3, 2}, 70, 0,
                        [&] { ++runs[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x]; });
  EXPECT_EQ(std::count(runs.begin(), runs.end(), 1), std::ssize(runs));
}

TEST_F(EmulatedBlock, threads_see_what_others_wrote_before_a_barrier_in_every_order) {
  for (Order order : {Order::forward, Order::backward, Order::shuffled}) {
    emulation::device().order = order;
    constexpr unsigned threads = 96;
    std::vector<unsigned> first(threads), second(threads);
    emulation::run_blocks({1}, threads, 0, [&] {
      const unsigned t = threadIdx.x;
      first[t] = t + 1;
      __syncthreads();
      second[t] = first[(t + 1) % threads];
      __syncthreads();
      first[t] = second[(t + 1) % threads];
    });
    for (unsigned t = 0; t < threads; ++t) EXPECT_EQ(first[t], (t + 2) % threads + 1);
  }
}

TEST_F(EmulatedBlock, orders_differ_where_nobody_waits) {
  std::vector<std::vector<unsigned>> seen;
  for (Order order : {Order::forward, Order::backward, Order::shuffled}) {
    emulation::device().order = order;
    emulation::run_blocks({1}, lanes, 0, [&, came = &seen.emplace_back()] { came->push_back(threadIdx.x); });
    EXPECT_EQ(seen.back().size(), lanes);
  }
  EXPECT_NE(seen[0], seen[1]);
  EXPECT_NE(seen[0], seen[2]);
  EXPECT_NE(seen[1], seen[2]);
}

TEST_F(EmulatedBlock, who_waits_for_threads_that_have_ended_is_found) {
  const auto wait_in_vain = [] {
    emulation::run_blocks({1}, 64, 0, [] {
      if (threadIdx.x > 0) __syncthreads();
    });
  };
  EXPECT_THROW(wait_in_vain(), std::logic_error);
  int runs = 0;
  emulation::run_blocks({1}, 64, 0, [&] {
    __syncthreads();
    ++runs;
  });
  EXPECT_EQ(runs, 64) << "the next block begins anew";
}

}  // namespace

namespace cuda {
extern float4 shared_memory[];
}

namespace {

TEST_F(EmulatedBlock, shared_memory_begins_as_no_number_and_has_an_end) {
  emulation::run_blocks({1}, 1, 64, [] {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(cuda::shared_memory[i].x));
    cuda::shared_memory[3] = {1, 2, 3, 4};
  });
  EXPECT_THROW(emulation::run_blocks({1}, 1, 64, [] { cuda::shared_memory[4].x = 1; }), std::logic_error);
  EXPECT_THROW(emulation::run_blocks({1}, 1, 228 * 1024, [] {}), std::logic_error);
}

TEST_F(EmulatedBlock, who_only_arrives_at_a_barrier_goes_on_and_counts_for_those_who_wait) {
  for (Order order : {Order::forward, Order::backward, Order::shuffled}) {
    emulation::device() = {.order = order};
    int came = 0, waited = 0;
    emulation::run_blocks({1}, 2 * lanes, 0, [&] {
      for (unsigned number : {3u, 4u, 3u}) {
        if (threadIdx.x < lanes) {
          ++came;
          cuda::arrive_at<2 * lanes>(number);
        } else {
          cuda::barrier_of<2 * lanes>(number);
          EXPECT_EQ(came % lanes, 0u) << "all had come";
          ++waited;
        }
        __syncthreads();
      }
    });
    EXPECT_EQ(waited, 3 * static_cast<int>(lanes));
  }
}

TEST_F(EmulatedBlock, blocks_of_a_cluster_have_memory_and_barriers_of_their_own) {
  for (Order order : {Order::forward, Order::backward, Order::shuffled}) {
    emulation::device() = {.order = order};
    int blocks = 0;
    emulation::run_blocks(
        {4}, lanes, 64,
        [&] {
          float* const own = cuda::block_memory();
          EXPECT_TRUE(std::isnan(own[threadIdx.x % 16]));
          __syncthreads();
          if (threadIdx.x == 0) own[0] = static_cast<float>(blockIdx.x);
          __syncthreads();
          EXPECT_EQ(own[0], static_cast<float>(blockIdx.x));
          cuda::arrive_at_cluster();
          cuda::wait_for_cluster();
          if (threadIdx.x == 0) ++blocks;
        },
        2);
    EXPECT_EQ(blocks, 4);
  }
}

TEST_F(EmulatedBlock, a_signal_ends_its_phase_when_all_bytes_are_there_that_were_expected) {
  for (Order order : {Order::forward, Order::backward, Order::shuffled}) {
    emulation::device() = {.order = order, .copies = Copies::late};
    emulation::run_blocks(
        {2}, lanes, 1024,
        [] {
          float* const own = cuda::block_memory();
          auto* const signals = reinterpret_cast<cuda::Signal*>(own + 128);
          if (threadIdx.x < 2) cuda::begin(&signals[threadIdx.x]);
          cuda::arrive_at_cluster();
          cuda::wait_for_cluster();
          for (unsigned step = 0; step < 5; ++step) {
            cuda::Signal* const signal = &signals[step % 2];
            float* const buffer = own + step % 2 * 64;
            if (threadIdx.x == 0) cuda::expect(signal, 64 * sizeof(float));
            const auto number = static_cast<float>(100 * step + threadIdx.x);
            cuda::give(buffer + 2 * threadIdx.x, number, -number, signal, 1 - blockIdx.x);
            cuda::wait_for(signal, step / 2 % 2);
            EXPECT_EQ(buffer[63], -static_cast<float>(100 * step + 31));
            __syncthreads();
          }
        },
        2);
  }
  const auto in_vain = [] {
    emulation::run_blocks({1}, lanes, 64, [] {
      auto* const signal = reinterpret_cast<cuda::Signal*>(cuda::block_memory());
      if (threadIdx.x == 0) cuda::begin(signal);
      __syncthreads();
      cuda::wait_for(signal, 0);
    });
  };
  EXPECT_THROW(in_vain(), std::logic_error);
}

/// A cluster of two blocks of one thread, each with a signal; `rest` is called once both are there.
void run_with_signal(const std::function<void(float* own, cuda::Signal* signal)>& rest) {
  const auto thread = [&] {
    float* const own = cuda::block_memory();
    auto* const signal = reinterpret_cast<cuda::Signal*>(own + 2);
    own[0] = 0;
    cuda::begin(signal);
    cuda::arrive_at_cluster();
    cuda::wait_for_cluster();
    rest(own, signal);
  };
  emulation::run_blocks({2}, 1, 64, thread, 2);
}

TEST_F(EmulatedBlock, a_late_gift_is_there_when_nobody_can_go_on_without_it) {
  for (Order order : {Order::forward, Order::backward, Order::shuffled})
    for (Copies copies : {Copies::early, Copies::late}) {
      emulation::device() = {.order = order, .copies = copies};
      run_with_signal([&](float* own, cuda::Signal* signal) {
        cuda::expect(signal, 2 * sizeof(float));
        cuda::give(own, 7, 8, signal, 1 - blockIdx.x);
        cuda::arrive_at_cluster();
        cuda::wait_for_cluster();
        EXPECT_EQ(own[0], copies == Copies::early ? 7 : 0) << "nobody waited for it";
        cuda::wait_for(signal, 0);
        EXPECT_EQ(own[0], 7);
        EXPECT_EQ(own[1], 8);
      });
    }
}

TEST_F(EmulatedBlock, who_gives_to_a_block_that_has_ended_is_found) {
  const auto give_to_the_second = [](float* own, cuda::Signal* signal) {
    if (blockIdx.x == 0) cuda::give(own, 1, 2, signal, 1);
  };
  // The second block ends first.
  EXPECT_THROW(run_with_signal(give_to_the_second), std::logic_error);
  for (Order order : {Order::forward, Order::backward, Order::shuffled}) {
    emulation::device() = {.order = order, .copies = Copies::late};
    EXPECT_THROW(run_with_signal(give_to_the_second), std::logic_error);
  }
  EXPECT_NO_THROW(run_with_signal([](float*, cuda::Signal*) {})) << "the next cluster begins anew";
}

TEST_F(EmulatedBlock, who_expects_twice_is_found) {
  const auto twice = [](float*, cuda::Signal* signal) {
    cuda::expect(signal, 8);
    cuda::expect(signal, 8);
  };
  EXPECT_THROW(run_with_signal(twice), std::logic_error);
}

TEST_F(EmulatedBlock, lanes_exchange_numbers) {
  for (unsigned apart : {1u, 2u, 16u})
    emulation::run_blocks({1}, 2 * lanes, 0,
                          [=] { EXPECT_EQ(__shfl_xor_sync(~0u, threadIdx.x, apart), threadIdx.x ^ apart); });
}

TEST_F(EmulatedBlock, a_product_of_tiles_is_that_of_the_matrices) {
  Rng rng(1, Stream::domain);
  float a[16][8], b[8][8], c[16][8];
  // Numbers of few bits, so that all is exact.
  const auto draw = [&] { return static_cast<float>(rng.below(64)) - 32; };
  for (auto& row : a)
    for (float& x : row) x = draw();
  for (auto& row : b)
    for (float& x : row) x = draw();
  emulation::run_blocks({1}, lanes, 0, [&] {
    const unsigned g = threadIdx.x / 4, q = threadIdx.x % 4;
    float own[4] = {1, 2, 3, 4};
    cuda::multiply_add(own, {a[g][q], a[g + 8][q], a[g][q + 4], a[g + 8][q + 4]}, {b[q][g], b[q + 4][g]});
    c[g][2 * q] = own[0] - 1;
    c[g][2 * q + 1] = own[1] - 2;
    c[g + 8][2 * q] = own[2] - 3;
    c[g + 8][2 * q + 1] = own[3] - 4;
  });
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      float sum = 0;
      for (int k = 0; k < 8; ++k) sum += a[i][k] * b[k][j];
      EXPECT_EQ(c[i][j], sum);
    }
}

TEST_F(EmulatedBlock, a_late_copy_is_made_when_its_group_is_waited_for) {
  emulation::device().copies = Copies::late;
  emulation::run_blocks({1}, 1, 64, [] {
    const float from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    cuda::copy_ahead(cuda::shared_memory, from);
    cuda::end_group();
    cuda::copy_ahead(cuda::shared_memory + 1, from + 4);
    cuda::end_group();
    EXPECT_TRUE(std::isnan(cuda::shared_memory[0].x));
    cuda::wait_for_groups<1>();
    EXPECT_EQ(cuda::shared_memory[0].x, 1);
    EXPECT_TRUE(std::isnan(cuda::shared_memory[1].x));
    cuda::wait_for_groups<0>();
    EXPECT_EQ(cuda::shared_memory[1].w, 8);
  });
}

TEST_F(EmulatedBlock, memory_has_a_limit_and_what_is_captured_runs_when_it_is_launched) {
  emulation::device().memory = 1000;
  void *first = nullptr, *second = nullptr;
  EXPECT_EQ(cudaMallocAsync(&first, 600, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMallocAsync(&second, 600, nullptr), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaFreeAsync(first, nullptr), cudaSuccess);
  EXPECT_EQ(emulation::device().used, 0u);
  int runs = 0;
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  stream->take([&] { return ++runs, cudaSuccess; });
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t program = nullptr;
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&program, graph, 0);
  cudaGraphDestroy(graph);
  EXPECT_EQ(runs, 0);
  cudaGraphLaunch(program, stream);
  cudaGraphLaunch(program, stream);
  EXPECT_EQ(runs, 2);
  cudaGraphExecDestroy(program);
  cudaStreamDestroy(stream);
}

}  // namespace
}  // namespace kedge
