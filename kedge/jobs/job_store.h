#pragma once

// JobStore: the files of a folder that keep what jobs found. A result is <name>.json with numerics, device,
// key, build and machine; a fit has such a file as well, and its model beside it as <name>.kedge. A name is a
// hash of numerics, device and key. Build and machine only tell where a result comes from.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "kedge/jobs/job.h"

namespace kedge {

/// FNV-1a.
uint64_t hash_of(const std::string& text);

/// What the names of a run's files stand for, beside the key: numerics and device.
std::string origin_text(const std::string& device);

/// Without an ending. `origin` as origin_text.
std::string name_of(const std::string& key, const std::string& origin);

class JobStore {
 public:
  /// Without a folder nothing is found and nothing is kept.
  JobStore(std::string folder, const std::string& device);

  /// Throws Error unless the folder is there or can be made.
  void make_folder() const;

  /// Nothing where there is no file, or one that is not such a result.
  std::optional<JobResult> result(const std::string& key) const;
  std::optional<Predictor> predictor(const Fit& fit) const;
  void keep(const std::string& key, const JobResult& result) const;
  /// `bytes` of a model file.
  void keep_model(const Fit& fit, const std::string& bytes) const;

 private:
  std::filesystem::path path_of(const std::string& key, const char* ending) const;
  bool holds(const std::filesystem::path& file) const;

  const std::filesystem::path folder_;
  const std::string device_, origin_;
};

/// The content of a result's file.
struct KeptResult {
  std::string numerics;  ///< empty in files of programs that had none
  std::string device, key;
  JobResult result;
};
/// Throws JsonError on text that is no such file.
KeptResult kept_result(const std::string& text);

/// Whose results a folder has that are not of this program, in words, by the first such file that is found:
/// "numerics 1, GNU 12.2.0, x86-64-v3", or "a program before numerics 1". Empty where there is none.
std::string others_in(const std::string& folder);

/// Name of the CUDA device that results of the folder come from, by this program; empty where there are none.
/// Throws Error where they come from several.
std::string cuda_device_in(const std::string& folder);

/// In words: the numerics, or that there were none yet.
std::string whose(const KeptResult& kept);

/// Whether this program would find the same bits.
bool is_of_this_program(const KeptResult& kept);

/// Whether a plain file is there. Throws Error on anything else: a pipe would never end, and a link would
/// have what it leads to read, or replaced.
bool is_plain_file(const std::filesystem::path& file);

}  // namespace kedge
