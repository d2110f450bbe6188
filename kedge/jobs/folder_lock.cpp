#include "kedge/jobs/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"

namespace kedge {
namespace {

namespace fs = std::filesystem;

constexpr const char *gate_name = ".runs", *run_prefix = ".run-";

std::string host_name() {
  char host[65] = {};
  ::gethostname(host, sizeof host - 1);
  std::string name = host;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

struct OtherRun {
  std::string machine, list;
  int process = 0;
  Shard shard;
};

/// Of a run that is about to end there may be nothing left to read.
std::optional<OtherRun> other_run(const fs::path& file) {
  try {
    const Json json = Json::parse(read_file(file.string(), "reproduce"));
    return OtherRun{exactly<std::string>(json.at("machine"), "machine"),
                    exactly<std::string>(json.at("list"), "list"),
                    exactly<int>(json.at("process"), "process"),
                    parse_shard(exactly<std::string>(json.at("shard"), "shard"))};
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Removes what ended runs have left, and throws for one that is at work.
void look_at(const std::string& folder, const fs::path& file, const Shard& shard, const std::string& list) {
  const Descriptor run{::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (run.number < 0) return;
  if (::flock(run.number, LOCK_EX | LOCK_NB) == 0) {
    ::unlink(file.c_str());
    return;
  }
  if (errno != EWOULDBLOCK) return;
  const std::optional<OtherRun> other = other_run(file);
  if (!other) return;
  if (other->list == list && other->shard.count == shard.count && other->shard.index != shard.index) return;
  throw Error(
      "reproduce",
      fmt::format("another run (process {} on {}, shard {}{}) works on {}; wait for it, or take another "
                  "folder",
                  other->process, one_line(other->machine), to_text(other->shard),
                  other->list == list ? "" : " of other jobs", one_line(folder)),
      "jobs");
}

}  // namespace

FolderLock::FolderLock(const std::string& folder, const Shard& shard, const std::string& list) {
  if (folder.empty()) return;
  // One run at a time looks and enters.
  const Descriptor gate{
      ::open((fs::path(folder) / gate_name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)};
  if (gate.number < 0 || ::flock(gate.number, LOCK_EX) != 0) return;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with(run_prefix))
      look_at(folder, entry->path(), shard, list);
  for (int attempt = 0; file_ < 0; ++attempt) {
    path_ =
        (fs::path(folder) / fmt::format("{}{}-{}-{}", run_prefix, host_name(), ::getpid(), attempt)).string();
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && errno != EEXIST) return;
  }
  ::flock(file_, LOCK_EX | LOCK_NB);
  const std::string text = Json{
      {"process", static_cast<int>(::getpid())},
      {"machine", host_name()},
      {"shard", to_text(shard)},
      {"list", list}}.dump();
  // Whoever cannot read it lets this run be.
  [[maybe_unused]] const ssize_t written = ::write(file_, text.data(), text.size());
}

FolderLock::~FolderLock() {
  if (file_ < 0) return;
  ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace kedge
