#include "kedge/jobs/policy_job.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "kedge/core/error.h"
#include "kedge/demonstrations/rollout.h"

namespace kedge {
namespace {

/// Tests of simulated policies; without simulations there are none.
class PolicyJobs : public testing::Test {
 protected:
  void SetUp() override {
    if (simulated_domains().empty()) GTEST_SKIP() << "built without simulations";
  }

  static PolicySpec spec(const std::string& model, uint64_t seed = 0) {
    PolicySpec spec;
    spec.demonstrations = {
        .domain = "slider", .expert = find_simulated_domain("slider").experts[0].name, .count = 6};
    spec.goals = 2;
    if (model.empty()) return spec;
    spec.options = policy_options("released", model);
    spec.options->fit.architecture.width = 16;
    spec.options->fit.epochs = 0;
    spec.options->fit.training.steps = 40;
    spec.options->fit.pool = 20;
    spec.options->fit.seed = seed;
    return spec;
  }

  std::vector<Job> jobs_of(const std::vector<PolicySpec>& specs) const {
    std::vector<Job> jobs;
    for (const PolicySpec& one : specs) jobs.push_back(policy_job(one, store_));
    return jobs;
  }

  const std::shared_ptr<DemonstrationStore> store_ = std::make_shared<DemonstrationStore>();
};

TEST_F(PolicyJobs, give_together_what_each_gives_alone) {
  const std::vector<Job> jobs = jobs_of({spec(""), spec("bilinear"), spec("bilinear", 1), spec("mlp"),
                                         spec("ridge-by-step"), spec("linear"), spec("replay")});
  const std::vector<JobResult> together = run_jobs(jobs, {.threads = 2}).results;
  for (size_t i = 0; i < jobs.size(); ++i)
    EXPECT_EQ(run_jobs({jobs[i]}, {.threads = 1}).results[0].text, together[i].text) << jobs[i].key;
}

TEST_F(PolicyJobs, act_as_the_policy_that_imitate_learns) {
  const PolicySpec one = spec("bilinear");
  const std::vector<Job> jobs = jobs_of({one});
  const PolicyScores scores = scores_of(one, JobResults(jobs, run_jobs(jobs, {.threads = 1})));
  const SimulatedDomain& domain = find_simulated_domain("slider");
  const auto demonstrations = store_->get(one.demonstrations);
  const Policy policy = imitate({*demonstrations, *one.options}, {.threads = 1}).policy;
  const auto errors = [&](const Matrix<double>& goals) {
    return roll_out(domain.simulation, [&] { return policy.controller(); },
                    MatrixView<const double>(goals.data(), one.goals, goals.cols()), {.threads = 1})
        .errors;
  };
  EXPECT_EQ(scores.in.errors, errors(domain.published_goals(Split::in)));
  EXPECT_EQ(scores.oos.errors, errors(domain.published_goals(Split::oos)));
  EXPECT_EQ(scores.fresh_in.errors, errors(domain.goals(Split::in, one.goals, one.fresh_seed)));
  EXPECT_EQ(scores.fresh_oos.errors, errors(domain.goals(Split::oos, one.goals, one.fresh_seed)));
  EXPECT_EQ(scores.oos_paths.size(), one.goals);
}

TEST_F(PolicyJobs, leave_out_fresh_goals_where_nobody_asks_for_them) {
  PolicySpec asked = spec("linear"), left_out = asked;
  left_out.fresh = false;
  const std::vector<Job> jobs = jobs_of({asked, left_out});
  EXPECT_NE(jobs[0].key, jobs[1].key);
  EXPECT_EQ(jobs[0].fit->key, jobs[1].fit->key) << "one training serves both";
  const JobResults results(jobs, run_jobs(jobs, {.threads = 1}));
  const PolicyScores more = scores_of(asked, results), less = scores_of(left_out, results);
  EXPECT_EQ(less.oos.errors, more.oos.errors);
  EXPECT_EQ(less.in.errors, more.in.errors);
  EXPECT_EQ(more.fresh_oos.errors.size(), asked.goals);
  EXPECT_TRUE(less.fresh_oos.errors.empty());
}

TEST_F(PolicyJobs, keep_results_but_no_networks) {
  const auto folder = std::filesystem::temp_directory_path() / "kedge_policy_jobs";
  std::filesystem::remove_all(folder);
  const std::vector<Job> jobs = jobs_of({spec("mlp")});
  const JobOptions options{.folder = folder.string(), .threads = 1};
  const std::string text = run_jobs(jobs, options).results[0].text;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    EXPECT_NE(entry.path().extension(), ".kedge") << entry.path();
  EXPECT_TRUE(std::filesystem::exists(folder / file_name(jobs[0], options)));
  EXPECT_EQ(run_jobs(jobs, options).results[0].text, text);
  std::filesystem::remove_all(folder);
}

TEST_F(PolicyJobs, whose_training_diverges_have_that_as_their_result) {
  PolicySpec steep = spec("bilinear");
  steep.options->fit.training.adam.learning_rate = 99;
  steep.options->fit.training.steps = 3000;
  steep.options->fit.architecture.layers = 12;
  const std::vector<Job> jobs = jobs_of({steep, spec("mlp")});
  const JobResults results(jobs, run_jobs(jobs, {.threads = 1}));
  EXPECT_EQ(scores_of(steep, results).failed, 1u);
  EXPECT_EQ(scores_of(spec("mlp"), results).failed, 0u);
}

TEST_F(PolicyJobs, that_are_stopped_say_so) {
  PolicySpec endless = spec("mlp");
  endless.options->fit.training.steps = 1000000000;
  int asked = 0;
  EXPECT_THROW(run_jobs(jobs_of({endless}), {.threads = 1}, {.stopped = [&] { return ++asked > 5; }}), Error);
}

TEST_F(PolicyJobs, keep_paths_of_the_first_seed_alone_and_of_no_policy_without_fresh_goals) {
  PolicySpec other = spec("replay"), wide = spec("replay");
  other.demonstrations.seed = 1;
  wide.fresh = false;
  const std::vector<Job> jobs = jobs_of({spec("replay"), other, wide});
  const JobResults results(jobs, run_jobs(jobs, {.threads = 1}));
  EXPECT_EQ(scores_of(spec("replay"), results).in_paths.size(), 2u);
  EXPECT_TRUE(scores_of(other, results).in_paths.empty());
  EXPECT_TRUE(scores_of(wide, results).oos_paths.empty());
  EXPECT_EQ(scores_of(wide, results).oos.errors, scores_of(spec("replay"), results).oos.errors);
}

TEST_F(PolicyJobs, estimate_their_work_without_demonstrations) {
  const Job expert = policy_job(spec(""), nullptr), network = policy_job(spec("mlp"), nullptr);
  PolicySpec wide = spec("mlp");
  wide.options->fit.architecture.width = 256;
  EXPECT_GT(expert.work(), 0);
  EXPECT_EQ(network.work(), expert.work());
  EXPECT_GT(network.fit->work(), 0);
  EXPECT_GT(policy_job(wide, nullptr).fit->work(), network.fit->work());
}

}  // namespace
}  // namespace kedge
