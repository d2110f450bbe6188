#include "kedge/imitation/imitate.h"

#include <algorithm>
#include <memory>

#include "kedge/core/format.h"
#include "kedge/imitation/calibration.h"
#include "kedge/imitation/state.h"

namespace kedge {
namespace {

/// A row for each step of each episode: what a network reads.
Table rows_of(const Demonstrations& demonstrations, const PolicyModel& model) {
  const size_t steps = demonstrations.common_steps(), rows = demonstrations.size() * steps;
  const EpisodeColumns& columns = demonstrations.columns();
  Table table(demonstrations.source());
  const auto add = [&](std::string name, Role role, const auto& value) {
    Column column{.name = std::move(name), .role = role, .values = std::vector<double>(rows), .words = {}};
    for (size_t e = 0; e < demonstrations.size(); ++e)
      for (size_t t = 0; t < steps; ++t) column.values[e * steps + t] = value(demonstrations[e], t);
    table.add(std::move(column));
  };
  for (size_t c = 0; c < columns.observations.size(); ++c)
    add(columns.observations[c], Role::input,
        [c](const Episode& episode, size_t t) { return episode.observations(t, c); });
  if (model.reads_time)
    add("kedge/time", Role::input,
        [&](const Episode&, size_t t) { return static_cast<double>(t) / static_cast<double>(steps); });
  for (size_t c = 0; c < columns.actions.size(); ++c)
    add("action/" + columns.actions[c], Role::output,
        [c](const Episode& episode, size_t t) { return episode.actions(t, c); });
  add("kedge/step", Role::time, [](const Episode&, size_t t) { return static_cast<double>(t); });
  return table;
}

FitOptions fit_options(const ImitationRequest& request, const PolicyModel& model) {
  FitOptions fit = request.options.fit;
  fit.model = model.fit;
  fit.training.steps = training_steps(request.options, request.demonstrations.size());
  fit.epochs = 0;
  fit.pairs = PairRule::same_time;
  fit.anchors = {.rule = AnchorRule::given};
  fit.context = request.demonstrations.columns().goals;
  fit.constants = ConstantInputs::keep;
  fit.calibration = Calibration::none;
  fit.open = {};  // policies have sizes of their own
  return fit;
}

/// All of a policy but its network.
std::unique_ptr<Policy::State> state_of(const ImitationRequest& request) {
  const Demonstrations& demonstrations = request.demonstrations;
  auto state = std::make_unique<Policy::State>();
  state->options = request.options;
  state->columns = demonstrations.columns();
  state->steps = demonstrations.common_steps();
  state->goals = GoalIndex(demonstrations.goals(), state->columns.goals, goal_options(request.options));
  if (find_policy_model(request.options.model).fit.empty()) state->ridge.emplace(demonstrations);
  return state;
}

/// Whether a model chooses demonstrations by the rule in the options.
bool searches_anchors(const ImitationRequest& request) {
  const PolicyModel& model = find_policy_model(request.options.model);
  if (model.fit.empty() || model.anchors) return false;
  const EpisodeColumns& columns = request.demonstrations.columns();
  const std::vector<size_t>& places = request.demonstrations.goal_places();
  const Shape shape{static_cast<int>(columns.observations.size()) + (model.reads_time ? 1 : 0),
                    static_cast<int>(columns.actions.size()),
                    {places.begin(), places.end()}};
  return find_model(model.fit).program(shape, request.options.fit.architecture).uses_anchor();
}

}  // namespace

void require_imitable(const ImitationRequest& request) {
  check(request.options);
  request.demonstrations.common_steps();
  if (request.demonstrations.size() < 2)
    throw Error("imitate",
                fmt::format("{} needs at least two demonstrations, one to learn and one as its anchor; "
                            "found {}",
                            request.demonstrations.source(), request.demonstrations.size()));
  const AnchorRule rule = request.options.fit.anchors.rule;
  if ((rule == AnchorRule::none || rule == AnchorRule::given) && searches_anchors(request))
    throw Error("imitate",
                fmt::format("model {} needs a rule that finds the demonstration of a goal; found '{}'; take "
                            "another rule",
                            request.options.model, to_text(request.options.fit.anchors)),
                "anchors");
}

uint64_t imitation_steps(const ImitationRequest& request) {
  if (!find_policy_model(request.options.model).is_trained()) return calibration_steps(request);
  return training_steps(request.options, request.demonstrations.size()) + calibration_steps(request);
}

std::optional<PolicyRows> policy_rows(const ImitationRequest& request) {
  require_imitable(request);
  const PolicyModel& model = find_policy_model(request.options.model);
  if (model.fit.empty()) return {};
  return PolicyRows{rows_of(request.demonstrations, model), fit_options(request, model)};
}

Policy policy_of(const ImitationRequest& request, std::shared_ptr<const Predictor> network) {
  std::unique_ptr<Policy::State> state = state_of(request);
  state->predictor = std::move(network);
  return Policy(std::move(state));
}

/// A policy before and after the training of its network, which happens elsewhere, beside that of others.
class PolicyDraft {
 public:
  explicit PolicyDraft(const ImitationRequest& request)
      : rows_(policy_rows(request)), state_(state_of(request)) {}

