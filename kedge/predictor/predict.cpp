
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/predictor/answer_summary.h"
#include "kedge/predictor/requirements.h"
#include "kedge/predictor/state.h"

namespace kedge {
namespace {

// Queries answered by one task: enough to fill the engine's batches, few enough to share out.
constexpr size_t block_rows = 64;
// Rows whose distance to the training rows is found before a wish to stop is heard.
constexpr size_t rows_between_reports = 4096;

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

std::vector<AnchorMatch> Predictor::State::find_anchors(const QueryRow& query,
                                                        const AnchorOptions& rule) const {
  const std::span<const double> point(query.point, index.points().cols());
  if (!weights || !goes_by_weight(rule.rule)) return index.find(point, rule);
  check(rule);
  return index.find(point, rule, weights->weigh_anchors(rows(), query, index.differences().anchors));
}

std::vector<std::vector<AnchorMatch>> Predictor::State::find_anchors(MatrixView<const double> points,
                                                                     MatrixView<const float> encoded,
                                                                     const AnchorOptions& rule,
                                                                     const StopCheck& stop_check) const {
  if (!goes_by_weight(rule.rule)) return index.find_all(points, rule, stop_check);
  std::vector<std::vector<AnchorMatch>> matches;
  for (size_t row = 0; row < points.rows(); ++row) {
    check_stop(stop_check);
    matches.push_back(find_anchors({points.row(row).data(), encoded.row(row).data()}, rule));
  }
  return matches;
}

namespace {

/// A query and the training rows that answer it; none where the program reads no anchor.
struct AnchoredQuery {
  size_t row = 0;
  QueryRow query;
  AnchorOptions rule;
  std::vector<AnchorMatch> matches = {};

  size_t pairs() const { return std::max<size_t>(1, matches.size()); }
  void encode(size_t pair, PairBatch& batch, size_t slot) const {
    if (matches.empty())
      batch.set_query(slot, query);
    else
      batch.set(slot, query, matches[pair].anchor);
  }
};

/// Answers queries block by block, each block by one thread. What it keeps of a block does not grow with the
/// number of anchors, apart from the list of a query's own.
class BlockAnswers {
 public:
  BlockAnswers(const Predictor::State& state, const PredictOptions& options, const AnchorRules& rules,
               MatrixView<const double> points, Predictions& out)
      : s_(state),
        options_(options),
        rules_(rules),
        thresholds_(options.thresholds.value_or(state.support.thresholds())),
        points_(points),
        features_(state.encoder.encode_points(points)),
        rows_(state.rows()),
        out_(out),
        outputs_(state.outputs.size()) {}

  /// Queries first ... end - 1.
  void answer(size_t first, size_t end) const {
    const size_t room = pairs_within(outputs_ * (1 + s_.engine->replicas()));
    std::vector<AnchoredQuery> group;
    size_t pairs = 0;
    const auto answer_group = [&] {
      if (pairs > room)
        answer_in_parts(group.front());
      else
        answer_together(group, pairs);
      for (const AnchoredQuery& one : group) judge_query(one);
      group.clear();
      pairs = 0;
    };
    for (AnchoredQuery& one : anchored(first, end)) {
      if (!group.empty() && pairs + one.pairs() > room) answer_group();
      pairs += one.pairs();
      group.push_back(std::move(one));
    }
    answer_group();
  }

 private:
  /// Pairs that may be kept at once when each has its features and this many more numbers.
  size_t pairs_within(size_t more) const { return options_.kept_numbers / (3 * features_.cols() + more); }

  std::vector<AnchoredQuery> anchored(size_t first, size_t end) const {
    std::vector<AnchoredQuery> some;
    std::vector<size_t> inside, others;
    for (size_t row = first; row < end; ++row) {
      check_stop(options_.stop_check);
      AnchoredQuery& one =
          some.emplace_back(row, QueryRow{points_.row(row).data(), features_.row(row).data()}, rules_.rule);
      if (options_.anchor_rows)
        one.matches = {s_.index.match(points_.row(row), (*options_.anchor_rows)[row])};
      else if (rules_.inside && is_in_support(row))
        inside.push_back(row - first);
      else
        others.push_back(row - first);
    }
    if (!inside.empty()) find_anchors(*rules_.inside, inside, some);
    if (!others.empty()) find_anchors(rules_.rule, others, some);
    return some;
  }

