#include "kedge/nn/engine_cuda.h"

#include <algorithm>

#include "kedge/nn/cuda_training.cuh"

namespace kedge {
namespace {

class CudaEngine : public Engine {
 public:
  CudaEngine(const Program& program, const std::vector<std::vector<float>>& parameters,
             CudaPrecision precision)
      : host_(make_engine(program, parameters)), precision_(precision) {}

  size_t replicas() const override { return host_->replicas(); }
  const Program& program() const override { return host_->program(); }
  size_t replicas_at_once() const override { return replicas(); }

  void train(size_t first, std::span<const TrainingRun> runs, const RunReport& report,
             std::span<TrainOutcome> outcomes) override {
    // Runs of one batch size at a time.
    for (size_t begin = 0; begin < runs.size();) {
      size_t end = begin + 1;
      while (end < runs.size() && runs[end].options.batch == runs[begin].options.batch) ++end;
      train_part(first, runs, begin, end, 0, report, outcomes);
      begin = end;
    }
  }

  std::unique_ptr<Scratch> make_scratch(size_t rows) const override { return host_->make_scratch(rows); }
  void forward(size_t replica, const ForwardInputs& inputs, MatrixView<float> out,
               Scratch& scratch) const override {
    host_->forward(replica, inputs, out, scratch);
  }
  std::vector<float> read(size_t replica) const override { return host_->read(replica); }
  void write(size_t replica, const std::vector<float>& parameters) override {
    host_->write(replica, parameters);
  }

 private:
  /// `at_once` is 0 until memory has held less than all.
  void train_part(size_t first, std::span<const TrainingRun> runs, size_t begin, size_t end, size_t at_once,
                  const RunReport& report, std::span<TrainOutcome> outcomes) {
    const size_t count = end - begin;
    std::unique_ptr<cuda::Training> training;
    try {
      training = make_training(first + begin, runs.subspan(begin, count));
    } catch (const cuda::OutOfMemory&) {
      // Half of them at a time: what a replica learns does not depend on the others.
      if (count == 1) throw;
      const size_t half = begin + count / 2;
      train_part(first, runs, begin, half, half - begin, report, outcomes);
      return train_part(first, runs, half, end, end - half, report, outcomes);
    }
    std::vector<TrainingRecord> records;
    for (size_t r = begin; r < end; ++r) records.emplace_back(runs[r].options, program().parameters());
    std::vector<uint64_t> at(count), next(count);
    while (true) {
      for (size_t r = 0; r < count; ++r) {
        at[r] = records[r].done();
        next[r] = records[r].next_on_device();
      }
      if (*std::max_element(next.begin(), next.end()) == 0) break;
      const std::vector<std::vector<double>> losses = training->train(at, next);
      std::vector<bool> measured(count), stops(count);
      for (size_t r = 0; r < count; ++r) {
        if (next[r] == 0) continue;
        records[r].add(losses[r]);
        if (records[r].has_diverged()) continue;
        stops[r] = !report(begin + r, records[r].progress()) && !records[r].is_over();
        measured[r] = stops[r] || records[r].is_checkpoint();
      }
      measure(*training, records, measured);
      for (size_t r = 0; r < count; ++r)
        if (stops[r]) records[r].stop();
    }
    const std::vector<bool> finite = training->are_finite();
    for (size_t r = 0; r < count; ++r) {
      outcomes[begin + r] = records[r].finish(finite[r]);
      outcomes[begin + r].at_once = at_once;
      const bool is_finished = outcomes[begin + r].status == TrainStatus::finished;
      write(first + begin + r,
            training->read(r, is_finished ? cuda::Training::Which::present : cuda::Training::Which::kept));
    }
  }

  static void measure(cuda::Training& training, std::vector<TrainingRecord>& records,
                      const std::vector<bool>& chosen) {
    if (std::find(chosen.begin(), chosen.end(), true) == chosen.end()) return;
    const std::vector<double> losses = training.measure(chosen);
    const std::vector<bool> finite = training.are_finite();
    for (size_t r = 0; r < records.size(); ++r)
      if (chosen[r] && records[r].measure(losses[r], finite[r])) training.keep(r);
  }

  std::unique_ptr<cuda::Training> make_training(size_t first, std::span<const TrainingRun> runs) const {
    std::vector<std::vector<float>> start;
    for (size_t r = 0; r < runs.size(); ++r) start.push_back(read(first + r));
    const size_t batch = runs[0].options.batch;
    if (!chains_of(program()).empty())
      if (const DevicePlan plan(program(), batch, DeviceForm::chains); cuda::fits_chains(plan))
        return cuda::make_chain_training(program(), plan, runs, start, precision_);
    if (const DevicePlan plan(program(), batch, DeviceForm::block); cuda::fits_block(plan, precision_))
      return cuda::make_block_training(program(), plan, runs, start, precision_);
    return cuda::make_grid_training(program(), DevicePlan(program(), batch, DeviceForm::grid), runs, start,
                                    precision_);
  }

  std::unique_ptr<Engine> host_;
  const CudaPrecision precision_;
};

}  // namespace

namespace {

std::string driver_fault() {
  int driver = 0, needed = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
    return "found no CUDA device, as there is no driver of one; train on the CPU";
  cudaRuntimeGetVersion(&needed);
  const auto text = [](int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  };
  return "found a driver of CUDA " + text(driver) + ", and this kedge needs one of " + text(needed) +
         "; update the driver, or train on the CPU";
}

}  // namespace

CudaDevice find_cuda_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  // Where there is no driver at all, it is called too old.
  if (status == cudaErrorInsufficientDriver) return {.name = {}, .missing = driver_fault()};
  if (status != cudaSuccess || count == 0)
    return {.name = {},
            .missing = status == cudaSuccess || status == cudaErrorNoDevice
                           ? "found no CUDA device; train on the CPU"
                           : std::string("found no CUDA device that works (") + cudaGetErrorString(status) +
                                 "); update its driver, or train on the CPU"};
  cudaDeviceProp properties{};
  if (const cudaError_t failed = cudaGetDeviceProperties(&properties, 0); failed != cudaSuccess)
    return {
        .name = {},
        .missing = std::string("the CUDA device says ") + cudaGetErrorString(failed) + "; train on the CPU"};
  return {.name = properties.name,
          .missing = {},
          .processors = static_cast<size_t>(properties.multiProcessorCount)};
}

std::unique_ptr<Engine> make_cuda_engine(const Program& program,
                                         const std::vector<std::vector<float>>& parameters,
                                         CudaPrecision precision) {
  if (const CudaDevice device = find_cuda_device(); !device.missing.empty())
    throw Error("cuda", "needs a CUDA device; " + device.missing, "device");
  return std::make_unique<CudaEngine>(program, parameters, precision);
}

}  // namespace kedge
