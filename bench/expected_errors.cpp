// Checks expected errors: the mean true error over the mean expected one, for queries in support and at four
// distances outside, by table and model.
//
//   expected_errors              the half that choices were made on
//   expected_errors aside        the other half
//   expected_errors all 6000     both, with 6000 steps for each network

#include <algorithm>
#include <cstdio>
#include <string>

#include "bench/error_problems.h"
#include "kedge/core/format.h"
#include "kedge/core/score.h"
#include "kedge/trials/cross_validation.h"
#include "kedge/trials/fit.h"

namespace kedge {
namespace {

constexpr uint64_t seed = 1;
constexpr size_t inside_queries = 100, outside_queries = 60;

struct Sums {
  double truth = 0, expected = 0;

  void add(const Predictor& predictor, const Table& queries) {
    const Predictions p = predictor.predict(queries);
    const std::vector<double> errors = distances(p.y, queries.matrix(p.outputs));
    truth += sum(errors);
    expected += sum(p.expected_error);
  }
  double ratio() const { return truth / expected; }

 private:
  static double sum(const std::vector<double>& values) {
    return mean(values) * static_cast<double>(values.size());
  }
};

void report(const ErrorProblem& problem, const FitOptions& options, bool picked) {
  const Table table = problem.training(seed);
  const Predictor predictor = fit({table, options}).predictor;
  Sums inside, near, far;
  inside.add(predictor, problem.inside(inside_queries, seed + 1));
  for (double distance : {0.1, 0.25, 0.5})
    near.add(predictor, problem.outside(distance, outside_queries, seed + 2));
  far.add(predictor, problem.outside(1, outside_queries, seed + 2));
  std::puts(fmt::format("{:16}{:12}{:7}{:10.2f}{:10.2f}{:10.2f}", problem.name, options.model,
                        picked ? "picked" : "", inside.ratio(), near.ratio(), far.ratio())
                .c_str());
  std::fflush(stdout);
}

void study(const ErrorProblem& problem, uint64_t steps) {
  FitOptions base = preset_options("default", "bilinear");
  base.training.steps = steps;
  const std::string picked = cross_validate(problem.training(seed), base).recommendation.model;
  std::vector<std::string> models = {"bilinear", "mlp", "linear", "quadratic"};
  if (std::find(models.begin(), models.end(), picked) == models.end()) models.push_back(picked);
  for (const std::string& model : models) {
    base.model = model;
    report(problem, base, model == picked);
  }
}

}  // namespace
}  // namespace kedge

int main(int count, char** arguments) {
  using namespace kedge;
  const std::string half = count > 1 ? arguments[1] : "chosen-on";
  const uint64_t steps =
      count > 2 ? std::stoull(arguments[2]) : preset_options("default", "bilinear").training.steps;
  std::puts(
      fmt::format("{:35}{:>10}{:>10}{:>10}", "true / expected error", "inside", "to 0.5", "at 1").c_str());
  for (const ErrorProblem& problem : error_problems())
    if (half == "all" || (half == "chosen-on") == problem.chosen_on) study(problem, steps);
}
