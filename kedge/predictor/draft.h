#pragma once

// FitDraft: one fit before and after its training, which happens elsewhere, beside that of other fits.

#include <memory>
#include <optional>
#include <vector>

#include "kedge/models/base.h"
#include "kedge/predictor/fit.h"
#include "kedge/predictor/state.h"
#include "kedge/predictor/validation.h"

namespace kedge {

/// A fit up to its training: the state without an engine, and what the engine is to be trained on.
class FitDraft {
 public:
  /// `progress` counts the steps of weights that are learned. `stop_check` is asked until the training
  /// begins, and while a closed form is solved.
  FitDraft(const FitRequest& request, const ProgressFn& progress, const StopCheck& stop_check);

  const Program& program() const { return program_; }
  /// Null where the request has none.
  const ValidationRows* validation() const { return validation_ ? &*validation_ : nullptr; }
  /// One for each replica; none where parameters have a closed form. They show what this draft holds.
  std::vector<TrainingRun> runs() const;
  /// `parameters` and `outcomes` by replica; empty for closed forms. Throws fit_stopped when none was
  /// trained.
  FitResult finish(std::vector<std::vector<float>> parameters, std::vector<TrainOutcome> outcomes);

 private:
  /// The training rows with what is to be learned: the outputs, or what a base leaves of them.
  EncodedRows learned_rows() const;
  TrainingErrors training_errors() const;
  void learn_weights(const FitRequest& request, MatrixView<const double> points, const ProgressFn& progress);

  std::unique_ptr<Predictor::State> state_;
  const Model& model_;
  const StopCheck stop_check_;
  const std::vector<double> row_weights_;  // none: rows count alike
  PairSampler sampler_;
  Program program_{0, 0};  // what is trained
  std::optional<FittedBase> base_;
  std::optional<ValidationRows> validation_;
};

}  // namespace kedge
