#include "kedge/predictor/sizes.h"

#include <algorithm>

namespace kedge {
namespace {

constexpr int wide_width = 128;
constexpr size_t wide_batch = 256;
constexpr uint64_t wide_pairs = 20'000 * wide_batch;
constexpr double wide_rate = 3e-3;

/// Where the value is open and still the preset's.
template <class T>
void settle(bool is_open, const T& usual, const T& own, T& value) {
  if (is_open && value == usual) value = own;
}

}  // namespace

FitOptions sized(const FitOptions& options, size_t rows, size_t columns) {
  static const FitOptions usual = preset_options("default", "bilinear");
  FitOptions o = options;
  o.open = {};
  if (columns < fewest_wide_columns || o.model != usual.model || rows == 0) return o;
  const OpenOptions& open = options.open;
  Architecture& a = o.architecture;
  TrainOptions& t = o.training;
  settle(open.width, usual.architecture.width, wide_width, a.width);
  settle(open.predicts, usual.architecture.predicts, Predicts::value, a.predicts);
  settle(open.batch, usual.training.batch, wide_batch, t.batch);
  settle(open.learning_rate, usual.training.adam.learning_rate, wide_rate, t.adam.learning_rate);
  settle(open.loss, usual.training.loss, Loss::l2, t.loss);
  if (!(o.epochs > 0))
    settle(open.steps, usual.training.steps, std::max<uint64_t>(1, wide_pairs / t.batch), t.steps);
  return o;
}

FitOptions sized(const FitOptions& options, const Table& table) {
  return sized(options, table.rows(), table.names(Role::input).size());
}

}  // namespace kedge