  bool needs_fit() const { return rows_.has_value(); }
  FitRequest fit_request() const { return {rows_->table, rows_->options}; }

  Policy finish(std::shared_ptr<const Predictor> network) {
    state_->predictor = std::move(network);
    return Policy(std::move(state_));
  }

 private:
  std::optional<PolicyRows> rows_;
  std::unique_ptr<Policy::State> state_;
};

std::vector<ImitationAttempt> fit_policies(std::span<const ImitationRequest> requests,
                                           const RunOptions& run) {
  std::vector<ImitationAttempt> attempts(requests.size());
  std::vector<std::unique_ptr<PolicyDraft>> drafts(requests.size());
  std::vector<FitRequest> fits;
  std::vector<size_t> owner;  // of each fit
  for (size_t i = 0; i < requests.size(); ++i) {
    try {
      drafts[i] = std::make_unique<PolicyDraft>(requests[i]);
      if (drafts[i]->needs_fit()) {
        fits.push_back(drafts[i]->fit_request());
        owner.push_back(i);
      } else {
        attempts[i].result.emplace(ImitationResult{drafts[i]->finish({}), {}});
      }
    } catch (const Error& error) {
      attempts[i].error = error;
    }
  }
  fit_models(fits, run, [&](size_t f, FitAttempt&& fit) {
    ImitationAttempt& attempt = attempts[owner[f]];
    attempt.error = fit.error;
    if (!fit.result) return;
    auto network = std::make_shared<const Predictor>(std::move(fit.result->predictor));
    attempt.result.emplace(ImitationResult{.policy = drafts[owner[f]]->finish(std::move(network)),
                                           .outcome = std::move(fit.result->outcome),
                                           .training_errors = fit.result->training_errors,
                                           .trained_on = std::move(fit.result->trained_on)});
    drafts[owner[f]].reset();
  });
  return attempts;
}

std::vector<ImitationAttempt> imitate_all(std::span<const ImitationRequest> requests, const RunOptions& run) {
  uint64_t total = 0, fitting = 0;
  for (const ImitationRequest& request : requests) {
    total += imitation_steps(request);
    fitting += imitation_steps(request) - calibration_steps(request);
  }
  StopNote note(run);
  std::vector<ImitationAttempt> attempts =
      fit_policies(requests, note.run().as_phase({"training", {}, {fitting}, {total}}));
  std::vector<CalibratedPolicy> wanted;
  for (size_t i = 0; i < requests.size(); ++i)
    if (attempts[i].result && attempts[i].result->outcome.status == TrainStatus::finished)
      wanted.push_back({requests[i], attempts[i].result->policy});
  calibrate(wanted, note.run().as_phase({"rehearsing", {fitting}, {total - fitting}, {total}}));
  for (ImitationAttempt& attempt : attempts)
    if (attempt.result && attempt.result->outcome.status == TrainStatus::finished)
      attempt.result->calibration_stopped =
          note.is_wished() && attempt.result->policy.options().fit.calibration != Calibration::none &&
          !attempt.result->policy.coverage().errors.is_known();
  return attempts;
}

ImitationResult imitate(const ImitationRequest& request, const RunOptions& run) {
  std::vector<ImitationAttempt> attempts = imitate_all({&request, 1}, run);
  if (attempts[0].error) throw Error(*attempts[0].error);
  return std::move(*attempts[0].result);
}

}  // namespace kedge
