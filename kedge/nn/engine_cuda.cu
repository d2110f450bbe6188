#include <cuda_runtime.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "kedge/core/error.h"
#include "kedge/nn/adam_step.h"
#include "kedge/nn/cuda_kernel.cuh"
#include "kedge/nn/engine_cuda.h"
#include "kedge/nn/train.h"

namespace kedge {
namespace {

using cuda::Place;
using cuda::Precision;
using cuda::ProgramView;
using cuda::ReplicaView;

constexpr uint64_t evaluation_batches = 8;

void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw Error("cuda",
                std::string("needs a device that works; found: ") + what + ": " + cudaGetErrorString(status) +
                    "; train on the CPU",
                "device");
}

/// Memory of the device that goes with this object.
class DeviceMemory {
 public:
  explicit DeviceMemory(size_t bytes) {
    if (bytes > 0) require(cudaMalloc(&data_, bytes), "memory");
  }
  DeviceMemory(DeviceMemory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  ~DeviceMemory() { cudaFree(data_); }

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
};

/// Copies of host arrays, one of each however often it is asked for.
class Uploads {
 public:
  template <class T>
  T* copy(const T* host, size_t count) {
    if (count == 0) return nullptr;
    using Key = std::pair<const void*, size_t>;
    const Key key(host, count * sizeof(T));
    const auto found = copies_.find(key);
    if (found != copies_.end()) return static_cast<T*>(found->second);
    memory_.emplace_back(key.second);
    void* const device = memory_.back().as<void>();
    require(cudaMemcpy(device, host, key.second, cudaMemcpyHostToDevice), "copy");
    copies_.emplace(key, device);
    return static_cast<T*>(device);
  }
  template <class T>
  T* copy(const std::vector<T>& host) {
    return copy(host.data(), host.size());
  }
  template <class T>
  std::span<const T> copy(std::span<const T> host) {
    return {copy(host.data(), host.size()), host.size()};
  }
  template <class T>
  MatrixView<const T> copy(MatrixView<const T> host) {
    return {copy(host.data(), host.rows() * host.cols()), host.rows(), host.cols()};
  }

  TrainingData copy(const TrainingData& data) {
    TrainingData on_device = data;
    on_device.rows.features = copy(data.rows.features);
    on_device.rows.outputs = copy(data.rows.outputs);
    on_device.rows.curved = {copy(data.rows.curved.groups), copy(data.rows.curved.mean),
                             copy(data.rows.curved.scale)};
    // Points are read for curved features only.
    if (!data.rows.curved.groups.empty()) on_device.rows.points = copy(data.rows.points);
    on_device.pairs.group_of = copy(data.pairs.group_of);
    on_device.pairs.place = copy(data.pairs.place);
    on_device.pairs.order = copy(data.pairs.order);
    on_device.pairs.start = copy(data.pairs.start);
    on_device.pairs.before = copy(data.pairs.before);
    on_device.pairs.guide = copy(data.pairs.guide);
    on_device.pairs.alias = copy(data.pairs.alias);
    on_device.pairs.list = copy(data.pairs.list);
    on_device.pairs.entries = copy(data.pairs.entries);
    on_device.pair_targets = copy(data.pair_targets);
    on_device.pair_weights = copy(data.pair_weights);
    return on_device;
  }

 private:
  std::map<std::pair<const void*, size_t>, void*> copies_;
  std::vector<DeviceMemory> memory_;
};

ProgramView view_of(const Program& program, const DevicePlan& plan, Uploads& uploads) {
  ProgramView view{};
  view.values = uploads.copy(plan.values);
  view.ops = uploads.copy(plan.ops);
  view.columns = uploads.copy(plan.columns);
  view.users = uploads.copy(plan.users);
  view.tasks = uploads.copy(plan.tasks);
  view.by_warp = plan.by_warp;
  view.value_count = static_cast<uint32_t>(plan.values.size());
  view.batch = static_cast<uint32_t>(plan.batch);
  view.slots = static_cast<uint32_t>(plan.slots);
  view.outputs = static_cast<uint32_t>(program.outputs());
  view.value_floats = static_cast<uint32_t>(plan.value_floats);
  view.input_floats = static_cast<uint32_t>(plan.input_floats);
  view.parameter_floats = static_cast<uint32_t>(plan.parameter_floats);
  view.target_at = static_cast<uint32_t>(plan.target_at);
  view.target_row = static_cast<uint32_t>(plan.target_row);
  view.pair_weight_at = static_cast<uint32_t>(plan.pair_weight_at);
  for (int i = 0; i < input_count; ++i)
    if (program.reads(static_cast<Input>(i))) view.reads |= 1u << i;
  return view;
}

/// Runs of one batch size, from their present parameters to the end.
class CudaTraining {
 public:
  CudaTraining(const Program& program, std::span<const TrainingRun> runs,
               const std::vector<std::vector<float>>& start, CudaPrecision precision)
      : program_(program),
        plan_(program, runs[0].options.batch),
        view_(view_of(program, plan_, uploads_)),
        precision_(precision),
        runs_(runs),
        parameters_(sizeof(float) * 3 * plan_.parameter_floats * runs.size()),
        losses_(sizeof(double) * runs.size() * most_steps),
        adam_(sizeof(AdamStep) * runs.size() * most_steps),
        replicas_(sizeof(ReplicaView) * runs.size()),
        scratch_(choose_place() ? 0 : sizeof(float) * work_floats() * runs.size()) {
    for (const TrainingRun& run : runs) data_.push_back(uploads_.copy(run.data));
    std::vector<float> all;
    for (const std::vector<float>& flat : start) {
      const std::vector<float> padded = plan_.padded_parameters(program, flat);
      all.insert(all.end(), padded.begin(), padded.end());
      all.resize(all.size() + 2 * padded.size());
    }
    require(
        cudaMemcpy(parameters_.as<float>(), all.data(), all.size() * sizeof(float), cudaMemcpyHostToDevice),
        "copy");
  }