  void find_anchors(const AnchorOptions& rule, const std::vector<size_t>& places,
                    std::vector<AnchoredQuery>& some) const {
    Matrix<double> points(places.size(), points_.cols());
    Matrix<float> features(places.size(), features_.cols());
    for (size_t i = 0; i < places.size(); ++i) {
      std::ranges::copy(points_.row(some[places[i]].row), points.row(i).begin());
      std::ranges::copy(features_.row(some[places[i]].row), features.row(i).begin());
    }
    auto matches = s_.find_anchors(points, features, rule, options_.stop_check);
    for (size_t i = 0; i < places.size(); ++i) {
      some[places[i]].rule = rule;
      some[places[i]].matches = std::move(matches[i]);
    }
  }

  bool is_in_support(size_t row) const {
    return thresholds_.is_usable() && judge(locate(row, {}), thresholds_) == Verdict::interpolation;
  }

  void answer_together(const std::vector<AnchoredQuery>& group, size_t pairs) const {
    PairBatch batch(rows_, pairs);
    size_t slot = 0;
    for (const AnchoredQuery& one : group)
      for (size_t a = 0; a < one.pairs(); ++a) one.encode(a, batch, slot++);
    const auto scratch = s_.engine->make_scratch(pairs);
    std::vector<Matrix<float>> by_replica(s_.engine->replicas(), Matrix<float>(pairs, outputs_));
    for (size_t r = 0; r < by_replica.size(); ++r)
      s_.engine->forward(r, batch.inputs(), by_replica[r], *scratch);
    std::vector<double> squares(outputs_);
    slot = 0;
    for (const AnchoredQuery& one : group) {
      out_.spread[one.row] = summarize(by_replica, slot, one.pairs(),
                                       {s_.encoder.output_scaling(), out_.y.row(one.row), squares});
      slot += one.pairs();
    }
  }

  /// Of a query whose answers are too many to keep: they are computed twice.
  void answer_in_parts(const AnchoredQuery& one) const {
    const size_t most = std::clamp<size_t>(pairs_within(2 * outputs_), 1, one.pairs());
    PairBatch batch(rows_, most);
    Matrix<float> answers(most, outputs_);
    const auto scratch = s_.engine->make_scratch(most);
    const auto each_part = [&](const auto& add) {
      for (size_t r = 0; r < s_.engine->replicas(); ++r) {
        for (size_t first = 0; first < one.pairs(); first += most) {
          ForwardInputs inputs = batch.inputs();
          inputs.rows = std::min(most, one.pairs() - first);
          for (size_t slot = 0; slot < inputs.rows; ++slot) one.encode(first + slot, batch, slot);
          s_.engine->forward(r, inputs, MatrixView<float>(answers.data(), inputs.rows, outputs_), *scratch);
          add(rows_of(answers, 0, inputs.rows));
        }
      }
    };
    std::vector<double> squares(outputs_);
    AnswerSummary summary(s_.encoder.output_scaling(), out_.y.row(one.row), squares);
    each_part([&](MatrixView<const float> part) { summary.add_to_mean(part); });
    summary.finish_mean();
    each_part([&](MatrixView<const float> part) { summary.add_to_spread(part); });
    out_.spread[one.row] = summary.finish();
  }

  void judge_query(const AnchoredQuery& one) const {
    const size_t row = one.row;
    if (options_.judging == Judging::verdicts) {
      if (uses_differences(one))
        judge_position(one, one.matches);
      else
        judge_position(one, nearest_difference(one.row));
    }
    if (one.matches.empty()) return;
    const AnchorMatch& best = one.matches.front();
    out_.anchor[row] = best.anchor;
    out_.analog_query[row] = best.analog.query;
    out_.analog_anchor[row] = best.analog.anchor;
    if (uses_differences(one)) out_.delta_distance[row] = best.distance;
  }

  bool uses_differences(const AnchoredQuery& one) const {
    return !one.matches.empty() && (goes_by_difference(one.rule.rule) || options_.anchor_rows);
  }

