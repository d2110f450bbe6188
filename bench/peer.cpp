#include "peer.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kedge/core/error.h"
#include "result.h"

namespace kedge {
namespace {

PeerRun parse(const nlohmann::json& json) {
  PeerRun run{.torch = json.at("torch").get<std::string>(), .cases = {}};
  for (const auto& item : json.at("cases"))
    run.cases.push_back({.width = item.at("width").get<int>(),
                         .layers = item.at("layers").get<int>(),
                         .losses = item.at("losses").get<std::vector<double>>(),
                         .eager_us = item.value("eager_us", 0.0),
                         .fused_us = item.value("fused_us", 0.0)});
  return run;
}

}  // namespace

const PeerCase& PeerRun::of_width(int width) const {
  for (const PeerCase& item : cases) {
    if (item.width == width) return item;
  }
  throw Error("bench", fmt::format("the peer has no case of width {}", width));
}

std::optional<std::string> peer_output(const std::string& call) {
  const std::string root = source_folder();
  const char* const other = std::getenv("KEDGE_PEER_PYTHON");
  const std::string python = other ? other : root + "/build/peers/bin/python";
  if (!other && !std::filesystem::exists(python)) return std::nullopt;
  const std::string command = fmt::format("'{}' '{}/bench/peers/'{}", python, root, call);
  FILE* const pipe = popen(command.c_str(), "r");
  if (!pipe) throw Error("bench", fmt::format("could not start {}", command));
  std::string text;
  std::array<char, 4096> part;
  for (size_t read; (read = std::fread(part.data(), 1, part.size(), pipe)) > 0;)
    text.append(part.data(), read);
  if (pclose(pipe) != 0) throw Error("bench", fmt::format("{} failed", command));
  return text;
}

std::optional<PeerRun> run_peer() {
  const std::optional<std::string> text = peer_output("torch_step.py --quick");
  if (!text) return std::nullopt;
  return parse(nlohmann::json::parse(*text));
}

PeerRun stored_peer() {
  std::ifstream file(source_folder() + "/bench/peers/losses.json");
  return parse(nlohmann::json::parse(file));
}

}  // namespace kedge
