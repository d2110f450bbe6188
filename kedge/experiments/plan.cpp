#include "kedge/experiments/plan.h"

#include <set>

#include "kedge/core/json.h"
#include "kedge/domains/domain.h"
#include "kedge/jobs/fit_job.h"
#include "kedge/jobs/policy_job.h"
#include "kedge/predictor/requirements.h"
#include "kedge/predictor/workload.h"

namespace kedge {
namespace {

// Enough for the columns of a table.
constexpr size_t few_rows = 8;

/// Reads jobs by their keys, which hold everything that decides them.
class Planner {
 public:
  void add(const Job& job) {
    if (!jobs_.insert(job.key).second) return;
    ++plan_.jobs;
    const Json key = Json::parse(job.key);
    const bool is_policy = key.contains("kind") && key.at("kind") == "policy";
    if (is_policy) add_episodes(key);
    if (!job.fit || !fits_.insert(job.fit->key).second) return;
    if (is_policy)
      add_policy(key);
    else
      add_fit(Json::parse(job.fit->key));
  }

  JobPlan plan() const { return plan_; }

 private:
  void add_episodes(const Json& key) {
    const size_t lists = key.contains("fresh_seed") ? 4 : 2;
    plan_.episodes[exactly<std::string>(key.at("demonstrations").at("domain"), "domain")] +=
        lists * exactly<size_t>(key.at("goals"), "goals");
  }

  void add_policy(const Json& key) {
    const Json& from = key.at("demonstrations");
    PolicySpec spec;
    spec.demonstrations.domain = exactly<std::string>(from.at("domain"), "domain");
    spec.demonstrations.count = exactly<size_t>(from.at("count"), "count");
    spec.options = policy_options_from_json(key.at("options").dump());
    const PolicyRows rows = policy_shape(spec);
    add({rows.table, rows.options}, spec.options->model);
  }

  void add_fit(const Json& key) {
    const std::string domain = exactly<std::string>(key.at("domain"), "domain");
    if (!tables_.contains(domain))
      tables_.emplace(domain, find_domain(domain).sample(Split::train, few_rows, 0));
    FitRequest request{tables_.at(domain), options_from_json(key.at("options").dump())};
    FitOptions& options = request.options;
    if (options.architecture.fourier == Fourier::automatic) options.architecture.fourier = Fourier::off;
    options.training.steps = training_steps(options, exactly<size_t>(key.at("train_rows"), "train_rows"));
    options.epochs = 0;
    add(request, options.model);
  }

  /// `name` is the model's, as users write it.
  void add(const FitRequest& request, const std::string& name) {
    const FitOptions& options = request.options;
    if (!find_model(options.model).is_trained()) {
      ++plan_.closed_forms;
      return;
    }
    const auto networks = static_cast<double>(options.replicas);
    const auto steps = static_cast<double>(options.training.steps);
    const auto parameters = static_cast<double>(program_for(options, FitColumns(request)).parameters());
    plan_.trainings[{options.architecture.width, options.architecture.layers, name}] +=
        {options.replicas, options.replicas * options.training.steps, networks * steps * parameters};
  }

  JobPlan plan_;
  std::set<std::string> jobs_, fits_;
  std::map<std::string, Table> tables_;  // by domain
};

}  // namespace

PlannedTrainings& PlannedTrainings::operator+=(const PlannedTrainings& other) {
  networks += other.networks;
  steps += other.steps;
  parameter_steps += other.parameter_steps;
  return *this;
}

PlannedTrainings JobPlan::all_trainings() const {
  PlannedTrainings all;
  for (const auto& [kind, one] : trainings) all += one;
  return all;
}

size_t JobPlan::all_episodes() const {
  size_t all = 0;
  for (const auto& [domain, count] : episodes) all += count;
  return all;
}

JobPlan plan_of(const std::vector<Job>& jobs) {
  Planner planner;
  for (const Job& job : jobs) planner.add(job);
  return planner.plan();
}

}  // namespace kedge
