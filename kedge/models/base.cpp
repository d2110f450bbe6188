#include "kedge/models/base.h"

#include <algorithm>
#include <cmath>

#include "kedge/models/least_squares.h"
#include "kedge/models/models.h"
#include "kedge/nn/engine.h"

namespace kedge {
namespace {

constexpr size_t block_rows = 1024;

/// A diagonal matrix with zero bias, as a dense op has them.
void append_diagonal(const std::vector<float>& entries, std::vector<float>& parameters) {
  for (size_t i = 0; i < entries.size(); ++i)
    for (size_t j = 0; j < entries.size(); ++j) parameters.push_back(i == j ? entries[i] : 0.0f);
  parameters.insert(parameters.end(), entries.size(), 0.0f);
}

Matrix<float> answers(const Program& program, const std::vector<float>& parameters, const EncodedRows& rows) {
  const auto engine = make_engine(program, {parameters});
  Matrix<float> y(rows.features.rows(), rows.outputs.cols());
  for (size_t first = 0; first < y.rows(); first += block_rows) {
    const size_t count = std::min(block_rows, y.rows() - first);
    PairBatch batch(rows, count);
    for (size_t r = 0; r < count; ++r) batch.set_query(r, training_row(rows, first + r));
    engine->forward(0, batch.inputs(), MatrixView<float>(y.row(first).data(), count, y.cols()));
  }
  return y;
}

}  // namespace

const std::vector<std::string>& base_models() {
  static const std::vector<std::string> names = {"linear", "ridge", "quadratic"};
  return names;
}

bool can_be_base(const std::string& model) {
  return std::find(base_models().begin(), base_models().end(), model) != base_models().end();
}

FittedBase fit_base(const std::string& model, const EncodedRows& rows, const StopCheck& stop_check,
                    std::span<const double> row_weights) {
  FittedBase base;
  const Model& found = find_model(model);
  const size_t outputs = rows.outputs.cols();
  base.program =
      found.program({static_cast<int>(rows.features.cols()), static_cast<int>(outputs), {}}, Architecture{});
  base.parameters =
      solve_closed_form(base.program, found.solver, rows.features, rows.outputs, stop_check, row_weights);
  base.rest = answers(base.program, base.parameters, rows);
  for (size_t r = 0; r < base.rest.rows(); ++r)
    for (size_t k = 0; k < outputs; ++k) base.rest(r, k) = rows.outputs(r, k) - base.rest(r, k);
  for (size_t k = 0; k < outputs; ++k) {
    double squares = 0, total = 0;
    for (size_t r = 0; r < base.rest.rows(); ++r) {
      const double weight = row_weights.empty() ? 1.0 : row_weights[r];
      squares += weight * (static_cast<double>(base.rest(r, k)) * static_cast<double>(base.rest(r, k)));
      total += weight;
    }
    const double deviation = std::sqrt(squares / total);
    // What single precision leaves of an exact base is no rest.
    base.scale.push_back(deviation > 1e-6 ? static_cast<float>(deviation) : 1.0f);
    for (size_t r = 0; r < base.rest.rows(); ++r) base.rest(r, k) /= base.scale.back();
  }
  return base;
}

Program over_base(const Program& base, const Program& trained) {
  const int query = Program::input(Input::query), anchor = Program::input(Input::anchor),
            delta = Program::input(Input::delta), output = Program::input(Input::anchor_output);
  Program p(base.features(), base.outputs());
  const int of_query = p.embed(base, {query, anchor, delta, output});
  int rest_of_anchor = output;
  if (trained.reads(Input::anchor_output)) {
    const int of_anchor = p.embed(base, {anchor, anchor, delta, output}, 0);
    rest_of_anchor = p.dense(p.subtract(output, of_anchor), base.outputs(), Activation::none);
  }
  const int rest = p.embed(trained, {query, anchor, delta, rest_of_anchor});
  p.add(of_query, p.dense(rest, base.outputs(), Activation::none));
  return p;
}

std::vector<float> parameters_over(const FittedBase& base, const Program& trained,
                                   const std::vector<float>& parameters, double share) {
  std::vector<float> all = base.parameters, entries;
  if (trained.reads(Input::anchor_output)) {
    for (float scale : base.scale) entries.push_back(1 / scale);
    append_diagonal(entries, all);
    entries.clear();
  }
  all.insert(all.end(), parameters.begin(), parameters.end());
  for (float scale : base.scale) entries.push_back(static_cast<float>(share) * scale);
  append_diagonal(entries, all);
  return all;
}

}  // namespace kedge
