#pragma once

// Work with a device beside the threads: the device trains fleet after fleet, and the threads make what the
// next ones are trained on, ask those that were trained, and compute what needs no training.
//
// Laws: answers are those of compute_on_threads where the device computes the same bits, whatever the number
// of threads. The device waits for questions only where the fits that wait for them fill the memory.

#include <functional>
#include <string>
#include <vector>

#include "kedge/core/stopwatch.h"
#include "kedge/jobs/job_work.h"

namespace kedge {

/// Fits of one program, trained together.
struct DeviceFleet {
  std::vector<Work> fits;
  double training = 0;  ///< seconds of the device by an estimate
  double asking = 0;    ///< seconds of one core
};

/// What is trained at a time, so that a run that is killed loses little: seconds of a device by an estimate.
/// More would gain little, for so many wide networks fill a device.
inline constexpr double most_in_flight = 90;
/// Several fleets are in flight, so that one is made ready while others are trained.
inline constexpr double most_of_a_fleet = most_in_flight / 3;
/// Fits that are in memory, from their tables to the last answer. Those of policies take some gigabytes.
inline constexpr size_t most_fits_held = 192;

/// Fits by program, in the order in which a program is first asked for; long ones in several parts. `closed`
/// gets what needs no training.
std::vector<DeviceFleet> fleets_of(const std::vector<Job>& jobs, std::span<const Work> fits, int threads,
                                   std::vector<Work>& closed);

/// As compute. The seconds of the device that it tells are those of the clock.
void compute_with_device(
    const std::vector<Job>& jobs, std::span<const Work> work, const JobOptions& options, const WorkSink& sink,
    const std::function<double()>& clock = [watch = Stopwatch()] { return watch.seconds(); });

}  // namespace kedge
