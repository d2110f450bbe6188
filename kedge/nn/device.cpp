#include "kedge/nn/device.h"

#include <algorithm>

#include "kedge/core/error.h"
#include "kedge/nn/engine_cuda.h"

namespace kedge {
namespace {

// Seconds. On a core of a Xeon a step of a network of width 32 and rank 32 with batches of 32 takes 34 us. On
// an H200 (docs/scale.md) one of a small network takes 11 to 15 us, whatever its size, and two processors for
// each product are busy with it. One of wide networks takes at least 45 us, and then as long as all their
// parameters.
constexpr double core_product = 0.19e-9;  // of a parameter and a pair, forward and back, with Adam
constexpr double parameters_of_a_draw = 100, pairs_of_an_update = 8;
constexpr size_t most_small = 30'000;  // parameters
constexpr double small_step = 12e-6, least_wide_step = 45e-6, device_product = 0.28e-12;
constexpr double device_start = 1;
constexpr size_t cores = 16;  // that a machine with a device has beside it
constexpr double least_gain = 2;

double rounds(size_t runs, size_t at_once) { return static_cast<double>((runs + at_once - 1) / at_once); }

CudaDevice required_device() {
  CudaDevice found = find_cuda_device();
  if (!found.missing.empty()) throw Error("train", "needs a CUDA device; " + found.missing, "device");
  return found;
}

}  // namespace

std::string to_text(const UsedDevice& device) {
  return device.device == Device::cpu ? "cpu" : "cuda " + device.name;
}

bool gains_on_device(const FleetSize& fleet, size_t processors) {
  if (processors == 0 || fleet.runs == 0) return false;
  const double products = (static_cast<double>(fleet.parameters) + parameters_of_a_draw) *
                          (static_cast<double>(fleet.batch) + pairs_of_an_update);
  const auto steps = static_cast<double>(fleet.steps);
  const double on_cores = rounds(fleet.runs, cores) * steps * products * core_product;
  const bool is_small = fleet.parameters <= most_small;
  const double step = is_small
                          ? rounds(fleet.runs, std::max<size_t>(processors / 2, 1)) * small_step
                          : least_wide_step + static_cast<double>(fleet.runs) * products * device_product;
  return least_gain * (device_start + steps * step) <= on_cores;
}

UsedDevice device_for(Device asked, const FleetSize& fleet) {
  if (asked == Device::cpu) return {};
  const CudaDevice found = asked == Device::cuda ? required_device() : find_cuda_device();
  if (asked == Device::automatic && !gains_on_device(fleet, found.processors)) return {};
  return {Device::cuda, found.name};
}

void require_device(Device asked) {
  if (asked == Device::cuda) required_device();
}

}  // namespace kedge
