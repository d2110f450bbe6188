#include "kedge/jobs/sweep_job.h"

#include <gtest/gtest.h>

#include <set>

#include "kedge/core/json.h"
#include "kedge/predictor/sizes.h"
#include "tests/predictor/fitted.h"

namespace kedge {
namespace {

SweepTrial trial_of(const std::string& model, bool tuned = false) {
  const Table table = training_table();
  FitOptions options = quick_options(model);
  options.space = curved_space;
  return {sweep_table(table), sized(options, table), {.models = {model}, .tuned = tuned}};
}

ModelScore by_jobs(const SweepTrial& trial) {
  const std::vector<Job> jobs = sweep_jobs(trial);
  return sweep_result(trial, JobResults(jobs, run_jobs(jobs, {})));
}

void expect_same(const ModelScore& a, const ModelScore& b) {
  const auto text = [](const ModelScore& score) {
    std::string all = score.failure + "\n";
    for (const ShellScore& s : score.shells)
      all += Json::array({to_text(s.shell), number_or_null(s.in), number_or_null(s.out),
                          number_or_null(s.rank), number_or_null(s.found), number_or_null(s.in_absolute),
                          number_or_null(s.out_absolute), s.fourier, s.failure})
                 .dump() +
             "\n";
    for (const Estimate& e : {score.in, score.out, score.rank, score.beyond, score.beyond_rank, score.found})
      all += Json::array({number_or_null(e.mean), number_or_null(e.deviation)}).dump();
    return all + Json::array({number_or_null(score.errors.inside), number_or_null(score.errors.inputs),
                              number_or_null(score.errors.outputs)})
                     .dump();
  };
  EXPECT_EQ(text(a), text(b));
}

TEST(SweepJob, one_combination_is_scored_as_cross_validation_scores_it) {
  for (const char* model : {"bilinear", "mlp", "ridge", "nearest"}) {
    SCOPED_TRACE(model);
    const SweepTrial trial = trial_of(model);
    const CrossValidation cv = cross_validate(*trial.table.rows, trial.options, trial.how, {.threads = 1});
    expect_same(by_jobs(trial), cv.score(model));
  }
}

TEST(SweepJob, tuned_anchors_are_tuned_on_all_shells_together) {
  const SweepTrial trial = trial_of("bilinear", true);
  EXPECT_EQ(sweep_jobs(trial).size(), 1u);
  EXPECT_EQ(sweep_jobs(trial_of("bilinear")).size(), trial.how.shells.size());
  const CrossValidation cv = cross_validate(*trial.table.rows, trial.options, trial.how, {.threads = 1});
  expect_same(by_jobs(trial), cv.score("bilinear"));
}

TEST(SweepJob, keys_tell_apart_all_that_decides_a_score) {
  const SweepTrial trial = trial_of("bilinear");
  std::vector<SweepTrial> all(8, trial);
  all[1].options.seed = 1;
  all[2].options.architecture.width = 9;
  all[3].how.effort = 0.25;
  all[4].how.inside_fraction = 0.2;
  all[5].how.fraction = 0.3;
  all[6].how.output_fraction = 0.2;
  all[7].how.tuned = true;
  std::set<std::string> keys;
  size_t count = 0;
  for (const SweepTrial& one : all)
    for (const Job& job : sweep_jobs(one)) {
      keys.insert(job.key);
      ++count;
    }
  EXPECT_EQ(keys.size(), count);
}

TEST(SweepJob, a_table_is_told_by_what_a_fit_reads_of_it) {
  const auto sum = [](const Table& table) { return sweep_table(table).checksum; };
  const auto table = [](const std::string& name, Role role, std::vector<double> values,
                        const char* source = "a") {
    Table made(source);
    made.add(column("y", Role::output, {1, 2, 3}));
    made.add(column(name, role, std::move(values)));
    return made;
  };
  const uint64_t usual = sum(table("x", Role::input, {1, 2, 3}));
  EXPECT_EQ(sum(table("x", Role::input, {1, 2, 3}, "another file")), usual);
  EXPECT_NE(sum(table("x", Role::input, {1, 2, 3.5})), usual);
  EXPECT_NE(sum(table("x", Role::input, {1, 3, 2})), usual);
  EXPECT_NE(sum(table("z", Role::input, {1, 2, 3})), usual);
  EXPECT_NE(sum(table("x", Role::time, {1, 2, 3})), usual);
  EXPECT_EQ(sum(table("x", Role::ignored, {1, 2, 3})), sum(table("x", Role::ignored, {7, 8, 9})));
}

TEST(SweepJob, a_model_that_cannot_be_fitted_is_a_result) {
  SweepTrial trial = trial_of("deepsets");
  trial.options.context.clear();
  const ModelScore score = by_jobs(trial);
  EXPECT_NE(score.failure.find("context"), std::string::npos) << score.failure;
}

}  // namespace
}  // namespace kedge
