#include "kedge/imitation/policy.h"

#include <limits>
#include <stdexcept>

#include "kedge/abi/guard.h"
#include "kedge/abi/handles.h"
#include "kedge/core/format.h"
#include "kedge/demonstrations/hdf5.h"
#include "kedge/imitation/info.h"
#include "kedge/trials/settings.h"

struct kedge_controller {
  std::unique_ptr<kedge::Controller> controller;
  size_t goals = 0, observations = 0, actions = 0;
  bool has_begun = false;
};

namespace kedge {
namespace {

EpisodeColumns columns_of(const std::string& text) {
  const Json json = Json::parse(text, {.called = "columns"});
  const auto names = [&](const char* part) { return exactly<std::vector<std::string>>(json.at(part), part); };
  return {names("observations"), names("actions"), names("goals")};
}

Demonstrations read_with(const std::string& path, const std::string& settings) {
  ReadDemonstrations options;
  std::optional<size_t> horizon;
  if (!settings.empty()) {
    const Json json = Json::parse(settings, {.called = "settings"});
    for (const JsonMember& member : json.as_object("settings")) {
      if (member.value.is_null()) continue;
      if (member.name == "goal_columns")
        options.goal_columns = exactly<std::vector<std::string>>(member.value, "goal_columns");
      else if (member.name == "obs_keys")
        options.observation_keys = exactly<std::vector<std::string>>(member.value, "obs_keys");
      else if (member.name == "horizon")
        horizon = exactly<size_t>(member.value, "horizon");
      else
        throw Error("options", fmt::format("needs goal_columns, obs_keys or horizon; found '{}'; take one of "
                                           "these",
                                           member.name));
    }
  }
  Demonstrations read = read_demonstrations(path, options);
  return horizon ? read.first_steps(*horizon) : std::move(read);
}

Matrix<double> copied(const double* values, size_t rows, size_t columns, const char* name) {
  if (columns > 0 && rows > std::numeric_limits<size_t>::max() / sizeof(double) / columns)
    throw std::length_error(name);
  if (rows * columns > 0) required(values, name);
  return {rows, columns, std::vector<double>(values, values + rows * columns)};
}

PolicyOptions policy_options_of(const FitSettings& settings) {
  PolicyOptions options = policy_options(settings.preset, settings.model);
  set_training(settings, options.fit);
  check(options);
  return options;
}

void require_convergence(const ImitationResult& result) {
  if (result.outcome.status != TrainStatus::diverged) return;
  throw Diverged(
      "imitate",
      fmt::format("training diverged after step {}: the loss is no longer finite; take a smaller learning "
                  "rate than {}, or look for extreme values in the demonstrations",
                  result.outcome.steps, result.policy.options().fit.training.adam.learning_rate),
      "learning-rate");
}

}  // namespace
}  // namespace kedge

using namespace kedge;

kedge_status kedge_demonstrations_new(const char* columns, const char* source,
                                      kedge_demonstrations** demonstrations) {
  return guarded([&] {
    kedge_demonstrations*& handle = cleared(demonstrations, "demonstrations");
    handle = new kedge_demonstrations{
        Demonstrations(columns_of(&required(columns, "columns")), text_or(source, "demonstrations"))};
  });
}

kedge_status kedge_demonstrations_read(const char* path, const char* settings,
                                       kedge_demonstrations** demonstrations) {
  return guarded(
      [&] {
        kedge_demonstrations*& handle = cleared(demonstrations, "demonstrations");
        handle = new kedge_demonstrations{read_with(&required(path, "path"), text_or(settings, ""))};
      },
      KEDGE_DAMAGED);
}

kedge_status kedge_demonstrations_add(kedge_demonstrations* demonstrations, const double* observations,
                                      const double* actions, size_t steps) {
  return guarded([&] {
    Demonstrations& to = required(demonstrations, "demonstrations").demonstrations;
    const EpisodeColumns& columns = to.columns();
    to.add({copied(observations, steps, columns.observations.size(), "observations"),
            copied(actions, steps, columns.actions.size(), "actions")});
  });
}

