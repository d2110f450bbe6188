#pragma once

// Where figures are kept: bench/results/<machine>.json, one section per benchmark.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace kedge {

/// The repository: where this was built, or where the variable KEDGE_SOURCE says that a copy of it is.
std::string source_folder();

/// Replaces one section of this machine's file, adding when, with which command and version it was made;
/// returns the file's path. It is in bench/results, or in the folder that the variable KEDGE_RESULTS names.
std::string write_result(const std::string& section, const std::string& command,
                         nlohmann::ordered_json figures);

}  // namespace kedge
