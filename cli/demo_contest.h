#pragma once

// What 'kedge demo' compares: models on built-in functions, and their scores.

#include <array>
#include <string>
#include <vector>

#include "kedge/domains/analytic/analytic.h"
#include "kedge/jobs/fit_job.h"

namespace kedge {

/// Every contestant takes the options of the default preset but for the Fourier layer.
struct Contestant {
  const char* name;
  const char* shown;  ///< as pages and tables call it
  const char* model;
  Fourier fourier;
  bool drawn;  ///< in the charts, beside the truth, for the first seed
};
inline constexpr std::array contestants = {
    Contestant{"bilinear", "kedge (bilinear transduction)", "bilinear", Fourier::automatic, true},
    Contestant{"concat", "concat", "concat", Fourier::automatic, false},
    Contestant{"mlp", "mlp", "mlp", Fourier::off, true},
    Contestant{"mlp + Fourier", "mlp + Fourier", "mlp", Fourier::on, true},
    Contestant{"linear", "linear", "linear", Fourier::off, false},
    Contestant{"quadratic", "quadratic", "quadratic", Fourier::off, false},
};
/// The first one leads the page.
inline constexpr std::array demo_domains = {"sawtooth", "growing-periodic", "equivariant"};
inline constexpr size_t demo_train_rows = 1000;

/// Places that curves are drawn at, from end to end of what is asked.
std::vector<double> curve_places(const AnalyticFunction& f);

FitSpec spec_of(const char* domain, const Contestant& contestant, uint64_t seed);

/// Scores of one model, or of the training mean, on one domain, by seed.
struct DemoScores {
  std::string domain, model, shown;
  std::vector<double> in, oos;  ///< RMSE

  void add(const FitScores& scores);
};

/// Of each domain the contestants and the training mean.
std::vector<DemoScores> demo_scores(const JobResults& results, size_t seeds);

}  // namespace kedge
