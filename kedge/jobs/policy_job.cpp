#include "kedge/jobs/policy_job.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kedge/core/error.h"
#include "kedge/core/find_named.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/demonstrations/rollout.h"
#include "kedge/predictor/workload.h"

namespace kedge {
namespace {

constexpr size_t drawn_episodes = 12, drawn_steps = 50;

const Expert& expert_of(const DemonstrationSpec& spec) {
  return find_named(find_simulated_domain(spec.domain).experts, spec.expert, "expert", "an expert");
}

Json to_json(const DemonstrationSpec& spec) {
  return {{"domain", spec.domain}, {"expert", spec.expert}, {"count", spec.count}, {"seed", spec.seed}};
}

Matrix<double> first_rows(const Matrix<double>& rows, size_t count) {
  count = std::min(count, rows.rows());
  return {count, rows.cols(), std::vector<double>(rows.data(), rows.data() + count * rows.cols())};
}

Json number_or_null_list(const std::vector<double>& numbers) {
  Json list = Json::array();
  for (double x : numbers) list.push_back(number_or_null(x));
  return list;
}

Json scores_json(const Rollouts& rollouts) {
  std::vector<double> held;
  for (const std::optional<bool>& one : rollouts.held)
    if (one) held.push_back(*one ? 1 : 0);
  return {{"errors", number_or_null_list(rollouts.errors)}, {"held", held}};
}

/// Numbers for pictures need four digits.
double rounded(double x) { return x == 0 ? 0 : std::round(x * 1e4) / 1e4; }

/// Pictures are of the first seed, and of no network that is too wide to act for fresh goals. Paths of all
/// jobs would take a hundred times the room of their scores.
bool is_drawn(const PolicySpec& spec) { return spec.fresh && spec.demonstrations.seed == 0; }

Json paths_json(const SimulatedDomain& domain, const Rollouts& rollouts) {
  std::vector<size_t> places;
  for (const std::string& name : domain.path) {
    const auto& names = domain.simulation.columns.observations;
    places.push_back(static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
  }
  Json list = Json::array();
  const Matrix<double> goals = rollouts.episodes.goals();
  for (size_t e = 0; e < std::min(drawn_episodes, rollouts.episodes.size()); ++e) {
    const Episode& episode = rollouts.episodes[e];
    const size_t steps = std::min(drawn_steps, episode.steps());
    Json path = Json::array(), actions = Json::array();
    for (size_t i = 0; i < steps; ++i) {
      const size_t t = steps == 1 ? 0 : i * (episode.steps() - 1) / (steps - 1);
      for (size_t place : places) path.push_back(rounded(episode.observations(t, place)));
    }
    for (size_t t = 0; t < episode.steps(); ++t) actions.push_back(rounded(episode.actions(t, 0)));
    const auto goal = goals.row(e);
    list.push_back(
        {{"goal", std::vector<double>(goal.begin(), goal.end())}, {"path", path}, {"actions", actions}});
  }
  return list;
}

/// Rows of several matrices, one below the other.
Matrix<double> stacked(const std::vector<Matrix<double>>& parts) {
  std::vector<double> numbers;
  size_t rows = 0;
  for (const Matrix<double>& part : parts) {
    numbers.insert(numbers.end(), part.values().begin(), part.values().end());
    rows += part.rows();
  }
  return {rows, parts[0].cols(), std::move(numbers)};
}

Rollouts part_of(const Rollouts& all, size_t first, size_t count) {
  std::vector<size_t> episodes(count);
  std::iota(episodes.begin(), episodes.end(), first);
  Rollouts part;
  part.episodes = all.episodes.select(episodes);
  for (size_t e : episodes) {
    part.errors.push_back(all.errors[e]);
    part.held.push_back(all.held[e]);
  }
  return part;
}

/// Whoever acts: `roll_out` with its controller.
template <class Maker>
std::string result_of(const PolicySpec& spec, const Maker& controller, const std::function<bool()>& stopped) {
  const SimulatedDomain& domain = find_simulated_domain(spec.demonstrations.domain);
  std::vector<std::string> names = {"in", "oos"};
  std::vector<Matrix<double>> goals = {first_rows(domain.published_goals(Split::in), spec.goals),
                                       first_rows(domain.published_goals(Split::oos), spec.goals)};
  if (spec.fresh) {
    names.insert(names.end(), {"fresh_in", "fresh_oos"});
    goals.push_back(domain.goals(Split::in, spec.goals, spec.fresh_seed));
    goals.push_back(domain.goals(Split::oos, spec.goals, spec.fresh_seed));
  }
  // All lists in one call: a simulation takes as long to make as some episodes.
  const Rollouts all = roll_out(domain.simulation, controller, stacked(goals),
                                {.threads = 1, .progress = [&](size_t, size_t) { return !stopped(); }});
  Json json, paths;
  for (size_t i = 0, first = 0; i < goals.size(); first += goals[i++].rows()) {
    const Rollouts part = part_of(all, first, goals[i].rows());
    json[names[i]] = scores_json(part);
    if (i < 2) paths[names[i] + "_paths"] = paths_json(domain, part);
  }
  if (is_drawn(spec))
    for (const char* name : {"in_paths", "oos_paths"}) json[name] = paths[name];
  return json.dump();
}

/// The options of a policy whose network is null where it has none.
std::string policy_result(const PolicySpec& spec, const Demonstrations& demonstrations,
                          std::shared_ptr<const Predictor> network, const std::function<bool()>& stopped) {
  const Policy policy = policy_of({demonstrations, *spec.options}, std::move(network));
  const BatchControllerMaker controller = [&](size_t most) { return policy.batch_controller(most); };
  return result_of(spec, controller, stopped);
}

/// Seconds of one core, near those of the experts: 40 us a step with one action, 1 ms with thirty. Networks
/// add little.
double episode_seconds(const SimulationSpec& simulation) {
  return 3e-5 * static_cast<double>(simulation.steps * (1 + simulation.columns.actions.size()));
}

double acting_work(const PolicySpec& spec) {
  const SimulationSpec& simulation = find_simulated_domain(spec.demonstrations.domain).simulation;
  const double lists = spec.fresh ? 4 : 2;
  return lists * static_cast<double>(spec.goals) * episode_seconds(simulation);
}

double learning_work(const PolicySpec& spec) {
  const SimulationSpec& simulation = find_simulated_domain(spec.demonstrations.domain).simulation;
  const PolicyRows rows = policy_shape(spec);
  return fit_load({rows.table, rows.options}, spec.demonstrations.count * simulation.steps).work;
}

/// The network of a policy. Its file would hold all demonstrations, so it is not kept.
Fit network_of(const PolicySpec& spec, const std::shared_ptr<DemonstrationStore>& store) {
  const Json key{{"job", "policy"},
                 {"demonstrations", to_json(spec.demonstrations)},
                 {"options", Json::parse(to_json(*spec.options))}};
  return {.key = key.dump(),
          .source =
              [spec, store] {
                PolicyRows rows = *policy_rows({*store->get(spec.demonstrations), *spec.options});
                return Fit::Source{std::move(rows.table), std::move(rows.options)};
              },
          .work = [spec] { return learning_work(spec); },
          .program =
              [spec] {
                const PolicyRows rows = policy_shape(spec);
                return program_text({rows.table, rows.options});
              },
          .kept = false};
}

EpisodeScores episode_scores(const Json& json) {
  EpisodeScores scores;
  for (const Json& error : json.at("errors").as_list("errors"))
    scores.errors.push_back(error.is_null() ? std::numeric_limits<double>::infinity()
                                            : exactly<double>(error, "errors"));
  scores.held = exactly<std::vector<double>>(json.at("held"), "held");
  return scores;
}

std::vector<EpisodePath> episode_paths(const Json* json, size_t width) {
  std::vector<EpisodePath> paths;
  if (!json) return paths;
  for (const Json& one : json->as_list("paths")) {
    std::vector<double> numbers = exactly<std::vector<double>>(one.at("path"), "path");
    const size_t steps = numbers.size() / width;
    paths.push_back({exactly<std::vector<double>>(one.at("goal"), "goal"),
                     Matrix<double>(steps, width, std::move(numbers)),
                     exactly<std::vector<double>>(one.at("actions"), "actions")});
  }
  return paths;
}

}  // namespace

std::shared_ptr<const Demonstrations> DemonstrationStore::get(const DemonstrationSpec& spec) {
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Entry>& found = entries_[to_json(spec).dump()];
    if (!found) found = std::make_shared<Entry>();
    entry = found;
  }
  std::call_once(entry->once, [&] {
    const SimulatedDomain& domain = find_simulated_domain(spec.domain);
    entry->demonstrations = std::make_shared<const Demonstrations>(
        roll_out(domain.simulation, expert_of(spec).make, domain.goals(Split::train, spec.count, spec.seed),
                 {.threads = threads_})
            .finished()
            .episodes);
  });
  return entry->demonstrations;
}

PolicyRows policy_shape(const PolicySpec& spec) {
  const EpisodeColumns& columns = find_simulated_domain(spec.demonstrations.domain).simulation.columns;
  Demonstrations two(columns, spec.demonstrations.domain);
  for (int e = 0; e < 2; ++e)
    two.add({Matrix<double>(1, columns.observations.size()), Matrix<double>(1, columns.actions.size())});
  PolicyOptions options = *spec.options;
  options.fit.training.steps = training_steps(options, spec.demonstrations.count);
  options.fit.epochs = 0;
  return *policy_rows({two, options});
}

Job policy_job(const PolicySpec& spec, const std::shared_ptr<DemonstrationStore>& store) {
  Json key{{"kind", "policy"}, {"demonstrations", to_json(spec.demonstrations)}, {"goals", spec.goals}};
  if (spec.fresh) key["fresh_seed"] = spec.fresh_seed;
  key["options"] = spec.options ? Json::parse(to_json(*spec.options)) : Json();
  Job job{.key = key.dump(), .work = [spec] { return acting_work(spec); }};
  if (!spec.options) {
    job.run = [spec](const std::function<bool()>& stopped) {
      return result_of(spec, expert_of(spec.demonstrations).make, stopped);
    };
  } else if (find_policy_model(spec.options->model).fit.empty()) {
    job.run = [spec, store](const std::function<bool()>& stopped) {
      return policy_result(spec, *store->get(spec.demonstrations), nullptr, stopped);
    };
  } else {
    job.fit = network_of(spec, store);
    job.ask = [spec, store](const Predictor& network, const std::function<bool()>& stopped) {
      // The policy does not outlive the question.
      const std::shared_ptr<const Predictor> borrowed(std::shared_ptr<const Predictor>(), &network);
      return policy_result(spec, *store->get(spec.demonstrations), borrowed, stopped);
    };
  }
  return job;
}

void EpisodeScores::add(const EpisodeScores& other) {
  errors.insert(errors.end(), other.errors.begin(), other.errors.end());
  held.insert(held.end(), other.held.begin(), other.held.end());
}

void PolicyScores::add(const PolicyScores& other) {
  failed += other.failed;
  in.add(other.in);
  oos.add(other.oos);
  fresh_in.add(other.fresh_in);
  fresh_oos.add(other.fresh_oos);
  in_paths.insert(in_paths.end(), other.in_paths.begin(), other.in_paths.end());
  oos_paths.insert(oos_paths.end(), other.oos_paths.begin(), other.oos_paths.end());
}

PolicyScores scores_of(const PolicySpec& spec, const JobResults& results) {
  const std::string& text = results.of(policy_job(spec, nullptr));
  if (is_failed(text)) {
    PolicyScores none;
    none.failed = 1;
    return none;
  }
  const Json json = Json::parse(text);
  const size_t width = find_simulated_domain(spec.demonstrations.domain).path.size();
  const auto fresh = [&](const char* name) {
    return spec.fresh ? episode_scores(json.at(name)) : EpisodeScores{};
  };
  return {0,
          episode_scores(json.at("in")),
          episode_scores(json.at("oos")),
          fresh("fresh_in"),
          fresh("fresh_oos"),
          episode_paths(json.find("in_paths"), width),
          episode_paths(json.find("oos_paths"), width)};
}

PolicyScores joined(const std::vector<PolicySpec>& specs, const JobResults& results) {
  PolicyScores all;
  for (const PolicySpec& spec : specs) all.add(scores_of(spec, results));
  return all;
}

}  // namespace kedge
