// Ours: how much of each function of one variable a product <f(difference), g(anchor)> of a given rank can
// hold. No training: the singular values of the block of all combinations tell.

#include <cmath>

#include "kedge/core/format.h"
#include "kedge/core/linear_algebra.h"
#include "kedge/domains/analytic/analytic.h"
#include "kedge/experiments/experiments.h"

namespace kedge {
namespace {

constexpr size_t anchors = 400, differences = 400, highest_rank = 128;

std::vector<double> evenly(size_t count, double low, double high) {
  std::vector<double> x(count, high);
  const double step = (high - low) / static_cast<double>(count - 1);
  for (size_t i = 0; i + 1 < count; ++i) x[i] = low + static_cast<double>(i) * step;
  return x;
}

/// Entry (i, j) is f(x_i + d_j) - f(x_i), x over the training range and x + d over all that is asked for.
Matrix<double> changes(const AnalyticFunction& f) {
  const std::vector<double> x = evenly(anchors, f.train_low, f.train_high),
                            d = evenly(differences, f.oos_low - f.train_low, f.oos_high - f.train_high);
  Matrix<double> block(anchors, differences);
  for (size_t i = 0; i < anchors; ++i)
    for (size_t j = 0; j < differences; ++j) block(i, j) = f.value(x[i] + d[j]) - f.value(x[i]);
  return block;
}

/// Over all that is asked for.
double label_deviation(const AnalyticFunction& f) {
  double sum = 0, squares = 0;
  const std::vector<double> x = evenly(anchors, f.oos_low, f.oos_high);
  for (double at : x) sum += f.value(at);
  const double mean = sum / static_cast<double>(anchors);
  for (double at : x) squares += (f.value(at) - mean) * (f.value(at) - mean);
  return std::sqrt(squares / static_cast<double>(anchors));
}

/// Of ranks 0 to `highest_rank`: the root mean square error of the best approximation of that rank (Eckart
/// and Young).
std::vector<double> least_errors(const Matrix<double>& block) {
  const std::vector<double> values = singular_values(block);
  std::vector<double> errors(highest_rank + 1);
  double squares = 0;
  for (size_t rank = values.size(); rank-- > 0;) {
    squares += values[rank] * values[rank];
    if (rank <= highest_rank) errors[rank] = std::sqrt(squares / static_cast<double>(block.values().size()));
  }
  return errors;
}

void assemble(const Extent&, const JobResults&, Result& result) {
  Chart chart{.title = "the best that rank allows",
              .x_label = "rank",
              .y_label = "root mean square error over the deviation of the outputs"};
  for (const AnalyticFunction& f : analytic_functions()) {
    Series series{.name = f.name};
    const std::vector<double> errors = least_errors(changes(f));
    const double deviation = label_deviation(f);
    for (size_t rank = 0; rank < errors.size(); ++rank) {
      series.x.push_back(static_cast<double>(rank));
      series.y.push_back(errors[rank] / deviation);
    }
    for (const size_t rank : {8u, 16u, 32u, 64u, 128u})
      result.cells.push_back(
          {f.name, fmt::format("rank {}", rank), "", "all combinations", {}, {series.y[rank], 0, 1}});
    chart.series.push_back(std::move(series));
  }
  chart.y_range = {0, 1};
  result.charts = {std::move(chart)};
  result.notes = {
      "The change from the anchor's label over all combinations of an anchor of the training range and a "
      "difference that leads no farther out than is asked for: one product of this rank cannot have a lesser "
      "error, root mean square over the block and over the outputs' deviation. Means over anchors and "
      "replicas, "
      "which kedge takes by default, are not one product and can do a little better. Jumps and fast "
      "oscillations need rank; the polynomial does not, and still fails: rank is not all that it takes."};
}

}  // namespace

Experiment fig_rank_experiment() {
  return {.id = "fig-rank",
          .title = "What the rank of the product costs: the least error of a product of that rank",
          .jobs = [](const Extent&) { return std::vector<Job>{}; },
          .assemble = assemble};
}

}  // namespace kedge
