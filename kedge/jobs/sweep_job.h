#pragma once

// The jobs of a sweep: rehearsals of one fit with one seed, a job for each shell. Where anchors are tuned on
// the answers of all shells, one job has them all.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kedge/jobs/job.h"
#include "kedge/trials/cross_validation.h"

namespace kedge {

/// A table that many jobs read, and what tells it from others.
struct SweepTable {
  std::shared_ptr<const Table> rows;
  uint64_t checksum = 0;  ///< of names, roles, words and values, but for columns that are ignored
};
SweepTable sweep_table(Table table);

struct SweepTrial {
  SweepTable table;
  FitOptions options;               ///< sizes settled, see `sized`; with the seed
  CrossValidationOptions how = {};  ///< its models are not read
  Device device = Device::cpu;      ///< not automatic: as that of the JobOptions
};

std::vector<Job> sweep_jobs(const SweepTrial& trial);

/// The score of the trial: what score_all gives for its options, from the results of its jobs.
ModelScore sweep_result(const SweepTrial& trial, const JobResults& results);

}  // namespace kedge
