#include "kedge/nn/cuda_training.cuh"

#include <algorithm>

#include "kedge/nn/adam_step.h"
#include "kedge/nn/cuda_instructions.cuh"

namespace kedge::cuda {
namespace {

/// Sets a run's number where one of its parameters is not finite.
__global__ void find_faults(const float* parameters, size_t count, size_t stride, unsigned* faults) {
  const float* const own = parameters + blockIdx.y * stride;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    if (!isfinite(own[i])) faults[blockIdx.y] = 1;
}

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
  view.parts_at = static_cast<uint32_t>(plan.parts_at);
  view.parts_of_row = static_cast<uint32_t>(plan.parts_of_row);
  for (int i = 0; i < input_count; ++i)
    if (program.reads(static_cast<Input>(i))) view.reads |= 1u << i;
  return view;
}

}  // namespace

Training::Training(const Program& program, const DevicePlan& plan, std::span<const TrainingRun> runs,
                   const std::vector<std::vector<float>>& start, size_t scratch_floats)
    : program_(program),
      plan_(plan),
      scratch_floats_(scratch_floats),
      uploads_(stream_),
      view_(view_of(program, plan_, uploads_)),
      runs_(runs),
      parameters_(3 * plan.parameter_floats * runs.size(), stream_),
      kept_(plan.parameter_floats * runs.size(), stream_),
      scratch_(scratch_floats * runs.size(), stream_),
      faults_(runs.size(), stream_),
      losses_(runs.size() * most_steps, stream_),
      adam_(runs.size() * most_steps, stream_),
      replicas_(runs.size(), stream_) {
  for (const TrainingRun& run : runs) data_.push_back(uploads_.copy(run.data));
  require(cudaMemsetAsync(parameters_.data(), 0, 3 * plan.parameter_floats * runs.size() * sizeof(float),
                          stream_),
          "memory");
  if (scratch_floats > 0)
    require(cudaMemsetAsync(scratch_.data(), 0, scratch_floats * runs.size() * sizeof(float), stream_),
            "memory");
  for (size_t r = 0; r < runs.size(); ++r) {
    const std::vector<float> padded = plan_.padded_parameters(program, start[r]);
    parameters_.write(padded.data(), padded.size(), 3 * r * padded.size());
    keep(r);
  }
}

std::vector<bool> Training::are_finite() {
  require(cudaMemsetAsync(faults_.data(), 0, runs_.size() * sizeof(unsigned), stream_), "memory");
  cuda::launch(find_faults, dim3(16, runs()), 256, 0, stream_, parameters_.data(), plan_.parameter_floats,
               3 * plan_.parameter_floats, faults_.data());
  require(cudaGetLastError(), "launch");
  std::vector<unsigned> faults(runs_.size());
  faults_.read(faults.data(), faults.size());
  std::vector<bool> finite;
  for (unsigned fault : faults) finite.push_back(fault == 0);
  return finite;
}

void Training::keep(size_t run) {
  require(cudaMemcpyAsync(kept_.data() + run * plan_.parameter_floats, parameters_of(run),
                          plan_.parameter_floats * sizeof(float), cudaMemcpyDeviceToDevice, stream_),
          "copy");
}

std::vector<std::vector<double>> Training::train(const std::vector<uint64_t>& first,
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
  adam_.write(steps);
  return run(first, counts, place);
}

std::vector<double> Training::measure(const std::vector<bool>& chosen) {
  std::vector<uint64_t> counts(runs_.size());
  for (size_t r = 0; r < runs_.size(); ++r) counts[r] = chosen[r] ? evaluation_batches : 0;
  const auto losses = run(std::vector<uint64_t>(runs_.size()), counts, {});
  std::vector<double> means(runs_.size());
  for (size_t r = 0; r < runs_.size(); ++r) {
    for (double loss : losses[r]) means[r] += loss;
    means[r] /= static_cast<double>(evaluation_batches);
  }
  return means;
}

std::vector<float> Training::read(size_t run, Which which) const {
  std::vector<float> padded(plan_.parameter_floats);
  if (which == Which::kept)
    kept_.read(padded.data(), padded.size(), run * padded.size());
  else
    parameters_.read(padded.data(), padded.size(), 3 * run * padded.size());
  return plan_.flat_parameters(program_, padded.data());
}

std::vector<std::vector<double>> Training::run(const std::vector<uint64_t>& first,
                                               const std::vector<uint64_t>& counts,
                                               const std::vector<size_t>& adam) {
  const bool updates = !adam.empty();
  std::vector<ReplicaView> replicas(runs_.size());
  for (size_t r = 0; r < runs_.size(); ++r)
    replicas[r] = {.data = data_[r],
                   .stream = updates ? runs_[r].data.pairs.stream : Stream::evaluation,
                   .seed = runs_[r].seed,
                   .first_step = first[r],
                   .steps = counts[r],
                   .loss = runs_[r].options.loss,
                   .parameters = parameters_of(r),
                   .scratch = scratch_.data() + r * scratch_floats_,
                   .adam = updates ? adam_.data() + adam[r] : nullptr,
                   .losses = losses_.data() + r * most_steps};
  replicas_.write(replicas);
  launch(*std::max_element(counts.begin(), counts.end()), updates);
  require(cudaGetLastError(), "launch");
  std::vector<double> all(runs_.size() * most_steps);
  losses_.read(all.data(), all.size());
  std::vector<std::vector<double>> losses;
  for (size_t r = 0; r < runs_.size(); ++r) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(r * most_steps);
    losses.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(counts[r]));
  }
  return losses;
}

}  // namespace kedge::cuda
