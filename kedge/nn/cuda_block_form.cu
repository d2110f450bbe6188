// Form block: a launch trains every run for some hundred steps, a thread block each.

#include "kedge/nn/cuda_block.cuh"
#include "kedge/nn/cuda_training.cuh"

namespace kedge::cuda {
namespace {

size_t shared_bytes(const DevicePlan& plan) {
  return sizeof(float) * (plan.value_floats + 2 * plan.input_floats + 3 * plan.parameter_floats) +
         sizeof(DeviceTask) * plan.tasks.size();
}

template <Precision precision>
class BlockTraining : public Training {
 public:
  BlockTraining(const Program& program, const DevicePlan& plan, std::span<const TrainingRun> runs,
                const std::vector<std::vector<float>>& start)
      : Training(program, plan, runs, start, 0), bytes_(shared_bytes(plan)) {
    allow_most_shared(train_block<precision>);
  }

 private:
  void launch(uint64_t, bool) override {
    cuda::launch(train_block<precision>, runs(), block_threads, bytes_, stream(), program_view(), replicas());
  }

  const size_t bytes_;
};

}  // namespace

bool fits_block(const DevicePlan& plan, CudaPrecision precision) {
  return shared_bytes(plan) <= (precision == CudaPrecision::exact
                                    ? most_shared(train_block<Precision::exact>)
                                    : most_shared(train_block<Precision::fast>));
}

std::unique_ptr<Training> make_block_training(const Program& program, const DevicePlan& plan,
                                              std::span<const TrainingRun> runs,
                                              const std::vector<std::vector<float>>& start,
                                              CudaPrecision precision) {
  if (precision == CudaPrecision::exact)
    return std::make_unique<BlockTraining<Precision::exact>>(program, plan, runs, start);
  return std::make_unique<BlockTraining<Precision::fast>>(program, plan, runs, start);
}

}  // namespace kedge::cuda
