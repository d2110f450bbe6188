#pragma once

// FolderLock: who computes in a folder. Different shards of one list may, and nobody else: they would do the
// same work twice. Nothing could be damaged, since files appear whole or not at all.
//
// Every run holds a lock of the system on a file of its own, `.run-HOST-PID-N`, which the system lets go when
// the run ends, however it ends. Where a file system has no locks there are none here either.

#include <string>

#include "kedge/jobs/shard.h"

namespace kedge {

/// Held as long as it lives.
class FolderLock {
 public:
  /// `list` tells lists of jobs apart. Throws Error, naming the other run, when one works on the folder that
  /// is not another shard of the same list.
  FolderLock(const std::string& folder, const Shard& shard, const std::string& list);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
  std::string path_;
};

}  // namespace kedge
