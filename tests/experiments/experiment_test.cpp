#include "kedge/experiments/experiment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "kedge/core/error.h"
#include "kedge/domains/domain.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

using Json = nlohmann::json;

TEST(Experiments, have_ids_and_titles_of_their_own_and_jobs_with_keys_of_json) {
  std::set<std::string> ids, titles;
  for (const Experiment& experiment : all_experiments()) {
    EXPECT_TRUE(ids.insert(experiment.id).second) << experiment.id;
    EXPECT_TRUE(titles.insert(experiment.title).second) << experiment.title;
    EXPECT_EQ(&find_experiment(experiment.id), &experiment);
    for (const Extent& extent : {Extent{.quick = true}, Extent{}, Extent{.widths = {32, 512}}})
      for (const Job& job : experiment.jobs(extent)) EXPECT_TRUE(Json::accept(job.key)) << job.key;
  }
  EXPECT_NE(error_text([] { find_experiment("table-0"); }).find("table-scaled"), std::string::npos);
}

TEST(Experiments, a_quick_run_leaves_out_the_preset_of_the_text) {
  EXPECT_EQ(presets_of({"paper", "default"}, {}), (std::vector<std::string>{"paper", "default"}));
  EXPECT_EQ(presets_of({"paper", "default"}, {.quick = true}), std::vector<std::string>{"default"});
}

TEST(Experiments, only_searches_over_sizes_have_more_jobs_for_more_widths) {
  for (const Experiment& experiment : all_experiments()) {
    const size_t one = experiment.jobs(Extent{}).size(), two = experiment.jobs({.widths = {32, 512}}).size();
    EXPECT_EQ(two > one, experiment.over_widths) << experiment.id;
  }
}

TEST(Experiments, ask_fresh_problems_only_where_they_say_so) {
  for (const Experiment& experiment : all_experiments())
    for (const Job& job : experiment.jobs({})) {
      const Json key = Json::parse(job.key);
      if (!key.contains("fit") || experiment.id == "coverage") continue;
      const std::string domain = key.at("fit").at("domain");
      EXPECT_EQ(find_domain(domain).fresh, experiment.id == "fresh") << experiment.id << " " << domain;
    }
}

/// What a fit is told apart by, as the error that it is made to have.
double made_up_error(const Json& key) {
  const Json& fit = key.at("fit");
  const Json& options = fit.at("options");
  const Json& architecture = options.at("architecture");
  double error = architecture.at("width").get<double>() / 1000 + architecture.at("layers").get<double>() / 10;
  if (options.at("model") == "bilinear") error += 10;
  if (options.at("preset") == "default") error += 20;
  if (fit.at("domain") == "grasp-mug") error += 40;
  return error;
}

/// The experiment's result, had each of its fits its made-up error out of support, and half of it inside.
Result made_up(const std::string& id, const Extent& extent) {
  const Experiment& experiment = find_experiment(id);
  const std::vector<Job> jobs = experiment.jobs(extent);
  std::vector<JobResult> results;
  for (const Job& job : jobs) {
    const double error = made_up_error(Json::parse(job.key));
    results.push_back(
        {Json{{"in", {error / 2}}, {"oos", {error}}, {"in_deviation", 1}, {"oos_deviation", 1}}.dump(), "m"});
  }
  Result result{};
  experiment.assemble(extent, JobResults(jobs, results), result);
  return result;
}

Measured ours(const Result& result, const Cell& wanted) {
  const auto found = std::find_if(result.cells.begin(), result.cells.end(), [&](const Cell& c) {
    return c.row == wanted.row && c.column == wanted.column && c.preset == wanted.preset &&
           c.split == wanted.split;
  });
  EXPECT_NE(found, result.cells.end()) << wanted.row << " " << wanted.column;
  return found == result.cells.end() ? Measured{} : found->ours;
}

TEST(Experiments, put_each_fit_into_its_cell) {
  const Result sizes = made_up("table-sizes", {.widths = {32, 512}});
  const Measured one = ours(sizes, {"Mug, k = 2, n = 512", "Ours", "released", "oos", {}, {}});
  EXPECT_NEAR(one.mean, 0.512 + 0.2 + 10 + 40, 1e-12);
  EXPECT_EQ(one.n, 3u);
  EXPECT_NEAR(ours(sizes, {"Bottle, k = 3, n = 32", "Neural Net", "released", "in", {}, {}}).mean,
              (0.032 + 0.3) / 2, 1e-12);

  const Result scaled = made_up("table-scaled", {.widths = {32, 512}});
  const Measured all = ours(scaled, {"Mug", "Ours", "released", "oos", {}, {}});
  EXPECT_NEAR(all.mean, (0.032 + 0.512) / 2 + 0.25 + 10 + 40, 1e-12);
  EXPECT_EQ(all.n, 12u);
  EXPECT_NEAR(ours(scaled, {"Teapot", "Ours", "default", "oos", {}, {}}).mean, 0.064 + 0.3 + 10 + 20, 1e-12);
}

TEST(Experiments, put_fresh_problems_beside_the_training_mean) {
  const Result fresh = made_up("fresh", {});
  EXPECT_NEAR(ours(fresh, {"arm", "bilinear", "default", "oos", {}, {}}).mean, 0.064 + 0.3 + 10 + 20, 1e-12);
  EXPECT_NEAR(ours(fresh, {"tide", "mlp, Fourier layer", "default", "in", {}, {}}).mean,
              (0.064 + 0.3 + 20) / 2, 1e-12);
  EXPECT_EQ(ours(fresh, {"beam", "training mean", "default", "oos", {}, {}}).n, 3u);
  std::map<std::string, std::set<std::string>> columns;
  for (const Cell& cell : fresh.cells) columns[cell.row].insert(cell.column);
  EXPECT_EQ(columns.size(), 10u);
  for (const auto& [row, models] : columns) {
    EXPECT_TRUE(find_domain(row).fresh) << row;
    const size_t inputs = find_domain(row).sample(Split::train, 1, 0).names(Role::input).size();
    EXPECT_EQ(models.contains("mlp, Fourier layer"), inputs == 1) << row;
    EXPECT_EQ(models.size(), inputs == 1 ? 10u : 9u) << row;
  }
}

TEST(Experiments, tables_say_which_sizes_they_hold_and_which_are_missing) {
  const auto notes = [](const Extent& extent) {
    std::string all;
    for (const std::string& note : made_up("table-scaled", extent).notes) all += note + "\n";
    return all;
  };
  EXPECT_NE(notes({}).find("n = 32 units"), std::string::npos) << notes({});
  EXPECT_NE(notes({}).find("n = 512 and 1024 are missing"), std::string::npos) << notes({});
  const std::string more = notes({.widths = {32, 512}});
  EXPECT_NE(more.find("n = 32 and 512 units"), std::string::npos) << more;
  EXPECT_NE(more.find("n = 1024 is missing"), std::string::npos) << more;
}

TEST(JobResults, are_found_by_their_job_and_no_other) {
  const Job one{"{\"a\":1}", {}}, two{"{\"a\":2}", {}}, other{"{}", {}};
  const JobResults results({one, two, one}, {{"x", "m"}, {"y", "n"}, {"x", "m"}});
  EXPECT_EQ(results.of(two), "y");
  EXPECT_EQ(results.of(one), "x");
  EXPECT_THROW(results.of(other), Error);
  EXPECT_EQ(results.machines(), (std::set<std::string>{"m", "n"}));
}

}  // namespace
}  // namespace kedge
