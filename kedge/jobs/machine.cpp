#include "kedge/jobs/machine.h"

#include <fstream>
#include <thread>

#include "kedge/core/format.h"

namespace kedge {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::string machine() {
  const unsigned cores = std::thread::hardware_concurrency();
  return fmt::format("{}, {} core{}", processor(), cores, cores == 1 ? "" : "s");
}

}  // namespace kedge
