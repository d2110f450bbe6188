#include "kedge/imitation/goal_index.h"

#include "kedge/table/standardizer.h"

namespace kedge {
namespace {

std::vector<double> metric_of(const Matrix<double>& goals, Scaling scaling) {
  return scaling == Scaling::standard ? Standardizer::fit(goals).scale
                                      : std::vector<double>(goals.cols(), 1.0);
}

AnchorIndex make_index(Matrix<double> goals, const std::vector<std::string>& names,
                       const GoalIndex::Options& options) {
  std::vector<double> metric = metric_of(goals, options.scaling);
  const PairSampler sampler(goals.rows(), options.self);
  return {Space::parse("", names), std::move(goals), std::move(metric),
          draw_pool(sampler, options.pool, options.seed)};
}

}  // namespace

GoalIndex::GoalIndex(Matrix<double> goals, const std::vector<std::string>& names, const Options& options)
    : index_(make_index(std::move(goals), names, options)),
      support_(index_.differences(), PairSampler(index_.points().rows(), options.self), options.seed,
               index_.rows()) {}

GoalIndex::GoalIndex(Matrix<double> goals, const std::vector<std::string>& names, const Options& options,
                     const StoredCoverage& coverage)
    : index_(make_index(std::move(goals), names, options)),
      support_(index_.differences(), coverage.thresholds, coverage.delta_quantiles, index_.rows()),
      errors_(coverage.errors) {}

GoalAnswer GoalIndex::answer(std::span<const double> goal, const AnchorOptions& rule) const {
  const std::vector<AnchorMatch> matches = index_.find(goal, rule);
  // A nearest goal is no difference that was seen: out of support it vouches for nothing.
  const std::span<const AnchorMatch> differences =
      goes_by_difference(rule.rule) ? matches : std::span<const AnchorMatch>{};
  const Position position =
      support_.locate(index_.differences(), goal, support_.distance(index_.differences(), goal), differences,
                      support_.thresholds());
  GoalAnswer answer{.support_distance = position.support_distance,
                    .delta_distance = position.delta_distance,
                    .verdict = judge(position, support_.thresholds())};
  for (const AnchorMatch& match : matches) answer.anchors.push_back(match.anchor);
  if (!matches.empty()) answer.analog = matches.front().analog;
  answer.expected_error = support_.thresholds().is_usable()
                              ? errors_.expected({.verdict = answer.verdict,
                                                  .support_distance = answer.support_distance,
                                                  .delta_distance = answer.delta_distance})
                              : std::numeric_limits<double>::quiet_NaN();
  return answer;
}

}  // namespace kedge
