#include "kedge/imitation/policy.h"

#include <algorithm>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/imitation/state.h"
#include "kedge/predictor/row_predictor.h"

namespace kedge {
namespace {

void require_goal(std::span<const double> goal, const EpisodeColumns& columns) {
  if (goal.size() != columns.goals.size())
    throw Error("policy", fmt::format("needs goals of {} numbers ({}); found {}", columns.goals.size(),
                                      fmt::join(columns.goals, ", "), goal.size()));
  for (double x : goal)
    if (!std::isfinite(x)) throw Error("policy", fmt::format("needs goals of finite numbers; found {}", x));
}

class PolicyController : public Controller {
 public:
  explicit PolicyController(const Policy::State& state)
      : state_(state),
        row_(state.columns.observations.size() + (find_policy_model(state.options.model).reads_time ? 1 : 0)),
        width_(state.columns.actions.size()) {
    if (!state.predictor) return;
    predictor_.emplace(*state.predictor, most_anchors(state));
    // A model without parameters gives the anchor's action back, which no network need round.
    replays_ = find_model(state.predictor->options().model).solver == Solver::none;
  }

  void begin(std::span<const double> goal) override {
    require_goal(goal, state_.columns);
    step_ = 0;
    anchors_.clear();
    // Models that read no anchor need no search.
    if (state_.predictor && state_.predictor->program().uses_anchor())
      anchors_ = state_.goals.answer(goal, state_.rule()).anchors;
    rows_.resize(anchors_.size());
  }

  void act(std::span<const double> observation, std::span<double> action) override {
    const size_t width = state_.columns.observations.size();
    if (observation.size() != width || action.size() != width_)
      throw Error("policy", fmt::format("needs {} observations and {} actions; found {} and {}", width,
                                        width_, observation.size(), action.size()));
    if (step_ == state_.steps)
      throw Error(
          "policy",
          fmt::format("acts for as many steps as the demonstrations had, {}; asked for more", state_.steps));
    if (state_.ridge) {
      state_.ridge->act(step_++, observation, action);
      return;
    }
    std::copy(observation.begin(), observation.end(), row_.begin());
    if (row_.size() > width) row_[width] = static_cast<double>(step_) / static_cast<double>(state_.steps);
    for (size_t a = 0; a < anchors_.size(); ++a) rows_[a] = anchors_[a] * state_.steps + step_;
    if (anchors_.empty())
      predictor_->predict(row_, size_t{0}, action);
    else if (replays_)
      std::copy_n(state_.predictor->training_outputs().row(rows_[0]).data(), width_, action.begin());
    else
      predictor_->predict(row_, rows_, action);
    ++step_;
  }

 private:
  static size_t most_anchors(const Policy::State& state) {
    const AnchorOptions rule = state.rule();
    return takes_count(rule.rule) ? std::min(rule.count, state.goals.goals().rows()) : 1;
  }

  const Policy::State& state_;
  std::optional<RowPredictor> predictor_;
  std::vector<uint32_t> anchors_;
  std::vector<size_t> rows_;  // of the anchors at this step
  std::vector<double> row_;
  size_t width_, step_ = 0;
  bool replays_ = false;
};

}  // namespace

GoalIndex::Options goal_options(const PolicyOptions& options) {
  return {.scaling = options.fit.inputs,
          .self = options.fit.self,
          .pool = options.fit.pool,
          .seed = options.fit.seed};
}

AnchorOptions Policy::State::rule() const {
  AnchorOptions rule = options.fit.anchors;
  if (const auto& only = find_policy_model(options.model).anchors) rule.rule = *only;
  if (predictor && !predictor->program().uses_anchor()) rule.rule = AnchorRule::none;
  return rule;
}

Policy::Policy(std::unique_ptr<State> state) : state_(std::move(state)) {}
Policy::Policy(Policy&&) noexcept = default;
Policy& Policy::operator=(Policy&&) noexcept = default;
Policy::~Policy() = default;

std::unique_ptr<Controller> Policy::controller() const { return std::make_unique<PolicyController>(*state_); }

std::vector<GoalAnswer> Policy::judge(MatrixView<const double> goals) const {
  std::vector<GoalAnswer> answers;
  for (size_t g = 0; g < goals.rows(); ++g) {
    require_goal(goals.row(g), state_->columns);
    answers.push_back(state_->goals.answer(goals.row(g), state_->rule()));
  }
  return answers;
}

Matrix<double> Policy::actions(const Episode& episode) const {
  std::vector<double> goal;
  for (const std::string& name : columns().goals) {
    const auto& names = columns().observations;
    const auto place = static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    goal.push_back(episode.observations(0, place));
  }
  PolicyController controller(*state_);
  controller.begin(goal);
  Matrix<double> actions(episode.steps(), columns().actions.size());
  for (size_t t = 0; t < episode.steps(); ++t) controller.act(episode.observations.row(t), actions.row(t));
  return actions;
}

const PolicyOptions& Policy::options() const { return state_->options; }
const EpisodeColumns& Policy::columns() const { return state_->columns; }
size_t Policy::steps() const { return state_->steps; }
size_t Policy::demonstrations() const { return state_->goals.goals().rows(); }
const Matrix<double>& Policy::goals() const { return state_->goals.goals(); }
AnchorOptions Policy::anchor_rule() const { return state_->rule(); }
StoredCoverage Policy::coverage() const { return state_->goals.coverage(); }
void Policy::set_errors(const ErrorModel& errors) { state_->goals.set_errors(errors); }
const Predictor* Policy::predictor() const { return state_->predictor ? &*state_->predictor : nullptr; }
const std::string& Policy::written_by() const { return state_->written_by; }

void require_fitting(const Policy& policy, const SimulationSpec& simulation, const std::string& name) {
  const auto require_same = [&](const std::vector<std::string>& needed, const std::vector<std::string>& found,
                                const char* what) {
    if (needed == found) return;
    throw Error("rollout",
                fmt::format("{} needs a policy with the {} {}; this one has {}; it was learned from "
                            "demonstrations of something else",
                            name, what, fmt::join(needed, ", "), fmt::join(found, ", ")));
  };
  require_same(simulation.columns.observations, policy.columns().observations, "observations");
  require_same(simulation.columns.actions, policy.columns().actions, "actions");
  require_same(simulation.columns.goals, policy.columns().goals, "goals");
  if (policy.steps() < simulation.steps)
    throw Error("rollout",
                fmt::format("{} needs a policy for {} steps; this one was learned from demonstrations "
                            "of {}",
                            name, simulation.steps, policy.steps()));
}

}  // namespace kedge
