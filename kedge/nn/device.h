#pragma once

// Device: where fleets are trained. Predictions are the CPU's, whatever trained the parameters.
//
// Laws: a result made on one device is the same on every machine that has it. Results of different devices
// differ in rounding, which training multiplies. So nobody gets another device than the one he named, but who
// names `automatic`.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "kedge/core/names.h"

namespace kedge {

/// automatic: the CUDA device where there is one and a fleet is large enough to gain by it, else the CPU.
enum class Device { cpu, cuda, automatic };
constexpr auto names_of(Device) {
  return std::to_array<Named<Device>>(
      {{Device::cpu, "cpu"}, {Device::cuda, "cuda"}, {Device::automatic, "auto"}});
}

/// Where something was trained.
struct UsedDevice {
  Device device = Device::cpu;  ///< never automatic
  std::string name = {};        ///< what a device calls itself, "NVIDIA H200"; empty for the CPU
  size_t at_once = 0;           ///< networks trained side by side where its memory held no more; else 0

  bool operator==(const UsedDevice&) const = default;
};

/// "cpu", or "cuda" with the name of the device.
std::string to_text(const UsedDevice& device);

/// What it takes to train a fleet.
struct FleetSize {
  size_t runs = 0, parameters = 0;  ///< parameters of one run
  size_t batch = 0;
  uint64_t steps = 0;  ///< of the longest run
};

/// Whether a device with so many processors trains a fleet in half the time of a CPU or less, its start
/// included. The number of threads does not count: it never changes a result.
bool gains_on_device(const FleetSize& fleet, size_t processors);

/// Where a fleet is to be trained. Throws Error where a device is asked for by name and there is none.
UsedDevice device_for(Device asked, const FleetSize& fleet);

/// Throws Error where a device is asked for by name and there is none, and says why.
void require_device(Device asked);

}  // namespace kedge
