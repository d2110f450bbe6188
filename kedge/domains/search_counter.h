#pragma once

// SearchCounter: counts the trials of a search for an expert and passes on a wish to stop. Safe from many
// threads.

#include <atomic>
#include <cstddef>
#include <mutex>

#include "kedge/core/error.h"
#include "kedge/domains/simulated_domain.h"

namespace kedge {

class SearchCounter {
 public:
  SearchCounter(const ExpertSearch& search, size_t total) : search_(search), total_(total) {}

  void count() {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (!stopped_ && search_.progress && !search_.progress(done_, total_)) stopped_ = true;
  }
  bool stopped() const { return stopped_; }
  /// Throws Error once the search is to stop.
  void require_going() const {
    if (stopped_) throw Error("expert", "the search was stopped before it found what it looked for");
  }

 private:
  const ExpertSearch& search_;
  size_t total_, done_ = 0;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace kedge
