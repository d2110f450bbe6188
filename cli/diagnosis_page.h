#pragma once

// What 'kedge diagnose' shows: tables for a terminal, and a page with them and pictures.

#include <string>

#include "cli/diagnosis_words.h"
#include "kedge/report/page.h"
#include "kedge/report/tables.h"
#include "kedge/trials/diagnosis.h"

namespace kedge {

/// How many queries have which verdict, and their errors and mean distances.
TextTable verdict_table(const Diagnosis& diagnosis);

/// The same in the 80 columns of a terminal: without distances.
TextTable narrow_verdict_table(const Diagnosis& diagnosis);

/// Each input column's range in training and in the queries.
TextTable range_table(const Diagnosis& diagnosis);

/// Where a diagnosis comes from, as the page tells it.
struct DiagnosisSource {
  DiagnosisContext context;
  std::string command;
};

/// `coverage` has the thresholds that the verdicts went by.
Page diagnosis_page(const Diagnosis& diagnosis, const Predictor& predictor, const Table& queries,
                    const StoredCoverage& coverage, const DiagnosisSource& source);

}  // namespace kedge