size_t kedge_demonstrations_size(const kedge_demonstrations* demonstrations) {
  return demonstrations ? demonstrations->demonstrations.size() : 0;
}
void kedge_demonstrations_free(kedge_demonstrations* demonstrations) { delete demonstrations; }

kedge_status kedge_imitate(const kedge_demonstrations* demonstrations, const char* settings,
                           const kedge_run* run, kedge_policy** policy, kedge_text** report) {
  return guarded([&] {
    kedge_policy*& handle = cleared(policy, "policy");
    if (report) *report = nullptr;
    const FitSettings said = settings_from_json(text_or(settings, "")).fit;
    const ImitationRequest request{required(demonstrations, "demonstrations").demonstrations,
                                   policy_options_of(said)};
    WatchedRun watched(run, device_of(said));
    ImitationResult result = watched([&](const RunOptions& options) { return imitate(request, options); });
    require_convergence(result);
    Json json = imitation_json(result);
    json["worse_than_constant"] = result.training_errors && result.training_errors->is_worse_than_constant();
    auto made = std::make_unique<kedge_policy>(std::move(result.policy));
    give(report, json);
    handle = made.release();
  });
}

kedge_status kedge_policy_load(const char* path, kedge_policy** policy) {
  return guarded(
      [&] {
        kedge_policy*& handle = cleared(policy, "policy");
        handle = new kedge_policy{Policy::load(&required(path, "path"))};
      },
      KEDGE_DAMAGED);
}

kedge_status kedge_policy_save(const kedge_policy* policy, const char* path) {
  return guarded([&] { required(policy, "policy").policy.save(&required(path, "path")); }, KEDGE_DAMAGED);
}

kedge_status kedge_policy_from_bytes(const void* bytes, size_t size, const char* source,
                                     kedge_policy** policy) {
  return guarded(
      [&] {
        kedge_policy*& handle = cleared(policy, "policy");
        const std::string_view view(&required(static_cast<const char*>(bytes), "bytes"), size);
        handle = new kedge_policy{Policy::from_bytes(view, text_or(source, "bytes"))};
      },
      KEDGE_DAMAGED);
}

kedge_status kedge_policy_to_bytes(const kedge_policy* policy, kedge_text** bytes) {
  return guarded([&] {
    cleared(bytes, "bytes");
    give(bytes, required(policy, "policy").policy.to_bytes());
  });
}

kedge_status kedge_policy_info(const kedge_policy* policy, kedge_text** info) {
  return guarded([&] {
    cleared(info, "info");
    give(info, policy_json(required(policy, "policy").policy));
  });
}

kedge_status kedge_policy_judge(const kedge_policy* policy, const double* goals, size_t count,
                                kedge_text** answers) {
  return guarded([&] {
    cleared(answers, "answers");
    const Policy& it = required(policy, "policy").policy;
    if (count > 0) required(goals, "goals");
    const MatrixView<const double> rows(goals, count, it.columns().goals.size());
    give(answers, to_json(it.judge(rows)));
  });
}

void kedge_policy_free(kedge_policy* policy) { delete policy; }

kedge_status kedge_controller_new(const kedge_policy* policy, kedge_controller** controller) {
  return guarded([&] {
    kedge_controller*& handle = cleared(controller, "controller");
    const Policy& it = required(policy, "policy").policy;
    const EpisodeColumns& columns = it.columns();
    handle = new kedge_controller{it.controller(), columns.goals.size(), columns.observations.size(),
                                  columns.actions.size()};
  });
}

kedge_status kedge_controller_begin(kedge_controller* controller, const double* goal) {
  return guarded([&] {
    kedge_controller& it = required(controller, "controller");
    it.controller->begin({&required(goal, "goal"), it.goals});
    it.has_begun = true;
  });
}

kedge_status kedge_controller_act(kedge_controller* controller, const double* observation, double* action) {
  return guarded([&] {
    const kedge_controller& it = required(controller, "controller");
    if (!it.has_begun)
      throw Error("act", "an episode needs a goal first; found none; begin it with kedge_controller_begin");
    it.controller->act({&required(observation, "observation"), it.observations},
                       {&required(action, "action"), it.actions});
  });
}

void kedge_controller_free(kedge_controller* controller) { delete controller; }
