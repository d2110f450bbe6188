#pragma once

// What a sweep found, in words and numbers: pure functions of the scores, for the terminal, JSON, CSV and the
// page.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/sweep_plan.h"
#include "kedge/core/json.h"
#include "kedge/report/tables.h"
#include "kedge/trials/sweep.h"

namespace kedge {

struct SweepFound {
  const SweepFlags& flags;
  const SweepPlan& plan;
  std::vector<SweepScore> scores;  ///< of the plan's fits
  std::vector<SweepScore> baselines;
  size_t best = 0;
  ChosenElsewhere elsewhere = {};
  std::optional<size_t> simple = {};  ///< the baseline to take instead of the best
  std::set<std::string> machines = {};

  /// Places of the fits, the best first, those that failed last.
  std::vector<size_t> sorted() const;
  /// Whether there was anything to choose, so that the best looks better than it is.
  bool has_choice() const { return scores.size() > 1; }
  /// The combinations that were chosen elsewhere, by their places.
  std::set<size_t> chosen() const;
  /// What the grid is worth: simple models are compared with it.
  const SweepScore& worth() const { return has_choice() ? elsewhere.score : scores[best]; }
  /// The best of the grid, or the simple model to take instead.
  const SweepFit& recommended() const { return simple ? plan.baselines[*simple] : plan.fits[best]; }
  /// The fit of it, as a shell takes it.
  std::string command() const;
};

/// Throws Error where no combination could be scored.
SweepFound found_in(const SweepFlags& flags, const SweepPlan& plan, const JobResults& results);

/// At most so many combinations, the best marked; then what was chosen elsewhere, and the baselines.
TextTable sweep_table_of(const SweepFound& found, size_t most);

/// What the table means and what to make of it; prose.
std::vector<std::string> sweep_words(const SweepFound& found);
/// That a simple model does as well as the grid; empty where none does.
std::string baseline_words(const SweepFound& found);
/// "in support, beyond inputs and beyond outputs": the errors that there are, in words.
std::string errors_in_words(const SweepScore& score);
/// Why some have no numbers; of many the first.
std::vector<std::string> sweep_failures(const SweepFound& found);

Json to_json(const SweepFound& found);
/// A row for each combination in the order of the table, what was chosen elsewhere, then the baselines.
Table csv_table(const SweepFound& found);

}  // namespace kedge
