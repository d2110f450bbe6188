#include "result.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kedge/jobs/machine.h"
#include "kedge/predictor/predictor.h"

namespace kedge {
namespace {

// "AMD EPYC 7B13" -> "amd-epyc-7b13"
std::string slug(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!text.empty() && text.back() != '-') {
      text += '-';
    }
  }
  while (!text.empty() && text.back() == '-') text.pop_back();
  return text;
}

}  // namespace

std::string source_folder() {
  const char* const other = std::getenv("KEDGE_SOURCE");
  return other ? other : KEDGE_SOURCE_DIR;
}

std::string write_result(const std::string& section, const std::string& command,
                         nlohmann::ordered_json figures) {
  const char* const other = std::getenv("KEDGE_RESULTS");
  const std::string folder = other ? other : source_folder() + "/bench/results",
                    path = fmt::format("{}/{}.json", folder, slug(processor()));
  nlohmann::ordered_json all;
  if (std::ifstream file(path); file) all = nlohmann::ordered_json::parse(file);
  all["machine"] = machine();
  nlohmann::ordered_json made{{"command", command},
                              {"version", version()},
                              {"date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)))}};
  made.update(figures);
  all[section] = made;
  std::filesystem::create_directories(folder);
  std::ofstream(path) << all.dump(1) << '\n';
  return path;
}

}  // namespace kedge
