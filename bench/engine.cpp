// One bilinear training step on one core: its answer held to PyTorch's, then its time, beside the core's peak
// and PyTorch's time of the same minutes; and what a second replica on a second thread costs.
//
// Usage: engine [--device cuda] [rounds]. On a CUDA device: fleets beside PyTorch's stacked replicas.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine_cuda.h"
#include "kedge/core/error.h"
#include "kedge/jobs/machine.h"
#include "kedge/kernels/kernels.h"
#include "peak.h"
#include "peer.h"
#include "problem.h"
#include "result.h"
#include "timing.h"

namespace kedge {
namespace {

constexpr double loss_tolerance = 1e-4;  // relative; float sums in another order
constexpr double reading_seconds = 0.3;

enum class Data { shared, own };

// Trains one network with a number of replicas, of one problem or (a fleet of fits) of a problem each.
class Runner {
 public:
  Runner(const Network& network, size_t replicas, int threads, Data data)
      : problems_(data == Data::own ? replicas : 1), pool_(threads) {
    const Program program = bilinear_program(network);
    std::vector<std::vector<float>> parameters;
    for (size_t r = 0; r < replicas; ++r) parameters.push_back(initial_parameters(program, r));
    engine_ = make_engine(program, parameters);
    fleet_.engine = engine_.get();
    for (size_t r = 0; r < replicas; ++r)
      fleet_.runs.push_back({problems_[data == Data::own ? r : 0].data(), {}, r});
    run(20);
    steps_ = std::max<uint64_t>(20, static_cast<uint64_t>(reading_seconds / run(20)));
  }

  /// Seconds until every replica has done a step: from the first report to the last, so that what a training
  /// sets up before its steps does not count.
  double reading() { return run(steps_); }

 private:
  struct Span {
    double first = -1, last = 0;
    uint64_t from = 0, to = 0;
  };

  double run(uint64_t steps) {
    for (TrainingRun& run : fleet_.runs) run.options = step_options(steps);
    std::vector<Span> spans(fleet_.runs.size());
    const Stopwatch watch;
    const auto progress = [&](size_t, size_t r, const Progress& p) {
      Span& span = spans[r];
      span.last = watch.seconds();
      span.to = p.step;
      if (span.first >= 0) return true;
      span.first = span.last;
      span.from = p.step;
      return true;
    };
    train({&fleet_, 1}, pool_, {.progress = progress});
    double sum = 0;
    for (const Span& span : spans) sum += (span.last - span.first) / static_cast<double>(span.to - span.from);
    return sum / static_cast<double>(pool_.threads());
  }

  std::vector<Problem> problems_;
  ThreadPool pool_;
  std::unique_ptr<Engine> engine_;
  Fleet fleet_;
  uint64_t steps_ = 1;
};

struct Case {
  Network network;
  Runner one, two;
  std::vector<double> one_s{}, two_s{}, peak{}, eager_us{}, fused_us{};

