#pragma once

// Runs of one program and one batch size on the device, from their present parameters to the end. How the
// steps are launched is the form's (DeviceForm): one block for each run or for each of its
// chains, or phases over the whole device.

#include <memory>
#include <span>
#include <vector>

#include "kedge/nn/cuda_memory.cuh"
#include "kedge/nn/cuda_views.cuh"
#include "kedge/nn/engine_cuda.h"
#include "kedge/nn/train.h"

namespace kedge::cuda {

class Training {
 public:
  static constexpr uint64_t most_steps = TrainingRecord::most_steps_between_reports;

  virtual ~Training() = default;

  /// Trains run r for counts[r] steps from its step first[r] on; the losses by run.
  std::vector<std::vector<double>> train(const std::vector<uint64_t>& first,
                                         const std::vector<uint64_t>& counts);
  /// Loss of the present parameters on pairs that are always the same, of the runs that are chosen.
  std::vector<double> measure(const std::vector<bool>& chosen);
  /// By run: whether all present parameters are finite.
  std::vector<bool> are_finite();
  /// Keeps the present parameters of a run. At first those it begins with are kept.
  void keep(size_t run);
  enum class Which { present, kept };
  std::vector<float> read(size_t run, Which which) const;

 protected:
  Training(const Program& program, const DevicePlan& plan, std::span<const TrainingRun> runs,
           const std::vector<std::vector<float>>& start, size_t scratch_floats);

  /// Puts `steps` steps of all runs into the stream; a run that has fewer of its own rests. Without updates
  /// the loss alone is computed.
  virtual void launch(uint64_t steps, bool updates) = 0;

  const DevicePlan& plan() const { return plan_; }
  const Queue& stream() const { return stream_; }
  const ProgramView& program_view() const { return view_; }
  const ReplicaView* replicas() const { return replicas_.data(); }
  unsigned runs() const { return static_cast<unsigned>(runs_.size()); }

 private:
  std::vector<std::vector<double>> run(const std::vector<uint64_t>& first,
                                       const std::vector<uint64_t>& counts, const std::vector<size_t>& adam);

  float* parameters_of(size_t run) const { return parameters_.data() + run * 3 * plan_.parameter_floats; }

  const Program& program_;
  const DevicePlan plan_;
  const size_t scratch_floats_;
  Queue stream_;
  Uploads uploads_;
  const ProgramView view_;
  std::span<const TrainingRun> runs_;
  std::vector<TrainingData> data_;
  Array<float> parameters_, kept_, scratch_;
  Array<unsigned> faults_;
  Array<double> losses_;
  Array<AdamStep> adam_;
  Array<ReplicaView> replicas_;
};

/// Whether the program is of chains that their blocks can keep in their shared memory.
bool fits_chains(const DevicePlan& plan);
/// Whether one block can keep a replica in its shared memory.
bool fits_block(const DevicePlan& plan, CudaPrecision precision);

std::unique_ptr<Training> make_chain_training(const Program& program, const DevicePlan& plan,
                                              std::span<const TrainingRun> runs,
                                              const std::vector<std::vector<float>>& start,
                                              CudaPrecision precision);
std::unique_ptr<Training> make_block_training(const Program& program, const DevicePlan& plan,
                                              std::span<const TrainingRun> runs,
                                              const std::vector<std::vector<float>>& start,
                                              CudaPrecision precision);
std::unique_ptr<Training> make_grid_training(const Program& program, const DevicePlan& plan,
                                             std::span<const TrainingRun> runs,
                                             const std::vector<std::vector<float>>& start,
                                             CudaPrecision precision);

}  // namespace kedge::cuda
