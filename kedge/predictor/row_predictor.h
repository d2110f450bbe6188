#pragma once

// RowPredictor: answers one row at a time, or a few together, with a given anchor where the model reads one,
// and allocates no memory: for control loops.
//
// Law: its answers are those of Predictor::predict with the same row and the same given anchor, bit for bit,
// whichever rows are answered together.

#include <cstddef>
#include <memory>
#include <span>

#include "kedge/predictor/predictor.h"

namespace kedge {

/// Used by one thread at a time. The predictor must outlive it.
class RowPredictor {
 public:
  /// Answers of all replicas and anchors that are kept at once: 64 MiB.
  static constexpr size_t most_numbers = size_t{1} << 24;

  /// `most_anchors` is how many anchors a row may be answered from, `most_rows` how many rows are answered
  /// together. Throws Error when several would give more than `most_numbers`.
  explicit RowPredictor(const Predictor& predictor, size_t most_anchors = 1, size_t most_rows = 1);
  RowPredictor(RowPredictor&&) noexcept;
  ~RowPredictor();

  /// `row` holds the inputs in the order of Predictor::inputs(), `y` gets the outputs; `anchor` is a training
  /// row, not looked at by models that read no anchor. Throws Error when a length or the anchor is wrong, or
  /// the row is not in the space.
  void predict(std::span<const double> row, size_t anchor, std::span<double> y);
  /// The mean over several anchors, at least one, at most `most_anchors`: one pass, which takes little longer
  /// than that of one anchor.
  void predict(std::span<const double> row, std::span<const size_t> anchors, std::span<double> y);

  /// Several rows in one pass: each is added with its anchors, then all are answered in their order, a row of
  /// `y` each. A row that throws Error is not added.
  void add(std::span<const double> row, std::span<const size_t> anchors);
  void answer(MatrixView<double> y);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace kedge