  explicit Case(const Network& shape)
      : network(shape), one(shape, 1, 1, Data::shared), two(shape, 2, 2, Data::shared) {}
};

void check_answer(const Network& network, const PeerRun& peer) {
  const std::vector<double>& theirs = peer.of_width(network.width).losses;
  const std::vector<double> ours = checked_losses(
      network, theirs.size(),
      [](const Program& program, const auto& parameters) { return make_engine(program, parameters); });
  for (size_t s = 0; s < theirs.size(); ++s) {
    if (!(std::abs(ours[s] - theirs[s]) <= loss_tolerance * std::abs(theirs[s])))
      throw Error("bench", fmt::format("width {}, step {}: the loss should be PyTorch's {:.7g}; found {:.7g}",
                                       network.width, s, theirs[s], ours[s]));
  }
}

void measure(std::vector<std::unique_ptr<Case>>& cases, int rounds, bool with_peer) {
  for (int round = 0; round < rounds; ++round) {
    for (auto& item : cases) {
      item->peak.push_back(peak_gflops(reading_seconds / 3));
      item->one_s.push_back(item->one.reading());
      item->two_s.push_back(item->two.reading());
    }
    if (!with_peer) continue;
    const auto peer = run_peer();
    for (auto& item : cases) {
      item->eager_us.push_back(peer->of_width(item->network.width).eager_us);
      item->fused_us.push_back(peer->of_width(item->network.width).fused_us);
    }
  }
}

nlohmann::ordered_json figures_of(const Case& item) {
  const double step_us = 1e6 * median(item.one_s);
  const double gflops = step_flops(item.network) / step_us * 1e-3, peak = median(item.peak);
  nlohmann::ordered_json figures{{"width", item.network.width},
                                 {"layers", item.network.layers},
                                 {"flops", step_flops(item.network)},
                                 {"step_us", step_us},
                                 {"gflops", gflops},
                                 {"peak_gflops", peak},
                                 {"of_peak", gflops / peak}};
  if (!item.eager_us.empty()) {
    figures["torch_eager_us"] = median(item.eager_us);
    figures["eager_ratio"] = median(item.eager_us) / step_us;
    figures["torch_fused_us"] = median(item.fused_us);
    figures["fused_ratio"] = median(item.fused_us) / step_us;
  }
  figures["two_replicas_throughput"] = 2 * step_us / (1e6 * median(item.two_s));
  return figures;
}

// Eight fits trained as one fleet against eight replicas of one fit, width 32, one thread.
nlohmann::ordered_json measure_fleet(int rounds) {
  constexpr size_t fits = 8;
  Runner fleet({.width = 32}, fits, 1, Data::own), replicas({.width = 32}, fits, 1, Data::shared);
  std::vector<double> fleet_s, replicas_s, ratios;
  for (int round = 0; round < rounds; ++round) {
    fleet_s.push_back(fleet.reading());
    replicas_s.push_back(replicas.reading());
    ratios.push_back(fleet_s.back() / replicas_s.back());
  }
  const nlohmann::ordered_json figures{{"fits", fits},
                                       {"fleet_us", 1e6 * median(fleet_s)},
                                       {"replicas_us", 1e6 * median(replicas_s)},
                                       {"ratio", median(ratios)}};
  fmt::print(
      "a fleet of {} fits: {:.1f} us for a step of all; {} replicas of one fit: {:.1f} us; ratio {:.3f}\n",
      fits, figures["fleet_us"].get<double>(), fits, figures["replicas_us"].get<double>(),
      figures["ratio"].get<double>());
  return figures;
}

void print(const nlohmann::ordered_json& cases) {
  fmt::print("{:>5} | {:>9} | {:>7} | {:>9} | {:>16} | {:>6} | {:>8} | {:>6} | {:>12}\n", "width", "us/step",
             "GFLOP/s", "% of peak", "PyTorch eager us", "ratio", "fused us", "ratio", "two replicas");
  for (const auto& item : cases) {
    auto optional = [&](const char* key) {
      return item.contains(key) ? fmt::format("{:.1f}", item[key].get<double>()) : std::string("-");
    };
    fmt::print("{:>5} | {:>9.1f} | {:>7.1f} | {:>9.0f} | {:>16} | {:>6} | {:>8} | {:>6} | {:>11.2f}x\n",
               item["width"].get<int>(), item["step_us"].get<double>(), item["gflops"].get<double>(),
               100 * item["of_peak"].get<double>(), optional("torch_eager_us"), optional("eager_ratio"),
               optional("torch_fused_us"), optional("fused_ratio"),
               item["two_replicas_throughput"].get<double>());
    if (item["of_peak"].get<double>() > 1)
      fmt::print("        more than the peak: the machine was busy, measure again\n");
  }
}

void run(int rounds) {
  const std::vector<Network> networks = {{.width = 32}, {.width = 512}, {.width = 1024}};
  const auto live = run_peer();
  const PeerRun peer = live ? *live : stored_peer();
  for (const Network& network : networks) check_answer(network, peer);
  fmt::print("answers: the first losses are those of PyTorch {}{}\n", peer.torch, live ? "" : " (stored)");

  std::vector<std::unique_ptr<Case>> cases;
  for (const Network& network : networks) cases.push_back(std::make_unique<Case>(network));
  measure(cases, rounds, live.has_value());
  const nlohmann::ordered_json fleet = measure_fleet(rounds);

  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& item : cases) list.push_back(figures_of(*item));
  fmt::print("{}, kernels {}, medians of {} rounds\n", processor(), kernels().name, rounds);
  print(list);
  const std::string path = write_result("engine", fmt::format("build/release/bench/engine {}", rounds),
                                        {{"kernels", kernels().name},
                                         {"torch", live ? nlohmann::json(live->torch) : nlohmann::json()},
                                         {"rounds", rounds},
                                         {"cases", list},
                                         {"fleet", fleet}});
  fmt::print("written: {}\n", path);
}

}  // namespace
}  // namespace kedge

int main(int count, char** arguments) {
  try {
    const bool on_device = count > 2 && std::string_view(arguments[1]) == "--device";
    if (on_device && std::string_view(arguments[2]) != "cuda")
      throw kedge::Error("bench", "--device needs cuda; leave it out for the CPU");
    const int place = on_device ? 3 : 1;
    const int rounds = count > place ? std::max(1, std::atoi(arguments[place])) : 7;
    on_device ? kedge::run_cuda(rounds) : kedge::run(rounds);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
