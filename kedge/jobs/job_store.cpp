#include "kedge/jobs/job_store.h"

#include <ostream>
#include <set>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/jobs/build.h"
#include "kedge/jobs/numerics.h"

namespace kedge {
namespace {

/// Calls look(result) for every result in the folder until it says false.
template <class Look>
void each_result(const std::string& folder, const Look& look) {
  std::error_code failed;
  std::filesystem::directory_iterator entry(folder, failed);
  for (const std::filesystem::directory_iterator end; !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() != ".json" || !entry->is_regular_file(failed)) continue;
    std::optional<KeptResult> kept;
    try {
      kept = kept_result(read_file(entry->path().string(), "reproduce"));
    } catch (const Error&) {
      continue;  // not a result
    }
    if (!look(*kept)) return;
  }
}

}  // namespace

// The file also holds what was hashed, so a collision would be noticed, not believed.
uint64_t hash_of(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::string origin_text(const std::string& device) {
  return fmt::format("{}, {}", numerics_of(device), device);
}

std::string name_of(const std::string& key, const std::string& origin) {
  return fmt::format("{:016x}", hash_of(origin + "\n" + key));
}

JobStore::JobStore(std::string folder, const std::string& device)
    : folder_(std::move(folder)), device_(device), origin_(origin_text(device)) {}

void JobStore::make_folder() const {
  if (folder_.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (failed)
    throw Error("reproduce", fmt::format("needs a folder for results; {} cannot be made: {}",
                                         one_line(folder_.string()), failed.message()));
}

std::optional<JobResult> JobStore::result(const std::string& key) const {
  const std::filesystem::path file = path_of(key, ".json");
  if (!holds(file)) return std::nullopt;
  try {
    KeptResult kept = kept_result(read_file(file.string(), "reproduce"));
    if (kept.key == Json::parse(key).dump() && is_of_this_program(kept) && kept.device == device_)
      return std::move(kept.result);
  } catch (const JsonError&) {
    // Not a result: it is computed again and replaced.
  }
  return std::nullopt;
}

std::optional<Predictor> JobStore::predictor(const Fit& fit) const {
  const std::filesystem::path file = path_of(fit.key, ".kedge");
  if (!holds(file)) return std::nullopt;
  try {
    return Predictor::load(file.string());
  } catch (const Error&) {
    return std::nullopt;  // damaged: it is trained again
  }
}

void JobStore::keep(const std::string& key, const JobResult& result) const {
  if (folder_.empty()) return;
  const Json json{{"build", to_text(build())}, {"numerics", numerics_of(device_)},
                  {"device", device_},         {"key", Json::parse(key)},
                  {"machine", result.machine}, {"result", Json::parse(result.text)}};
  write_atomically(path_of(key, ".json").string(),
                   [&](std::ostream& out) { out << json.dump(JsonText::lines) << "\n"; });
}

void JobStore::keep_model(const Fit& fit, const std::string& bytes) const {
  if (folder_.empty()) return;
  write_atomically(path_of(fit.key, ".kedge").string(), [&](std::ostream& out) { out << bytes; });
}

std::filesystem::path JobStore::path_of(const std::string& key, const char* ending) const {
  return folder_ / (name_of(key, origin_) + ending);
}

bool JobStore::holds(const std::filesystem::path& file) const {
  return !folder_.empty() && is_plain_file(file);
}

KeptResult kept_result(const std::string& text) {
  const Json json = Json::parse(text);
  const Json& result = json.at("result");
  if (result.empty()) throw JsonError("its result is empty");
  const Json* numerics = json.find("numerics");
  return {numerics ? exactly<std::string>(*numerics, "numerics") : "",
          exactly<std::string>(json.at("device"), "device"),
          json.at("key").dump(),
          {result.dump(), exactly<std::string>(json.at("machine"), "machine")}};
}

std::string others_in(const std::string& folder) {
  std::string others;
  each_result(folder, [&](const KeptResult& kept) {
    if (!is_of_this_program(kept)) others = whose(kept);
    return others.empty();
  });
  return others;
}

std::string cuda_device_in(const std::string& folder) {
  const std::string cuda = to_text(UsedDevice{Device::cuda, ""});
  std::set<std::string> names;
  each_result(folder, [&](const KeptResult& kept) {
    if (is_of_this_program(kept) && kept.device.starts_with(cuda))
      names.insert(kept.device.substr(cuda.size()));
    return true;
  });
  if (names.size() > 1)
    throw Error("reproduce",
                fmt::format("needs results of one device in {}; found those of {}; put each into a "
                            "folder of its own",
                            one_line(folder), one_line(fmt::format("{}", fmt::join(names, " and ")))));
  return names.empty() ? "" : *names.begin();
}

std::string whose(const KeptResult& kept) {
  return kept.numerics.empty() ? "a program before numerics 1" : one_line(kept.numerics);
}

bool is_of_this_program(const KeptResult& kept) { return kept.numerics == numerics_of(kept.device); }

bool is_plain_file(const std::filesystem::path& file) {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::symlink_status(file, failed);
  if (status.type() == std::filesystem::file_type::not_found) return false;
  if (std::filesystem::is_regular_file(status)) return true;
  throw Error("reproduce", fmt::format("needs a plain file in {}; found {}", one_line(file.string()),
                                       failed ? failed.message() : "something else; remove it"));
}

}  // namespace kedge
