#pragma once

// Example pairs: examples of which rows may be transduced to each other and which may not, from which a
// weighting of pairs is learned. The paper gives such a weighting 300 pairs of either kind (appendix D.2.2),
// a weaker hint than the label of every row.
//
// Laws: no row is paired with itself; `related` is 1 when both rows have the same value in the table's label
// column and 0 otherwise; the pairs are a pure function of (table, options). Positive pairs come first.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kedge/table/table.h"

namespace kedge {

struct ExamplePair {
  size_t query = 0, anchor = 0;  ///< rows of the table
  int related = 0;               ///< 1: the anchor may be transduced to the query; 0: it may not
  bool operator==(const ExamplePair&) const = default;
};

struct ExamplePairOptions {
  size_t positive = 300, negative = 300;
  uint64_t seed = 0;
};

/// Queries are uniform over the rows that have such a pair at all, anchors uniform over the query's pairs;
/// with replacement. Throws Error unless the table has one label column, and where no pair of a wanted kind
/// exists.
std::vector<ExamplePair> example_pairs(const Table& table, const ExamplePairOptions& options = {});

}  // namespace kedge
