#include "kedge/domains/example_pairs.h"
#include "kedge/imitation/imitate.h"
#include "kedge/jobs/coverage_job.h"
#include "kedge/jobs/policy_job.h"
#include "kedge/jobs/tensor_field_job.h"
#include "tests/imitation/point_mass.h"
#include "tests/jobs/quick_jobs.h"
#include "tests/numerics/cases.h"

namespace kedge {
namespace {

void add_policies(BitList& list) {
  const Demonstrations shown = point_demonstrations(12);
  const Matrix<double> goals = goals_between(0, 3, 5);
  for (const PolicyModel& model : policy_models()) {
    PolicyOptions options = quick_policy(model.name, 60);
    options.fit.pool = 50;
    const Policy policy = quick_imitation(shown, options);
    std::vector<double> numbers;
    for (const Episode& episode : shown.episodes()) append(numbers, policy.actions(episode).values());
    for (const GoalAnswer& answer : policy.judge(goals)) {
      append(numbers, answer.anchors);
      append(numbers, std::vector<double>{answer.support_distance, answer.delta_distance,
                                          answer.expected_error, static_cast<double>(answer.verdict)});
    }
    list.add("policy " + model.name, numbers);
  }
}

void add_job(BitList& list, const std::string& name, const Job& job) {
  list.add_json("job of " + name, run_jobs({job}, {.threads = 1}).results.front().text);
}

PolicySpec quick_policy_spec() {
  PolicySpec spec;
  spec.demonstrations = {
      .domain = "reach", .expert = find_simulated_domain("reach").experts[0].name, .count = 3};
  spec.goals = 1;
  spec.options = policy_options("released", "bilinear");
  spec.options->fit.architecture.width = 16;
  spec.options->fit.epochs = 0;
  spec.options->fit.training.steps = 30;
  spec.options->fit.pool = 20;
  return spec;
}

}  // namespace

void add_jobs(BitList& list) {
  add_policies(list);
  FitSpec spec = quick_fit("bilinear", 1);
  add_job(list, "a fit", fit_job(spec));
  spec.options.calibration = Calibration::shells;
  add_job(list, "coverage", coverage_job({.fit = spec, .inside_rows = 10, .outside_rows = 10}));
  spec = quick_fit("bilinear", 0);
  spec.domain = "tiles";
  spec.options = experiment_options("tiles", "default", "bilinear", 0);
  spec.options.training.steps = 30;
  spec.options.architecture.width = 8;
  spec.options.weights.architecture.width = 8;
  spec.options.weights.training.steps = 50;
  spec.example_pairs = 20;
  weigh_pairs(spec.options, WeightSource::examples);
  add_job(list, "a weighted fit", fit_job(spec));
  add_job(list, "a tensor field", tensor_field_job("grasp-rotation-mug", 10, {.steps = 3, .batch = 4}));
  add_job(list, "a policy", policy_job(quick_policy_spec(), std::make_shared<DemonstrationStore>()));
}

}  // namespace kedge
