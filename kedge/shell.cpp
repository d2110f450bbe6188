#include "kedge/shell.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "kedge/core/error.h"
#include "kedge/core/parallel.h"
#include "kedge/table/split.h"
#include "kedge/table/standardizer.h"

namespace kedge {
namespace {

// A sine of every mixture of many columns fits anything and carries nothing outward (the paper's Fourier
// table).
constexpr size_t most_fourier_inputs = 8;
// With fewer rows a shell says nothing.
constexpr size_t fewest_rows = 20;

bool worth_a_trial(const Table& table, const FitOptions& options) {
  return find_model(options.model).solver == Solver::adam &&
         options.architecture.fourier == Fourier::automatic && table.rows() >= fewest_rows &&
         table.names(Role::input).size() <= most_fourier_inputs;
}

std::vector<size_t> thinned(const std::vector<size_t>& rows, size_t most) {
  if (rows.size() <= most) return rows;
  std::vector<size_t> kept;
  for (size_t i = 0; i < most; ++i) kept.push_back(rows[i * rows.size() / most]);
  return kept;
}

}  // namespace

double shell_error(const Table& table, const FitOptions& options, const ShellOptions& shell,
                   const ProgressFn& progress) {
  const OuterShell split = outer_shell(table.matrix(table.names(Role::input)), shell.fraction);
  FitOptions trial = options;
  trial.training.steps = std::max<uint64_t>(
      1, static_cast<uint64_t>(shell.effort * static_cast<double>(training_steps(options, table.rows()))));
  trial.epochs = 0;
  trial.replicas = 1;
  trial.pool = std::min(trial.pool, shell.pool);
  trial.constants = ConstantInputs::keep;
  TrainOutcome outcome;
  const Predictor predictor = Predictor::fit(table.select(split.inside), trial, progress, &outcome, 1);
  if (outcome.status == TrainStatus::diverged) return std::numeric_limits<double>::infinity();

  const Table held_out = table.select(thinned(split.outside, shell.queries));
  const Predictions predicted = predictor.predict(held_out, {.anchors = {}, .threads = 1});
  const Matrix<double> truth = held_out.matrix(predicted.outputs);
  const Standardizer scale = Standardizer::fit(table.matrix(predicted.outputs));
  double squares = 0;
  for (size_t r = 0; r < truth.rows(); ++r) {
    for (size_t k = 0; k < truth.cols(); ++k) {
      const double e = (predicted.y(r, k) - truth(r, k)) / scale.scale[k];
      squares += e * e;
    }
  }
  return std::sqrt(squares / static_cast<double>(truth.rows() * truth.cols()));
}

uint64_t trial_steps(const Table& table, const FitOptions& options) {
  if (!worth_a_trial(table, options)) return 0;
  return static_cast<uint64_t>(ShellOptions{}.effort *
                               static_cast<double>(training_steps(options, table.rows())));
}

FitOptions resolve(const Table& table, const FitOptions& options, const ProgressFn& progress, int threads) {
  FitOptions resolved = options;
  if (options.architecture.fourier != Fourier::automatic) return resolved;
  resolved.architecture.fourier = Fourier::off;
  if (!worth_a_trial(table, options)) return resolved;

  std::array<FitOptions, 2> candidates{resolved, resolved};
  candidates[1].architecture.fourier = Fourier::on;
  std::array<double, 2> errors{};
  std::atomic<bool> stop = false;
  Pool pool(threads);
  pool.run(candidates.size(), [&](size_t i) {
    // One of the two speaks for both: they take the same number of steps.
    const ProgressFn watch = [&](const Progress& p) {
      if (i == 0 && progress && !progress(p)) stop = true;
      return !stop;
    };
    try {
      errors[i] = shell_error(table, candidates[i], {}, watch);
    } catch (const Error&) {
      // The rows inside the shell cannot be fitted (no label twice, say): the trial decides nothing.
      errors[i] = std::numeric_limits<double>::infinity();
    }
  });
  return errors[1] < errors[0] ? candidates[1] : candidates[0];
}

}  // namespace kedge