  /// What the verdict of a model that uses no differences goes by; nothing where it needs none. A neighbour
  /// is no difference that was seen.
  std::vector<AnchorMatch> nearest_difference(size_t row) const {
    if (!thresholds_.is_usable() || judge(locate(row, {}), thresholds_) != Verdict::undetermined) return {};
    return s_.index.find(points_.row(row), {.rule = AnchorRule::nearest});
  }

  Position locate(size_t row, std::span<const AnchorMatch> differences) const {
    return s_.support.locate(s_.index.differences(), points_.row(row), out_.support_distance[row],
                             differences, thresholds_);
  }

  void judge_position(const AnchoredQuery& one, std::span<const AnchorMatch> differences) const {
    const size_t row = one.row;
    const Position position = locate(row, differences);
    out_.delta_distance[row] = position.delta_distance;
    out_.delta_percentile[row] = s_.support.delta_percentile(position.delta_distance);
    if (uses_differences(one))
      out_.admissible_anchors[row] = static_cast<int64_t>(position.admissible_anchors);
    out_.verdict[row] = judge(position, thresholds_);
    if (out_.verdict[row] != Verdict::interpolation)
      out_.outside[row] = s_.support.departures(points_.row(row), position.support_distance, thresholds_);
  }

  const Predictor::State& s_;
  const PredictOptions& options_;
  const AnchorRules rules_;
  const Thresholds thresholds_;
  MatrixView<const double> points_;
  const Matrix<float> features_;
  const EncodedRows rows_;
  Predictions& out_;
  const size_t outputs_;
};

/// What can be said of each answer itself, and the error to expect of it.
void judge_answers(const Predictor::State& s, const PredictOptions& options, Predictions& out) {
  const bool is_usable = options.thresholds.value_or(s.support.thresholds()).is_usable();
  for (size_t row = 0; row < out.rows(); ++row) {
    const std::span<const double> y = out.y.row(row);
    out.outputs_outside[row] = s.output_range.departures(y);
    if (!is_usable) continue;
    const double scale = s.encoder.output_scaling().relative_deviation(y, s.errors.output_scale);
    out.expected_error[row] =
        scale * s.errors.expected({.verdict = out.verdict[row],
                                   .support_distance = out.support_distance[row],
                                   .delta_distance = out.delta_distance[row],
                                   .relative_spread = s.errors.relative_spread(out.spread[row] / scale),
                                   .output_excess = s.output_range.excess(y),
                                   .outside_outputs = !out.outputs_outside[row].empty()});
    const OutputRange::Gap gap = s.output_range.gap(y);
    const double beyond =
        gap.amount + s.errors.output_scale * (gap.is_high ? s.errors.past_high : s.errors.past_low);
    // Being beyond makes nothing easier.
    out.expected_error_beyond[row] = beyond < out.expected_error[row] ? out.expected_error[row] : beyond;
  }
}

}  // namespace

Predictions Predictor::predict(MatrixView<const double> rows, const PredictOptions& options) const {
  return predict(table_of(rows, state_->inputs), options);
}

Predictions Predictor::predict(const Table& queries, const PredictOptions& options) const {
  if (options.bad_rows == BadRows::refuse) return predict_good(queries, options);
  std::vector<std::string> notes = faults(queries);
  if (notes.empty()) return predict_good(queries, options);
  PredictOptions of_good = options;
  std::vector<size_t> good;
  std::vector<uint32_t> anchors;
  for (size_t r = 0; r < notes.size(); ++r) {
    if (!notes[r].empty()) continue;
    good.push_back(r);
    if (options.anchor_rows && r < options.anchor_rows->size()) anchors.push_back((*options.anchor_rows)[r]);
  }
  if (options.anchor_rows) of_good.anchor_rows = anchors;
  return among_bad_rows(predict_good(queries.select(good), of_good), good, std::move(notes));
}

Predictions Predictor::predict_good(const Table& queries, const PredictOptions& options) const {
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

  const bool by_own_rules = !options.anchors && !options.anchor_rows && program.uses_anchor();
  AnchorRules rules{rule, {}};
  if (by_own_rules) rules.inside = s.options.inside_anchors;
  Predictions out = answers(points, options, rules);
  if (!options.anchors && !options.anchor_rows) {
    if (const auto& at_ends = s.options.outward.anchors; at_ends && by_own_rules) {
      PredictOptions unjudged = options;
      unjudged.judging = Judging::none;
      // All queries are counted already; a wish to stop is still heard.
      if (options.progress)
        unjudged.progress = [&](const Progress& p) {
          return options.progress({.step = p.steps, .steps = p.steps, .loss = p.loss});
        };
      const Predictions other = answers(points, unjudged, {*at_ends, {}});
      for (size_t r = 0; r < out.rows(); ++r)
        s.output_range.mix(out.y.row(r), out.spread[r], other.y.row(r), other.spread[r]);
    }
    for (size_t r = 0; r < out.rows(); ++r) s.output_range.stretch(out.y.row(r), s.options.outward);
  }
  if (options.judging == Judging::verdicts) judge_answers(s, options, out);
  return out;
}

std::vector<bool> Predictor::in_support(const Table& queries) const {
  const State& s = *state_;
  const Thresholds& thresholds = s.support.thresholds();
  std::vector<bool> found(queries.rows(), false);
  if (!thresholds.is_usable()) return found;
  const Matrix<double> points = canonical_points(queries, s.inputs, s.encoder.space(), "predict");
  ThreadPool own_thread(1);
  const std::vector<double> distances = s.support.distances(s.index.differences(), points, own_thread);
  for (size_t r = 0; r < found.size(); ++r)
    found[r] = judge(s.support.locate(s.index.differences(), points.row(r), distances[r], {}, thresholds),
                     thresholds) == Verdict::interpolation;
  return found;
}

Predictions Predictor::answers(MatrixView<const double> points, const PredictOptions& options,
                               const AnchorRules& rules) const {
  const State& s = *state_;
  const size_t n = points.rows();
  Predictions out;
  out.inputs = s.inputs;
  out.outputs = s.outputs;
  out.y = Matrix<double>(n, s.outputs.size());
  out.anchor.assign(n, Predictions::none);
  out.analog_query = out.analog_anchor = out.admissible_anchors = out.anchor;
  out.delta_distance.assign(n, std::numeric_limits<double>::quiet_NaN());
  out.spread.assign(n, 0.0);
  out.support_distance = out.delta_percentile = out.expected_error = out.delta_distance;
  out.expected_error_beyond = out.delta_distance;
  out.verdict.assign(n, Verdict::undetermined);
  out.outside.resize(n);
  out.outputs_outside.resize(n);
  const BlockAnswers answers(s, options, rules, points, out);
  ThreadPool pool(n > block_rows ? options.threads : 1);
  const bool is_judged = options.judging == Judging::verdicts;
  std::mutex mutex;
  std::atomic<bool> stopped = false;
  Progress progress{.steps = n, .loss = std::numeric_limits<double>::quiet_NaN()};
  const auto tell = [&](size_t done) {
    if (!options.progress) return;
    const std::lock_guard lock(mutex);
    progress.step += done;
    if (stopped || options.progress(progress)) return;
    stopped = true;
    throw Error("predict", fmt::format("stopped after {} of {} queries", progress.step, n));
  };
  if (is_judged || rules.inside) {
    for (size_t first = 0; first < n; first += rows_between_reports) {
      const size_t count = std::min(rows_between_reports, n - first);
      const MatrixView<const double> some(points.row(first).data(), count, points.cols());
      const std::vector<double> distances = s.support.distances(s.index.differences(), some, pool);
      std::copy(distances.begin(), distances.end(),
                out.support_distance.begin() + static_cast<std::ptrdiff_t>(first));
      if (first + count < n) tell(0);
    }
  }
  pool.run((n + block_rows - 1) / block_rows, [&](size_t block) {
    // A pool goes on with what is left after a task has thrown.
    if (stopped) return;
    const size_t first = block * block_rows, end = std::min(n, first + block_rows);
    answers.answer(first, end);
    tell(end - first);
  });
  if (!is_judged) out.support_distance.assign(n, std::numeric_limits<double>::quiet_NaN());
  return out;
}

}  // namespace kedge