  static constexpr uint64_t most_steps = TrainingRecord::most_steps_between_reports;

  /// Trains run r for counts[r] steps from its step first[r] on; the losses by run.
  std::vector<std::vector<double>> train(const std::vector<uint64_t>& first,
                                         const std::vector<uint64_t>& counts) {
    // Runs of the same options share their constants.
    std::vector<AdamStep> steps;
    std::vector<size_t> place(runs_.size());
    for (size_t r = 0; r < runs_.size(); ++r) {
      const TrainOptions& own = runs_[r].options;
      size_t like = 0;
      while (like < r && !(runs_[like].options.adam == own.adam && runs_[like].options.steps == own.steps &&
                           first[like] == first[r] && counts[like] == counts[r]))
        ++like;
      place[r] = like < r ? place[like] : steps.size();
      for (uint64_t t = 0; like == r && t < counts[r]; ++t)
        steps.push_back(adam_step(own.adam, first[r] + t, own.steps));
    }
    require(cudaMemcpy(adam_.as<AdamStep>(), steps.data(), steps.size() * sizeof(AdamStep),
                       cudaMemcpyHostToDevice),
            "copy");
    return launch(first, counts, place);
  }

  /// Loss of the present parameters on pairs that are always the same, of the runs that are chosen.
  std::vector<double> measure(const std::vector<bool>& chosen) {
    std::vector<uint64_t> counts(runs_.size());
    for (size_t r = 0; r < runs_.size(); ++r) counts[r] = chosen[r] ? evaluation_batches : 0;
    const auto losses = launch(std::vector<uint64_t>(runs_.size()), counts, {});
    std::vector<double> means(runs_.size());
    for (size_t r = 0; r < runs_.size(); ++r) {
      for (double loss : losses[r]) means[r] += loss;
      means[r] /= static_cast<double>(evaluation_batches);
    }
    return means;
  }

  std::vector<float> read(size_t run) const {
    std::vector<float> padded(plan_.parameter_floats);
    require(cudaMemcpy(padded.data(), parameters_.as<float>() + run * 3 * padded.size(),
                       padded.size() * sizeof(float), cudaMemcpyDeviceToHost),
            "copy");
    return plan_.flat_parameters(program_, padded.data());
  }

 private:
  size_t work_floats() const { return plan_.value_floats + 2 * plan_.input_floats; }

  /// Whether all that a block works on fits into its shared memory.
  bool choose_place() {
    int device = 0, most = 0;
    require(cudaGetDevice(&device), "device");
    require(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "device");
    shared_bytes_ = sizeof(float) * (work_floats() + 3 * plan_.parameter_floats) +
                    sizeof(DeviceTask) * plan_.tasks.size();
    is_shared_ = shared_bytes_ <= static_cast<size_t>(most);
    return is_shared_;
  }

