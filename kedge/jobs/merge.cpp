#include "kedge/jobs/merge.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/message_of.h"
#include "kedge/jobs/job_store.h"
#include "kedge/jobs/numerics.h"

namespace kedge {
namespace {

namespace fs = std::filesystem;

/// What is wrong with a result's file; empty when nothing is.
std::string fault_of(const fs::path& file, const std::string& text) {
  try {
    const KeptResult kept = kept_result(text);
    if (!is_of_this_program(kept))
      return fmt::format("is of {}, not of {}", whose(kept), numerics_of(kept.device));
    if (name_of(kept.key, origin_text(kept.device)) != file.stem().string())
      return "is damaged: its name does not belong to its content";
  } catch (const JsonError& error) {
    return fmt::format("is damaged: {}", error.fault());
  }
  return "";
}

void write_bytes(const fs::path& file, const std::string& bytes) {
  write_atomically(file.string(), [&](std::ostream& out) { out << bytes; });
}

class Merging {
 public:
  explicit Merging(const std::string& into) : into_(into) {
    std::error_code failed;
    fs::create_directories(into_, failed);
    if (failed)
      throw Error("merge", fmt::format("needs a folder to merge into; {} cannot be made: {}", one_line(into),
                                       failed.message()));
  }

  void take(const std::string& folder) {
    std::error_code failed;
    if (fs::equivalent(folder, into_, failed))
      throw Error("merge",
                  fmt::format("needs other folders than the one to merge into; found {}", one_line(folder)));
    std::vector<fs::path> files;
    fs::directory_iterator entry(folder, failed);
    for (const fs::directory_iterator end; !failed && entry != end; entry.increment(failed))
      if (entry->path().extension() == ".json" && !entry->path().filename().string().starts_with("."))
        files.push_back(entry->path());
    if (failed)
      throw Error("merge", fmt::format("{} cannot be read as a folder of jobs: {}", one_line(folder),
                                       failed.message()));
    if (files.empty()) merge_.empty.push_back(one_line(folder));
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) take_file(file);
  }

  JobMerge done() { return std::move(merge_); }

 private:
  void refuse(const fs::path& file, const std::string& why) {
    merge_.refused.push_back(fmt::format("{} {}", one_line(file.string()), why));
  }

  /// Of a fit both files.
  struct Found {
    std::string text;
    std::optional<std::string> model;
  };

  /// Nothing where it is refused.
  std::optional<Found> look_at(const fs::path& file) {
    const fs::path model = fs::path(file).replace_extension(".kedge");
    try {
      Found found{is_plain_file(file) ? read_file(file.string(), "merge") : "", {}};
      if (const std::string fault = fault_of(file, found.text); !fault.empty()) {
        refuse(file, fault);
        return std::nullopt;
      }
      if (is_plain_file(model)) found.model = read_file(model.string(), "merge");
      if (found.model) Predictor::from_bytes(*found.model, model.string());
      return found;
    } catch (const Error& error) {
      refuse(file, fmt::format("was not taken: {}", message_of(error)));
      return std::nullopt;
    }
  }

  void take_file(const fs::path& file) {
    const std::optional<Found> found = look_at(file);
    if (!found) return;
    const fs::path to = into_ / file.filename(), model_to = fs::path(to).replace_extension(".kedge");
    if (is_whole(to) && (!found->model || is_model(model_to))) {
      if (!is_same(to, found->text))
        return refuse(file, fmt::format("has another result than {}, which stays; one of them is damaged",
                                        one_line(to.string())));
      ++merge_.known;
      return;
    }
    // The model first, as whoever computed them did: the result of a fit says that its model is there.
    if (found->model) write_bytes(model_to, *found->model);
    write_bytes(to, found->text);
    ++merge_.copied;
  }

  static bool is_whole(const fs::path& file) {
    return is_plain_file(file) && fault_of(file, read_file(file.string(), "merge")).empty();
  }

  /// Where it was computed makes no difference.
  static bool is_same(const fs::path& known, const std::string& text) {
    return kept_result(read_file(known.string(), "merge")).result.text == kept_result(text).result.text;
  }

  static bool is_model(const fs::path& file) {
    if (!is_plain_file(file)) return false;
    try {
      Predictor::load(file.string());
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  const fs::path into_;
  JobMerge merge_;
};

}  // namespace

JobMerge merge_jobs(const std::vector<std::string>& from, const std::string& into) {
  // Before anything is written.
  for (const std::string& folder : from)
    if (std::error_code failed; !fs::is_directory(folder, failed))
      throw Error("merge", fmt::format("needs folders of jobs; found {}, which is none", one_line(folder)));
  Merging merging(into);
  for (const std::string& folder : from) merging.take(folder);
  return merging.done();
}

}  // namespace kedge
