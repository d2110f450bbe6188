#include "kedge/jobs/numerics.h"

#include "kedge/core/format.h"
#include "kedge/jobs/build.h"

namespace kedge {
namespace {

constexpr std::string_view on_device = ", cuda numerics ";

}  // namespace

std::string numerics_of(std::string_view device) {
  const std::string text =
      fmt::format("numerics {}, {}, {}", numerics_version, build().compiler, build().instructions);
  return device == "cpu" ? text : fmt::format("{}{}{}", text, on_device, cuda_numerics_version);
}

bool holds_today(std::string_view numerics) {
  if (!numerics.starts_with(fmt::format("numerics {}, ", numerics_version))) return false;
  const size_t device = numerics.find(on_device);
  return device == std::string_view::npos ||
         numerics.substr(device) == fmt::format("{}{}", on_device, cuda_numerics_version);
}

}  // namespace kedge
