#include "cli/demo_contest.h"

#include "kedge/core/score.h"

namespace kedge {
namespace {

constexpr size_t test_rows = 500, curve_points = 500;

}  // namespace

std::vector<double> curve_places(const AnalyticFunction& f) {
  std::vector<double> places;
  for (size_t i = 0; i < curve_points; ++i)
    places.push_back(f.oos_low + (f.oos_high - f.oos_low) * static_cast<double>(i) /
                                     static_cast<double>(curve_points - 1));
  return places;
}

FitSpec spec_of(const char* domain, const Contestant& contestant, uint64_t seed) {
  FitSpec spec{.domain = domain,
               .options = experiment_options(domain, "default", contestant.model, seed),
               .train_rows = demo_train_rows,
               .test_rows = test_rows};
  spec.options.architecture.fourier = contestant.fourier;
  if (contestant.drawn && seed == 0) spec.grid = curve_places(find_function(domain));
  return spec;
}

void DemoScores::add(const FitScores& scores) {
  in.push_back(root_mean_square(scores.in));
  oos.push_back(root_mean_square(scores.oos));
}

std::vector<DemoScores> demo_scores(const JobResults& results, size_t seeds) {
  std::vector<DemoScores> all;
  for (const char* domain : demo_domains) {
    for (const Contestant& contestant : contestants) {
      all.push_back({domain, contestant.name, contestant.shown, {}, {}});
      for (uint64_t seed = 0; seed < seeds; ++seed)
        all.back().add(scores_of(spec_of(domain, contestant, seed), results));
    }
    all.push_back({domain, training_mean_name, training_mean_name, {}, {}});
    for (uint64_t seed = 0; seed < seeds; ++seed)
      all.back().add(training_mean_scores(spec_of(domain, contestants.front(), seed)));
  }
  return all;
}

}  // namespace kedge
