#include "engine_cuda.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "kedge/core/error.h"
#include "kedge/nn/engine_cuda.h"
#include "peer.h"
#include "problem.h"
#include "result.h"
#include "timing.h"

namespace kedge {
namespace {

// Relative. TF32 has eleven bits, and the first steps of Adam take the signs of gradients.
constexpr double exact_tolerance = 1e-4, tf32_tolerance = 1e-2;
constexpr double reading_seconds = 0.3;

/// Microseconds for each replica and step: from the first report to the last.
double microseconds(Engine& engine, const TrainingData& data, uint64_t steps) {
  std::vector<TrainingRun> runs;
  for (size_t r = 0; r < engine.replicas(); ++r) runs.push_back({data, step_options(steps), r});
  std::vector<TrainOutcome> outcomes(runs.size());
  double first = -1, last = 0;
  uint64_t from = 0, to = 0;
  const Stopwatch watch;
  engine.train(
      0, runs,
      [&](size_t run, const Progress& p) {
        if (run > 0) return true;
        last = watch.seconds();
        to = p.step;
        if (first < 0) first = last, from = p.step;
        return true;
      },
      outcomes);
  if (to == from) return 1e6 * watch.seconds() / static_cast<double>(steps * runs.size());
  return 1e6 * (last - first) / static_cast<double>((to - from) * runs.size());
}

std::unique_ptr<Engine> engine_of(const Network& network, size_t replicas, CudaPrecision precision) {
  const Program program = bilinear_program(network);
  std::vector<std::vector<float>> parameters;
  for (size_t r = 0; r < replicas; ++r) parameters.push_back(initial_parameters(program, r));
  return make_cuda_engine(program, parameters, precision);
}

struct Case {
  int width;
  size_t replicas;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {{32, 1},   {32, 16},   {32, 64},   {32, 128},  {32, 132},
                                        {32, 264}, {512, 1},   {512, 16},  {512, 64},  {512, 128},
                                        {1024, 1}, {1024, 16}, {1024, 64}, {1024, 128}};
  return all;
}

/// Losses of the first steps from the fixed weights on the fixed pairs, on the device.
void check_answers(CudaPrecision precision) {
  const double tolerance = precision == CudaPrecision::exact ? exact_tolerance : tf32_tolerance;
  for (int width : {32, 512, 1024}) {
    const Network network{.width = width};
    const std::vector<double> expected = stored_peer().of_width(width).losses,
                              found =
                                  checked_losses(network, expected.size(),
                                                 [&](const Program&program, const auto&parameters) {
                                                   return make_cuda_engine(program, parameters, precision);
                                                 });
    for (size_t s = 0; s < expected.size(); ++s)
      if (!(std::abs(found[s] - expected[s]) <= tolerance * std::abs(expected[s])))
        throw Error("bench",
                    fmt::format("width {}, step {}: the loss should be PyTorch's {:.7g}; found {:.7g}", width,
                                s, expected[s], found[s]));
  }
}

double measured(const Case& item, const TrainingData& data, CudaPrecision precision, int rounds) {
  const auto engine = engine_of({.width = item.width}, item.replicas, precision);
  const double once = microseconds(*engine, data, 200) * 1e-6 * static_cast<double>(item.replicas);
  // Enough that a report comes after 500 steps.
  const auto steps = std::max<uint64_t>(3000, static_cast<uint64_t>(reading_seconds / once));
  std::vector<double> readings;
  for (int round = 0; round < rounds; ++round) readings.push_back(microseconds(*engine, data, steps));
  return median(readings);
}

}  // namespace

void run_cuda(int rounds) {
  const CudaDevice device = find_cuda_device();
  if (!device.missing.empty()) throw Error("bench", "needs a CUDA device; " + device.missing);
  for (CudaPrecision precision : {CudaPrecision::exact, CudaPrecision::fast}) check_answers(precision);
  fmt::print("answers: the first losses are PyTorch's\n");
  const Problem problem;
  nlohmann::json peer;
  if (const auto text = peer_output("torch_replicas.py")) peer = nlohmann::json::parse(*text);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  fmt::print("{}, microseconds for each model and step, medians of {} rounds\n", device.name, rounds);
  fmt::print("{:>5} | {:>8} | {:>8} | {:>8} | {:>13} | {:>13} | {:>6}\n", "width", "replicas", "floats",
             "TF32", "PyTorch FP32", "PyTorch TF32", "ratio");
  for (const Case& item : cases()) {
    nlohmann::ordered_json figures{{"width", item.width}, {"replicas", item.replicas}};
    figures["exact_us"] = measured(item, problem.data(), CudaPrecision::exact, rounds);
    figures["tf32_us"] = measured(item, problem.data(), CudaPrecision::fast, rounds);
    std::string theirs[2] = {"-", "-"}, ratio = "-";
    for (const auto& other : peer.value("cases", nlohmann::json::array()))
      if (other.at("width") == item.width && other.at("replicas") == item.replicas) {
        figures["torch_fp32_us"] = other.at("fp32_us");
        figures["torch_tf32_us"] = other.at("tf32_us");
        figures["ratio"] = other.at("fp32_us").get<double>() / figures["exact_us"].get<double>();
        theirs[0] = fmt::format("{:.2f}", other.at("fp32_us").get<double>());
        theirs[1] = fmt::format("{:.2f}", other.at("tf32_us").get<double>());
        ratio = fmt::format("{:.1f}", figures["ratio"].get<double>());
      }
    fmt::print("{:>5} | {:>8} | {:>8.3f} | {:>8.3f} | {:>13} | {:>13} | {:>6}\n", item.width, item.replicas,
               figures["exact_us"].get<double>(), figures["tf32_us"].get<double>(), theirs[0], theirs[1],
               ratio);
    std::fflush(stdout);
    list.push_back(figures);
  }
  const std::string path =
      write_result("engine_cuda", fmt::format("build/release/bench/engine --device cuda {}", rounds),
                   {{"device", device.name},
                    {"torch", peer.contains("torch") ? peer["torch"] : nlohmann::json()},
                    {"rounds", rounds},
                    {"cases", list}});
  fmt::print("written: {}\n", path);
}

}  // namespace kedge
