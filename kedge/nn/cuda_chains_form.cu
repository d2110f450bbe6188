// Form chains: a launch trains every run for some hundred steps, a thread block for each chain.

#include <algorithm>
#include <memory>
#include <vector>

#include "kedge/nn/cuda_chains.cuh"
#include "kedge/nn/cuda_training.cuh"

namespace kedge::cuda {
namespace {

// Tiles of weights that a warp may own; more need more registers.
constexpr uint32_t few_tiles = 2, most_tiles = DeviceChain::most_of_a_warp;

size_t memory_of(const DevicePlan& plan) { return chain_memory(plan.chains, plan.input_floats); }

template <Precision precision, uint32_t tiles>
class ChainTraining : public Training {
 public:
  ChainTraining(const Program& program, const DevicePlan& plan, std::span<const TrainingRun> runs,
                const std::vector<std::vector<float>>& start)
      : Training(program, plan, runs, start, 0), bytes_(memory_of(this->plan())) {
    allow_most_shared(train_chains<precision, tiles>);
  }

 private:
  void launch(uint64_t, bool) override {
    const DeviceChains& chains = plan().chains;
    launch_clusters(train_chains<precision, tiles>, chains.count, chains.count * runs(), chain_threads,
                    bytes_, stream(), program_view(), chains, replicas());
  }

  const size_t bytes_;
};

uint32_t most_of_warp(const DevicePlan& plan) {
  return std::max(plan.chains.chain[0].most_of_warp, plan.chains.chain[1].most_of_warp);
}

template <Precision precision>
std::unique_ptr<Training> make(const Program& program, const DevicePlan& plan,
                               std::span<const TrainingRun> runs,
                               const std::vector<std::vector<float>>& start) {
  if (most_of_warp(plan) <= few_tiles)
    return std::make_unique<ChainTraining<precision, few_tiles>>(program, plan, runs, start);
  return std::make_unique<ChainTraining<precision, most_tiles>>(program, plan, runs, start);
}

}  // namespace

bool fits_chains(const DevicePlan& plan) {
  if (plan.chains.count == 0 || plan.slots > DeviceChains::most_slots ||
      most_of_warp(plan) > DeviceChain::most_of_a_warp)
    return false;
  cudaFuncAttributes own{};
  require(cudaFuncGetAttributes(&own, train_chains<Precision::exact, few_tiles>), "kernel");
  // Code for older devices has no clusters, whatever it runs on. All kernels of this form have the same
  // shared memory of their own: none.
  return memory_of(plan) <= most_shared(train_chains<Precision::exact, few_tiles>) &&
         (plan.chains.count == 1 || own.ptxVersion >= 90);
}

std::unique_ptr<Training> make_chain_training(const Program& program, const DevicePlan& plan,
                                              std::span<const TrainingRun> runs,
                                              const std::vector<std::vector<float>>& start,
                                              CudaPrecision precision) {
  return precision == CudaPrecision::exact ? make<Precision::exact>(program, plan, runs, start)
                                           : make<Precision::fast>(program, plan, runs, start);
}

}  // namespace kedge::cuda
