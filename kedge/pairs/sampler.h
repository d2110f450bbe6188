#pragma once

// PairSampler: which (query, anchor) pairs of training rows are trained on.
//
// A draw is a pure function of (seed, stream, step, slot): one Philox block gives both rows, so any engine
// can draw the pairs of any step by itself. The query is uniform over all rows, the anchor uniform over the
// rows that the rule lets it meet; or the pair is one of a list, in proportion to its weight.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
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
  /// These pairs of `rows` rows and no others, in proportion to their weights, of which one is positive. A
  /// pair of weight 0 changes nothing: it is as if it were not in the list.
  PairSampler(size_t rows, std::span<const Pair> pairs, std::span<const float> weights);

  size_t rows() const { return rows_; }
  /// Whether any row can meet another.
  bool has_pairs() const;

  /// Every pair of two rows the rule lets meet, by query, then anchor; none at all when there are over
  /// `limit`.
  std::vector<Pair> all_pairs(size_t limit) const;

  Pair draw(uint64_t seed, Stream stream, uint64_t step, uint32_t slot) const;

 private:
  // A column of the alias table (Walker 1977): its own pair below the threshold, another one above.
  struct Listed {
    Pair pair;
    uint32_t threshold = 0, other = 0;
  };
  Pair draw_listed(const std::array<uint32_t, 4>& block) const;

  size_t rows_ = 0;
  std::vector<Listed> listed_;  // when not empty, all that is drawn from
  SelfPairs self_ = SelfPairs::exclude;
  std::vector<uint32_t> group_of_;  // by row
  std::vector<uint32_t> place_;     // by row: its place in order_
  std::vector<uint32_t> order_;     // rows, group by group
  std::vector<uint32_t> start_;     // by group: first place; one more at the end
};

}  // namespace kedge
