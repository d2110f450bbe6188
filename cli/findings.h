#pragma once

// Findings: what the words about a diagnosis are made of.

#include <vector>

#include "kedge/trials/diagnosis.h"

namespace kedge {

struct OutsideColumn {
  const ColumnRange* range = nullptr;
  size_t queries = 0;
};

struct Findings {
  /// Queries by what can be done; `unanswered` are no points at all.
  size_t rows = 0, answered = 0, edge = 0, beyond = 0, unknown = 0, unanswered = 0;
  GroupErrors errors{};  ///< of those that can be answered; of all where none can be
  /// Columns that take queries beyond, or to the edge of, all differences seen; those of most queries first.
  std::vector<OutsideColumn> outside{};
};

/// The diagnosis must outlive its findings.
Findings findings_of(const Diagnosis& diagnosis);

}  // namespace kedge
