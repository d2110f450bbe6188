
#include <algorithm>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/predictor/requirements.h"
#include "kedge/predictor/state.h"

namespace kedge {
namespace {

// Queries answered by one task: enough to fill the engine's batches, few enough to share out.
constexpr size_t block_rows = 64;

Table table_of(MatrixView<const double> rows, const std::vector<std::string>& names) {
  if (rows.cols() != names.size())
    throw Error("predict", fmt::format("needs {} input columns ({}); found {}", names.size(),
                                       fmt::join(names, ", "), rows.cols()));
  Table table("X");
  for (size_t c = 0; c < names.size(); ++c) {
    Column column{
        .name = names[c], .role = Role::input, .values = std::vector<double>(rows.rows()), .words = {}};
    for (size_t r = 0; r < rows.rows(); ++r) column.values[r] = rows(r, c);
    table.add(std::move(column));
  }
  return table;
}

void require_anchor_rows(std::span<const uint32_t> rows, size_t queries, const Predictor::State& state) {
  const size_t training = state.index.points().rows();
  if (rows.size() != queries)
    throw Error("predict", fmt::format("given anchors need one training row for each of {} queries; found {}",
                                       queries, rows.size()));
  if (!state.engine->program().uses_anchor())
    throw Error("predict", fmt::format("given anchors need a model that reads an anchor; {} does not",
                                       state.options.model));
  for (uint32_t row : rows)
    if (row >= training)
      throw Error("predict",
                  fmt::format("given anchors need training rows below {}; found {}", training, row));
}

}  // namespace

void summarize(const std::vector<Matrix<float>>& by_replica, const Standardizer& scaling, size_t first,
               size_t count, std::span<double> mean, double& spread) {
  const double samples = static_cast<double>(count * by_replica.size());
  double variance_sum = 0;
  for (size_t k = 0; k < mean.size(); ++k) {
    double sum = 0, squares = 0;
    for (const Matrix<float>& y : by_replica)
      for (size_t r = first; r < first + count; ++r) sum += scaling.undo(k, static_cast<double>(y(r, k)));
    mean[k] = sum / samples;
    for (const Matrix<float>& y : by_replica) {
      for (size_t r = first; r < first + count; ++r) {
        const double e = scaling.undo(k, static_cast<double>(y(r, k))) - mean[k];
        squares += e * e;
      }
    }
    variance_sum += squares / samples;
  }
  spread = std::sqrt(variance_sum);
}

std::vector<AnchorMatch> Predictor::State::find_anchors(const QueryRow& query,
                                                        const AnchorOptions& rule) const {
  const std::span<const double> point(query.point, index.points().cols());
  if (!weights || !goes_by_weight(rule.rule)) return index.find(point, rule);
  check(rule);
  return index.find(point, rule, weights->weigh_anchors(rows(), query));
}

Predictions Predictor::predict(MatrixView<const double> rows, const PredictOptions& options) const {
  return predict(table_of(rows, state_->inputs), options);
}

Predictions Predictor::predict(const Table& queries, const PredictOptions& options) const {
  const State& s = *state_;
  AnchorOptions rule = options.anchors.value_or(s.options.anchors);
  if (const auto& only = find_model(s.options.model).anchors; only && rule.rule != AnchorRule::given)
    rule.rule = *only;
  const Program& program = s.engine->program();
  if (program.uses_anchor() && rule.rule == AnchorRule::none && !options.anchor_rows)
    throw Error("predict", fmt::format("model {} needs anchors; found the rule 'none'; take another rule",
                                       s.options.model));
  if (program.uses_anchor() && rule.rule == AnchorRule::given && !options.anchor_rows)
    throw Error("predict", "a model with given anchors needs a training row for each query; found none");
  const Matrix<double> points = canonical_points(queries, s.inputs, s.encoder.space(), "predict");

  if (options.anchor_rows) require_anchor_rows(*options.anchor_rows, points.rows(), s);
  const size_t n = points.rows(), outputs = s.outputs.size();
  const Matrix<float> features = s.encoder.encode_points(points);
  const EncodedRows rows = s.rows();
  Predictions out;
  out.outputs = s.outputs;
  out.y = Matrix<double>(n, outputs);
  out.anchor.assign(n, Predictions::none);
  out.analog_query = out.analog_anchor = out.admissible_anchors = out.anchor;
  out.delta_distance.assign(n, std::numeric_limits<double>::quiet_NaN());
  out.spread.assign(n, 0.0);
  out.support_distance = out.delta_percentile = out.expected_error = out.delta_distance;
  out.verdict.assign(n, Verdict::undetermined);
  const Thresholds thresholds = options.thresholds.value_or(s.support.thresholds());

  ThreadPool pool(n > block_rows ? options.threads : 1);
  pool.run((n + block_rows - 1) / block_rows, [&](size_t task) {
    const size_t first = task * block_rows, count = std::min(block_rows, n - first);
    const auto query = [&](size_t q) {
      return QueryRow{points.row(first + q).data(), features.row(first + q).data()};
    };
    std::vector<std::vector<AnchorMatch>> matches(count);
    std::vector<size_t> start(count + 1);
    for (size_t q = 0; q < count; ++q) {
      ask(options.stop_check);
      matches[q] = !options.anchor_rows
                       ? s.find_anchors(query(q), rule)
                       : std::vector{s.index.match(points.row(first + q), (*options.anchor_rows)[first + q])};
      start[q + 1] = start[q] + std::max<size_t>(1, matches[q].size());
    }
    const size_t total = start[count];
    PairBatch batch(rows, total);
    for (size_t q = 0; q < count; ++q) {
      if (matches[q].empty()) batch.set_query(start[q], query(q));
      for (size_t a = 0; a < matches[q].size(); ++a) batch.set(start[q] + a, query(q), matches[q][a].anchor);
    }
    const auto scratch = s.engine->make_scratch(total);
    std::vector<Matrix<float>> by_replica(s.engine->replicas(), Matrix<float>(total, outputs));
    for (size_t r = 0; r < by_replica.size(); ++r)
      s.engine->forward(r, batch.inputs(), by_replica[r], *scratch);
    for (size_t q = 0; q < count; ++q) {
      const size_t row = first + q;
      summarize(by_replica, s.encoder.output_scaling(), start[q], start[q + 1] - start[q], out.y.row(row),
                out.spread[row]);
      // A neighbour is no difference that was seen: out of support it vouches for nothing.
      const std::span<const AnchorMatch> differences =
          rule.rule == AnchorRule::neighbour && !options.anchor_rows ? std::span<const AnchorMatch>{}
                                                                     : matches[q];
      const Position position =
          s.support.locate(s.index.differences(), points.row(row), differences, thresholds);
      out.support_distance[row] = position.support_distance;
      out.delta_percentile[row] = s.support.delta_percentile(position.delta_distance);
      if (!differences.empty())
        out.admissible_anchors[row] = static_cast<int64_t>(position.admissible_anchors);
      out.verdict[row] = judge(position, thresholds);
      if (thresholds.is_usable())
        out.expected_error[row] =
            s.errors.expected({.verdict = out.verdict[row],
                               .support_distance = position.support_distance,
                               .delta_distance = position.delta_distance,
                               .relative_spread = s.errors.relative_spread(out.spread[row])});
      if (matches[q].empty()) continue;
      const AnchorMatch& best = matches[q].front();
      out.anchor[row] = best.anchor;
      out.analog_query[row] = best.analog.query;
      out.analog_anchor[row] = best.analog.anchor;
      out.delta_distance[row] = best.distance;
    }
  });
  return out;
}

}  // namespace kedge
