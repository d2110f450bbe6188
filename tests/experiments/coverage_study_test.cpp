#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kedge/coverage/verdict.h"
#include "kedge/experiments/experiment.h"

namespace kedge {
namespace {

using Json = nlohmann::json;

constexpr size_t inside = 300, outside = 600;
constexpr double tolerance = 1e-12;

struct Answers {
  double error_in, error_out, expected_in, expected_out;
};

constexpr double deviation = 7;  // of the training outputs

/// The study's result, had each of its fits these answers to all queries inside and to all outside, given its
/// number. For the last query nothing is expected.
template <class Answer>
Result made_up(const Answer& answer) {
  const Experiment& experiment = find_experiment("coverage");
  const Extent extent{.quick = true};
  const std::vector<Job> jobs = experiment.jobs(extent);
  std::vector<JobResult> results;
  for (size_t j = 0; j < jobs.size(); ++j) {
    const Answers a = answer(j);
    Json json;
    for (size_t r = 0; r < inside + outside; ++r) {
      json["error"].push_back(r < inside ? a.error_in : a.error_out);
      json["expected"].push_back(r < inside ? a.expected_in : a.expected_out);
      json["verdict"].push_back(static_cast<int>(r < inside ? Verdict::interpolation : Verdict::reachable));
      json["x"].push_back(static_cast<double>(r));
    }
    json["expected"].back() = nullptr;
    json["output_deviation"] = deviation;
    results.push_back({json.dump(), "m"});
  }
  Result result{};
  experiment.assemble(extent, JobResults(jobs, results), result);
  return result;
}

double ours(const Result& result, const std::string& row, const std::string& column,
            const std::string& split) {
  const auto found = std::find_if(result.cells.begin(), result.cells.end(), [&](const Cell& c) {
    return c.row == row && c.column == column && c.split == split;
  });
  EXPECT_NE(found, result.cells.end()) << row << " " << column << " " << split;
  return found == result.cells.end() ? std::nan("") : found->ours.mean;
}

TEST(CoverageStudy, scores_what_users_see_and_never_the_true_error_in_support) {
  // Errors in support differ by orders of magnitude; what is expected, in deviations, does not.
  const Result result = made_up([](size_t job) {
    const double error = deviation * std::pow(10.0, -static_cast<double>(job));
    return Answers{error, 3 * error, 0.1 * deviation, 0.2 * deviation};
  });
  for (const char* row :
       {"sawtooth", "the five functions together", "the built-in problems together",
        "the fresh problems together", "mean of the five functions", "mean of the built-in problems"})
    EXPECT_NEAR(ours(result, row, "AUROC", "all"), 1, tolerance) << row;
}

TEST(CoverageStudy, tells_several_problems_together_from_the_mean_of_their_own) {
  // Each problem tells its own bad ones, but the good ones of the last expect more than the bad ones before.
  const Result result = made_up([](size_t job) {
    const double scale = deviation * std::pow(10.0, static_cast<double>(job));
    return Answers{1, 3, 0.1 * scale, 0.2 * scale};
  });
  EXPECT_NEAR(ours(result, "mean of the built-in problems", "AUROC", "all"), 1, tolerance);
  EXPECT_LT(ours(result, "the built-in problems together", "AUROC", "all"), 0.8);
}

TEST(CoverageStudy, compares_expected_with_true_errors_where_both_are_there) {
  const Result result = made_up([](size_t) { return Answers{1, 3, 0.5, 6}; });
  EXPECT_NEAR(ours(result, "grasp", "expected over true", "interpolation"), 0.5, tolerance);
  EXPECT_NEAR(ours(result, "grasp", "expected over true", "reachable"), 2, tolerance);
}

}  // namespace
}  // namespace kedge
