#include "kedge/experiments/plan.h"

#include <gtest/gtest.h>

#include "kedge/domains/simulated_domain.h"
#include "kedge/jobs/fit_job.h"
#include "kedge/jobs/policy_job.h"
#include "kedge/predictor/fit.h"

namespace kedge {
namespace {

FitSpec mug(const std::string& model, uint64_t seed) {
  FitSpec spec{.domain = "grasp-mug", .options = experiment_options("grasp-mug", "released", model, seed)};
  spec.options.architecture = {.layers = 2, .width = 16, .embedding = 4};
  spec.options.epochs = 2;
  spec.train_rows = 64;
  return spec;
}

TEST(JobPlan, counts_networks_steps_and_parameters) {
  FitSpec other = mug("mlp", 0);
  other.test_rows = 7;  // another question to the same fit
  const JobPlan plan = plan_of({fit_job(mug("mlp", 0)), fit_job(mug("mlp", 1)), fit_job(other),
                                fit_job(mug("mlp", 1)), fit_job(mug("linear", 0))});
  EXPECT_EQ(plan.jobs, 4u);
  EXPECT_EQ(plan.closed_forms, 1u);
  ASSERT_EQ(plan.trainings.size(), 1u);
  const auto& [kind, trainings] = *plan.trainings.begin();
  EXPECT_EQ(kind.model, "mlp");
  EXPECT_EQ(kind.width, 16);
  EXPECT_EQ(kind.layers, 2);
  EXPECT_EQ(trainings.networks, 2u);
  EXPECT_EQ(trainings.steps, 2u * 2 * (64 / 32));
  // 12 inputs and 3 outputs, with biases.
  EXPECT_EQ(trainings.parameter_steps, 2 * 4.0 * (12 * 16 + 16 + 16 * 3 + 3));
  EXPECT_EQ(plan.all_trainings().steps, trainings.steps);
  EXPECT_EQ(plan.all_episodes(), 0u);
}

TEST(JobPlan, counts_each_replica) {
  FitSpec spec = mug("mlp", 0);
  spec.options.replicas = 3;
  EXPECT_EQ(plan_of({fit_job(spec)}).all_trainings().networks, 3u);
}

TEST(JobPlan, is_that_of_the_fit_that_is_made_of_it) {
  const FitSpec spec = mug("bilinear", 0);
  const Fit::Source source = fit_of(spec).source();
  const FitResult made = fit_model({source.table, source.options}, {.threads = 1});
  const PlannedTrainings planned = plan_of({fit_job(spec)}).all_trainings();
  EXPECT_EQ(planned.steps, made.outcome.steps);
  EXPECT_EQ(planned.parameter_steps,
            static_cast<double>(made.outcome.steps * made.predictor.program().parameters()));
}

TEST(JobPlan, counts_episodes_of_policies_and_experts) {
  if (simulated_domains().empty()) GTEST_SKIP() << "built without simulations";
  const auto store = std::make_shared<DemonstrationStore>();
  PolicySpec spec;
  spec.demonstrations = {.domain = "slider", .expert = "mechanics", .count = 64, .seed = 0};
  const Job expert = policy_job(spec, store);
  spec.options = policy_options("released", "mlp");
  spec.options->fit.epochs = 3;
  spec.fresh = false;
  const JobPlan plan = plan_of({expert, policy_job(spec, store)});
  EXPECT_EQ(plan.episodes.at("slider"), 200u + 100);
  EXPECT_EQ(plan.all_trainings().steps, 6u);
  EXPECT_EQ(plan.trainings.begin()->first.model, "mlp");
}

}  // namespace
}  // namespace kedge
