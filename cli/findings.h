#pragma once

// Findings: what the words about a diagnosis are made of.

#include <functional>
#include <vector>

#include "kedge/trials/diagnosis.h"

namespace kedge {

/// Errors of some queries; NaN where there is nothing to average.
struct GroupErrors {
  size_t count = 0, known = 0;  ///< all, and those whose true outputs are known
  double expected = 0;          ///< mean of those that are known
  double mean = 0, rmse = 0, r_squared = 0;

  /// Whether the true errors are as large as expected, or much larger; both false where one is not known.
  bool is_as_expected() const;
  bool is_worse_than_expected() const;
};

/// Of the queries whose verdict is chosen.
GroupErrors errors_of(const Diagnosis& diagnosis, const std::function<bool(Verdict)>& chosen);
GroupErrors errors_of(const Diagnosis& diagnosis, Verdict verdict);

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
