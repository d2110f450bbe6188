#pragma once

// PairSampler: which (query, anchor) pairs of training rows are trained on.
//
// A draw is a pure function of (seed, stream, step, slot): one Philox block gives both rows, so any engine
// can draw the pairs of any step by itself. The query is uniform over all rows, the anchor uniform over the
// rows that the rule lets it meet.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kedge/core/rng.h"

namespace kedge {

enum class PairRule { any, same_label, same_time };
/// Whether a row may be its own anchor (the released code) or not (the paper's sum over j != i).
enum class SelfPairs { exclude, allow };

/// Rows of the training table; delta = query - anchor.
struct Pair {
  uint32_t query = 0, anchor = 0;
  bool operator==(const Pair&) const = default;
};

class PairSampler {
 public:
  /// Every row may meet every row.
  PairSampler(size_t rows, SelfPairs self);
  /// Rows meet rows with the same key. A row alone with its key meets itself.
  PairSampler(const std::vector<double>& keys, SelfPairs self);

  size_t rows() const { return group_of_.size(); }
  /// Whether any row can meet another.
  bool has_pairs() const;

  /// Every pair of two rows the rule lets meet, by query, then anchor; none at all when there are over
  /// `limit`.
  std::vector<Pair> all_pairs(size_t limit) const;

  Pair draw(uint64_t seed, Stream stream, uint64_t step, uint32_t slot) const;

 private:
  SelfPairs self_;
  std::vector<uint32_t> group_of_;  // by row
  std::vector<uint32_t> place_;     // by row: its place in order_
  std::vector<uint32_t> order_;     // rows, group by group
  std::vector<uint32_t> start_;     // by group: first place; one more at the end
};

}  // namespace kedge
