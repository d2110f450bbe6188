#pragma once

// PairExamples: examples of which training rows may be transduced to each other (1) and which may not (0),
// from which weights of pairs are learned. The paper takes 300 of either kind.

#include <cstddef>
#include <span>
#include <vector>

#include "kedge/pairs/sampler.h"
#include "kedge/table/table.h"

namespace kedge {

struct PairExamples {
  std::vector<Pair> pairs;     ///< rows of the training table
  std::vector<float> weights;  ///< 0 or 1, one for each pair

  bool empty() const { return pairs.empty(); }
  size_t size() const { return pairs.size(); }

  /// The pairs whose two rows are both among `rows`, as the rows' places there: the examples that a table of
  /// these rows alone has.
  PairExamples among(std::span<const size_t> rows) const;
};

/// Reads the columns query, anchor (rows of a training table of `rows` rows, from 0) and weight (0 or 1).
/// Throws Error naming the line when a column is missing, a row is not in the training table or paired with
/// itself, or a weight is neither 0 nor 1; and when none of the weights is 1.
PairExamples read_pair_examples(const Table& table, size_t rows);

}  // namespace kedge
