#pragma once

// Where figures are kept: bench/results/<machine>.json, one section per benchmark.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace kedge {

/// Replaces one section of this machine's file, adding when, with which command and version it was made;
/// returns the file's path from the repository root.
std::string write_result(const std::string& section, const std::string& command,
                         nlohmann::ordered_json figures);

}  // namespace kedge
