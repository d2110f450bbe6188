#pragma once

// Merging: what several machines computed, each in a folder of its own, put into one. Every file is looked at
// before it is copied; one that is there already stays, so merging twice changes nothing.

#include <string>
#include <vector>

namespace kedge {

struct JobMerge {
  size_t copied = 0;  ///< results, those of fits included
  size_t known = 0;   ///< that were there already
  /// Files that were left out, each with why: damaged, or of other numerics.
  std::vector<std::string> refused;
  std::vector<std::string> empty;  ///< folders without a result, as of a shard that had nothing to do
};

/// Throws Error when a folder cannot be read, when it is the one that is written, and when a file cannot be
/// written.
JobMerge merge_jobs(const std::vector<std::string>& from, const std::string& into);

}  // namespace kedge
