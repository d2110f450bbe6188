#pragma once

// RowPredictor: answers one row at a time, with a given anchor where the model reads one, and allocates no
// memory: for control loops.
//
// Law: its answers are those of Predictor::predict with the same row and the same given anchor, bit for bit.

#include <cstddef>
#include <memory>
#include <span>

#include "kedge/predictor/predictor.h"

namespace kedge {

/// Used by one thread at a time. The predictor must outlive it.
class RowPredictor {
 public:
  explicit RowPredictor(const Predictor& predictor);
  RowPredictor(RowPredictor&&) noexcept;
  ~RowPredictor();

  /// `row` holds the inputs in the order of Predictor::inputs(), `y` gets the outputs; `anchor` is a training
  /// row, not looked at by models that read no anchor. Throws Error when a length or the anchor is wrong, or the row is not in the space.
  void predict(std::span<const double> row, size_t anchor, std::span<double> y);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace kedge
