#include "kedge/experiments/relative_error.h"

namespace kedge {

void RelativeErrors::add(const FitScores& scores) {
  failed += scores.failed;
  if (scores.in.empty()) return;
  in.push_back(scores.in_error());
  oos.push_back(scores.oos_error());
}

void add_cells(const Cell& place, const RelativeErrors& errors, Result& result) {
  for (const bool out : {true, false}) {
    Cell cell = place;
    cell.split = out ? "oos" : "in";
    cell.ours = measured(out ? errors.oos : errors.in);
    cell.failed = errors.failed;
    add_contender(std::move(cell), result);
  }
}

}  // namespace kedge
