// Form grid: a launch is one phase of one step for all runs. Some steps together are a graph, which is
// launched as one.

#include "kedge/nn/cuda_grid.cuh"
#include "kedge/nn/cuda_training.cuh"

namespace kedge::cuda {
namespace {

template <Precision precision>
class GridTraining : public Training {
 public:
  GridTraining(const Program& program, const DevicePlan& plan, std::span<const TrainingRun> runs,
               const std::vector<std::vector<float>>& start)
      : Training(program, plan, runs, start, plan.value_floats + 2 * plan.input_floats), base_(1, stream()) {
    allow_most_shared(grid_backward<precision>);
    allow_most_shared(grid_forward<precision>);
    capture();
  }
  ~GridTraining() override { cudaGraphExecDestroy(graph_); }

 private:
  static constexpr uint32_t steps_of_graph = 20;

  void launch(uint64_t steps, bool updates) override {
    require(cudaMemsetAsync(base_.data(), 0, sizeof(uint64_t), stream()), "memory");
    if (!updates) {
      for (uint32_t t = 0; t < steps; ++t) {
        draw(t);
        launch_step(t, plan().forward_phases);
      }
      return;
    }
    draw(0);
    uint64_t t = 0;
    for (; t + steps_of_graph <= steps; t += steps_of_graph)
      require(cudaGraphLaunch(graph_, stream()), "launch");
    for (uint32_t offset = 0; t + offset < steps; ++offset) launch_step(offset, plan().phases.size());
  }

  void draw(uint32_t offset) {
    cuda::launch(grid_draw, runs(), 32, 0, stream(), program_view(), step_of(offset));
  }

  void launch_step(uint32_t offset, size_t phases) {
    for (size_t p = 0; p < phases; ++p) {
      const GridPhase& phase = plan().phases[p];
      const dim3 blocks(phase.blocks(), runs());
      const size_t rows_bytes = phase.block_tasks ? sizeof(RowsMemory) : 0;
      if (phase.has_strips)
        cuda::launch(grid_backward<precision>, blocks, grid_threads, sizeof(StripMemory), stream(),
                     program_view(), step_of(offset), phase);
      else
        cuda::launch(grid_forward<precision>, blocks, grid_threads, rows_bytes, stream(), program_view(),
                     step_of(offset), phase);
    }
  }

  GridStep step_of(uint32_t offset) const { return {replicas(), base_.data(), offset}; }

  void capture() {
    require(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal), "graph");
    for (uint32_t t = 0; t < steps_of_graph; ++t) launch_step(t, plan().phases.size());
    cuda::launch(grid_advance, 1, 1, 0, stream(), base_.data(), uint64_t{steps_of_graph});
    cudaGraph_t graph = nullptr;
    require(cudaStreamEndCapture(stream(), &graph), "graph");
    const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    require(status, "graph");
  }

  Array<uint64_t> base_;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace

std::unique_ptr<Training> make_grid_training(const Program& program, const DevicePlan& plan,
                                             std::span<const TrainingRun> runs,
                                             const std::vector<std::vector<float>>& start,
                                             CudaPrecision precision) {
  if (precision == CudaPrecision::exact)
    return std::make_unique<GridTraining<Precision::exact>>(program, plan, runs, start);
  return std::make_unique<GridTraining<Precision::fast>>(program, plan, runs, start);
}

}  // namespace kedge::cuda