  template <Place place, Precision precision>
  void start() {
    const size_t bytes = place == Place::shared ? shared_bytes_ : 0;
    require(cudaFuncSetAttribute(cuda::train_kernel<place, precision>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
            "shared memory");
    cuda::train_kernel<place, precision><<<static_cast<unsigned>(runs_.size()), cuda::block_threads, bytes>>>(
        view_, replicas_.as<ReplicaView>());
    require(cudaGetLastError(), "launch");
  }

  std::vector<std::vector<double>> launch(const std::vector<uint64_t>& first,
                                          const std::vector<uint64_t>& counts,
                                          const std::vector<size_t>& adam) {
    std::vector<ReplicaView> replicas(runs_.size());
    for (size_t r = 0; r < runs_.size(); ++r)
      replicas[r] = {.data = data_[r],
                     .stream = adam.empty() ? Stream::evaluation : runs_[r].data.pairs.stream,
                     .seed = runs_[r].seed,
                     .first_step = first[r],
                     .steps = counts[r],
                     .loss = runs_[r].options.loss,
                     .parameters = parameters_.as<float>() + r * 3 * plan_.parameter_floats,
                     .scratch = is_shared_ ? nullptr : scratch_.as<float>() + r * work_floats(),
                     .adam = adam.empty() ? nullptr : adam_.as<AdamStep>() + adam[r],
                     .losses = losses_.as<double>() + r * most_steps};
    require(cudaMemcpy(replicas_.as<ReplicaView>(), replicas.data(), replicas.size() * sizeof(ReplicaView),
                       cudaMemcpyHostToDevice),
            "copy");
    const bool exact = precision_ == CudaPrecision::exact;
    if (is_shared_)
      exact ? start<Place::shared, Precision::exact>() : start<Place::shared, Precision::fast>();
    else
      exact ? start<Place::global, Precision::exact>() : start<Place::global, Precision::fast>();
    std::vector<double> all(runs_.size() * most_steps);
    require(cudaMemcpy(all.data(), losses_.as<double>(), all.size() * sizeof(double), cudaMemcpyDeviceToHost),
            "run");
    std::vector<std::vector<double>> losses;
    for (size_t r = 0; r < runs_.size(); ++r) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(r * most_steps);
      losses.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(counts[r]));
    }
    return losses;
  }

  const Program& program_;
  const DevicePlan plan_;
  Uploads uploads_;
  const ProgramView view_;
  const CudaPrecision precision_;
  std::span<const TrainingRun> runs_;
  std::vector<TrainingData> data_;
  size_t shared_bytes_ = 0;
  bool is_shared_ = false;
  DeviceMemory parameters_, losses_, adam_, replicas_, scratch_;
};

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
      train_part(first, runs, begin, end, report, outcomes);
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
  void train_part(size_t first, std::span<const TrainingRun> runs, size_t begin, size_t end,
                  const RunReport& report, std::span<TrainOutcome> outcomes) {
    const size_t count = end - begin;
    std::vector<std::vector<float>> start;
    std::vector<TrainingRecord> records;
    for (size_t r = begin; r < end; ++r) {
      start.push_back(read(first + r));
      records.emplace_back(runs[r].options, start.back());
    }
    CudaTraining training(program(), runs.subspan(begin, count), start, precision_);
    std::vector<uint64_t> at(count), next(count);
    while (true) {
      uint64_t most = 0;
      for (size_t r = 0; r < count; ++r) {
        at[r] = records[r].done();
        next[r] = records[r].next();
        most = std::max(most, next[r]);
      }
      if (most == 0) break;
      const std::vector<std::vector<double>> losses = training.train(at, next);
      std::vector<bool> measured(count), stops(count);
      for (size_t r = 0; r < count; ++r) {
        if (next[r] == 0) continue;
        records[r].add(losses[r]);
        if (records[r].has_diverged()) continue;
        stops[r] = !(report(begin + r, records[r].progress()) || records[r].next() == 0);
        measured[r] = stops[r] || records[r].is_checkpoint();
      }
      if (std::find(measured.begin(), measured.end(), true) != measured.end()) {
        const std::vector<double> loss = training.measure(measured);
        for (size_t r = 0; r < count; ++r) {
          if (measured[r]) records[r].measure(training.read(r), loss[r]);
          if (stops[r]) records[r].stop();
        }
      }
    }
    for (size_t r = 0; r < count; ++r) {
      outcomes[begin + r] = records[r].finish(training.read(r));
      write(first + begin + r, records[r].kept());
    }
  }

  std::unique_ptr<Engine> host_;
  const CudaPrecision precision_;
};

}  // namespace

CudaDevice find_cuda_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0)
    return {.missing = status == cudaSuccess || status == cudaErrorNoDevice
                           ? "found no CUDA device; train on the CPU"
                           : std::string("found no CUDA device that works (") + cudaGetErrorString(status) +
                                 "); update its driver, or train on the CPU"};
  cudaDeviceProp properties{};
  if (const cudaError_t failed = cudaGetDeviceProperties(&properties, 0); failed != cudaSuccess)
    return {.missing =
                std::string("the CUDA device says ") + cudaGetErrorString(failed) + "; train on the CPU"};
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
