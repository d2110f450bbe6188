// Demonstrations as robomimic keeps them.

#include <algorithm>
#include <ostream>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/demonstrations/hdf5.h"
#include "kedge/demonstrations/hdf5_image.h"

namespace kedge {
namespace {

/// robomimic knows kinds of environments by number; this is the one of plain observations and actions.
constexpr int robomimic_gym = 2;

struct Columns {
  std::vector<size_t> places;  ///< among the observations
  std::vector<std::string> names;
};

Columns state_columns(const Demonstrations& demonstrations) {
  const std::vector<size_t>& goals = demonstrations.goal_places();
  const std::vector<std::string>& names = demonstrations.columns().observations;
  Columns state;
  for (size_t c = 0; c < names.size(); ++c) {
    if (std::find(goals.begin(), goals.end(), c) != goals.end()) continue;
    state.places.push_back(c);
    state.names.push_back(names[c]);
  }
  return state;
}

void add_observations(const Hdf5Object& group, const std::string& key, const Episode& episode,
                      const Columns& columns) {
  if (columns.places.empty()) return;
  Matrix<double> values(episode.steps(), columns.places.size());
  for (size_t t = 0; t < values.rows(); ++t)
    for (size_t c = 0; c < values.cols(); ++c) values(t, c) = episode.observations(t, columns.places[c]);
  set_attribute(add_numbers(group, key, values), "kedge_names", columns.names);
}

void add_facts(const Hdf5Object& data, const DemonstrationFacts& facts) {
  const auto add = [&](const std::string& name, const std::string& text) {
    if (!text.empty()) set_attribute(data, name, text);
  };
  add("kedge_domain", facts.domain);
  add("kedge_expert", facts.expert);
  add("kedge_split", facts.split);
  add("kedge_command", facts.command);
  add("kedge_version", facts.version);
  if (facts.seed) set_attribute(data, "kedge_seed", *facts.seed);
}

void require_matching(const std::string& path, const Demonstrations& demonstrations,
                      const DemonstrationFacts& facts) {
  const auto refuse = [&](const std::string& what) {
    throw Error("demonstrations", fmt::format("{}: {}", one_line(path), what));
  };
  if (demonstrations.empty()) refuse("a file needs at least one episode; found none");
  for (const size_t count : {facts.errors.size(), facts.held.size()})
    if (count != 0 && count != demonstrations.size())
      refuse(fmt::format("facts need a value for each of {} episodes, or none; found {}",
                         demonstrations.size(), count));
}

void fill(const Hdf5Object& root, const Demonstrations& demonstrations, const DemonstrationFacts& facts) {
  const EpisodeColumns& columns = demonstrations.columns();
  const Columns state = state_columns(demonstrations);
  const Columns goal{demonstrations.goal_places(), columns.goals};
  const Hdf5Object data = add_group(root, "data");
  size_t total = 0;
  for (size_t e = 0; e < demonstrations.size(); ++e) {
    const Episode& episode = demonstrations[e];
    const Hdf5Object demo = add_group(data, fmt::format("demo_{}", e));
    set_attribute(demo, "num_samples", uint64_t{episode.steps()});
    if (!facts.errors.empty()) set_attribute(demo, "kedge_error", facts.errors[e]);
    if (!facts.held.empty() && facts.held[e]) set_attribute(demo, "kedge_held", uint64_t{*facts.held[e]});
    const Hdf5Object obs = add_group(demo, "obs");
    add_observations(obs, "state", episode, state);
    add_observations(obs, "goal", episode, goal);
    set_attribute(add_numbers(demo, "actions", episode.actions), "kedge_names", columns.actions);
    // robomimic loads these two whatever it trains.
    std::vector<double> per_step(episode.steps(), 0.0);
    add_numbers(demo, "rewards", per_step);
    per_step.back() = 1;
    add_numbers(demo, "dones", per_step);
    total += episode.steps();
  }
  set_attribute(data, "total", uint64_t{total});
  const Json environment{{"env_name", facts.domain.empty() ? "kedge" : facts.domain},
                         {"type", robomimic_gym},
                         {"env_kwargs", Json::object()}};
  set_free_text(data, "env_args", environment.dump(JsonText::replaced));
  set_attribute(data, "kedge_observations", columns.observations);
  set_attribute(data, "kedge_goals", columns.goals);
  add_facts(data, facts);
}

}  // namespace

void write_demonstrations(const std::string& path, const Demonstrations& demonstrations,
                          const DemonstrationFacts& facts) {
  require_matching(path, demonstrations, facts);
  write_atomically(path, [&](std::ostream& file) {
    Hdf5Image image(path);
    fill(image.root(), demonstrations, facts);
    file << image.finish();
  });
}

}  // namespace kedge
