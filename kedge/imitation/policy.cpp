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

class PolicyBatch : public BatchController {
 public:
  PolicyBatch(const Policy::State& state, size_t most_episodes)
      : state_(state),
        row_(state.columns.observations.size() + (find_policy_model(state.options.model).reads_time ? 1 : 0)),
        most_episodes_(most_episodes) {
    if (!state.predictor) return;
    predictor_.emplace(*state.predictor, most_anchors(state), most_episodes);
    // A model without parameters gives the anchor's action back, which no network need round.
    replays_ = find_model(state.predictor->options().model).solver == Solver::none;
  }

  void begin(MatrixView<const double> goals) override {
    if (goals.rows() > most_episodes_)
      throw Error("policy", fmt::format("needs at most {} episodes side by side; found {}", most_episodes_,
                                        goals.rows()));
    step_ = 0;
    anchors_.resize(goals.rows());
    for (size_t e = 0; e < goals.rows(); ++e) {
      require_goal(goals.row(e), state_.columns);
      anchors_[e].clear();
      // Models that read no anchor need no search.
      if (state_.predictor && state_.predictor->program().uses_anchor())
        anchors_[e] = state_.goals.answer(goals.row(e), state_.rule()).anchors;
      rows_.resize(std::max<size_t>({1, rows_.size(), anchors_[e].size()}));
    }
  }

  void act(std::span<const size_t> episodes, MatrixView<const double> observations,
           MatrixView<double> actions) override {
    const size_t width = state_.columns.observations.size(), actions_width = state_.columns.actions.size();
    if (observations.cols() != width || actions.cols() != actions_width)
      throw Error("policy", fmt::format("needs {} observations and {} actions; found {} and {}", width,
                                        actions_width, observations.cols(), actions.cols()));
    if (step_ == state_.steps)
      throw Error(
          "policy",
          fmt::format("acts for as many steps as the demonstrations had, {}; asked for more", state_.steps));
    for (size_t i = 0; i < episodes.size(); ++i) act(episodes[i], observations.row(i), actions.row(i));
    if (predictor_ && !replays_) predictor_->answer(actions);
    ++step_;
  }

 private:
  static size_t most_anchors(const Policy::State& state) {
    const AnchorOptions rule = state.rule();
    return takes_count(rule.rule) ? std::min(rule.count, state.goals.goals().rows()) : 1;
  }

  /// Chooses the action of an episode, or adds it to what the network is asked for.
  void act(size_t episode, std::span<const double> observation, std::span<double> action) {
    if (state_.ridge) return state_.ridge->act(step_, observation, action);
    const std::vector<uint32_t>& anchors = anchors_[episode];
    for (size_t a = 0; a < anchors.size(); ++a) rows_[a] = anchors[a] * state_.steps + step_;
    if (replays_) {
      std::copy_n(state_.predictor->training_outputs().row(rows_[0]).data(), action.size(), action.begin());
      return;
    }
    std::copy(observation.begin(), observation.end(), row_.begin());
    if (row_.size() > observation.size())
      row_.back() = static_cast<double>(step_) / static_cast<double>(state_.steps);
    // Models that read no anchor are given any.
    predictor_->add(row_, std::span(rows_).first(std::max<size_t>(1, anchors.size())));
  }

  const Policy::State& state_;
  std::optional<RowPredictor> predictor_;
  std::vector<std::vector<uint32_t>> anchors_;  // by episode
  std::vector<size_t> rows_;                    // of an episode's anchors at this step
  std::vector<double> row_;
  size_t most_episodes_, step_ = 0;
  bool replays_ = false;
};

/// A batch of one.
class PolicyController : public Controller {
 public:
  explicit PolicyController(const Policy::State& state) : batch_(state, 1) {}
  void begin(std::span<const double> goal) override { batch_.begin({goal.data(), 1, goal.size()}); }
  void act(std::span<const double> observation, std::span<double> action) override {
    constexpr size_t first = 0;
    batch_.act({&first, 1}, {observation.data(), 1, observation.size()}, {action.data(), 1, action.size()});
  }

 private:
  PolicyBatch batch_;
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

std::unique_ptr<BatchController> Policy::batch_controller(size_t most) const {
  return std::make_unique<PolicyBatch>(*state_, most);
}

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
const Predictor* Policy::predictor() const { return state_->predictor.get(); }
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
