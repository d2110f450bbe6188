#pragma once

// CountedRequests: requests whose tables have only the rows that count (kedge/table/row_weights.h), which
// every way to a fit begins with. A request whose row weights are at fault stays as it is: require_fittable
// says why.

#include <deque>
#include <span>
#include <vector>

#include "kedge/predictor/fit.h"

namespace kedge {

class CountedRequests {
 public:
  /// The given ones must outlive this.
  explicit CountedRequests(std::span<const FitRequest> given);
  CountedRequests(const CountedRequests&) = delete;
  CountedRequests& operator=(const CountedRequests&) = delete;

  std::span<const FitRequest> all() const { return all_; }

 private:
  std::deque<Table> tables_;  // a table stays where it is when others come
  std::vector<FitRequest> own_;
  std::span<const FitRequest> all_;
};

}  // namespace kedge
