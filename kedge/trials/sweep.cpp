#include "kedge/trials/sweep.h"

#include <cmath>

#include "kedge/core/format.h"
#include "kedge/core/score.h"

namespace kedge {
namespace {

/// Of what is a number.
Estimate estimate(const std::vector<double>& values) {
  std::vector<double> known;
  for (double value : values)
    if (!std::isnan(value)) known.push_back(value);
  if (known.empty()) return {};
  return {mean(known), deviation(known)};
}

template <class Number>
Estimate over_seeds(const std::vector<ModelScore>& by_seed, const Number& number) {
  std::vector<double> values;
  for (const ModelScore& score : by_seed) values.push_back(number(score));
  return estimate(values);
}

/// The mean over seeds of what the fit is judged by without this shell; NaN where that is nothing.
double score_without(const SweepScore& score, Shell shell, Beyond beyond) {
  return over_seeds(score.by_seed,
                    [&](const ModelScore& seed) {
                      std::vector<ShellScore> others;
                      for (const ShellScore& one : seed.shells)
                        if (one.shell != shell) others.push_back(one);
                      return weighed(errors_of(others), beyond);
                    })
      .mean;
}

std::optional<size_t> best_without(std::span<const SweepScore> scores, Shell shell, Beyond beyond) {
  std::optional<size_t> best;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < scores.size(); ++i) {
    if (!scores[i].failure.empty()) continue;
    const double score = score_without(scores[i], shell, beyond);
    if (!(score < least)) continue;
    least = score;
    best = i;
  }
  return best;
}

}  // namespace

SweepScore sweep_score(std::string name, std::vector<ModelScore> by_seed, Beyond beyond) {
  SweepScore score{.name = std::move(name), .by_seed = std::move(by_seed)};
  for (const ModelScore& seed : score.by_seed)
    if (!seed.failure.empty()) {
      score.failure = fmt::format("seed {}: {}", seed.options.seed, seed.failure);
      return score;
    }
  score.in = over_seeds(score.by_seed, [](const ModelScore& seed) { return seed.in.mean; });
  score.out = over_seeds(score.by_seed, [](const ModelScore& seed) { return seed.out.mean; });
  score.beyond = over_seeds(score.by_seed, [](const ModelScore& seed) { return seed.beyond.mean; });
  score.score =
      over_seeds(score.by_seed, [&](const ModelScore& seed) { return weighed(seed.errors, beyond); });
  return score;
}

std::optional<size_t> best_of(std::span<const SweepScore> scores) {
  std::optional<size_t> best;
  for (size_t i = 0; i < scores.size(); ++i)
    if (scores[i].failure.empty() && (!best || scores[i].score.mean < scores[*best].score.mean)) best = i;
  return best;
}

ChosenElsewhere chosen_elsewhere(std::span<const SweepScore> scores, Beyond beyond) {
  ChosenElsewhere found;
  const std::optional<size_t> best = best_of(scores);
  if (!best) return found;
  const std::vector<ModelScore>& seeds = scores[*best].by_seed;
  for (const ShellScore& shell : seeds.front().shells)
    if (const auto chosen = best_without(scores, shell.shell, beyond))
      found.choices.push_back({shell.shell, *chosen});
  // As a model whose shells are those of the fits that were chosen for them.
  std::vector<ModelScore> judged;
  for (size_t s = 0; s < seeds.size(); ++s) {
    ModelScore seed;
    for (const ChosenElsewhere::Choice& choice : found.choices)
      for (const ShellScore& one : scores[choice.chosen].by_seed[s].shells)
        if (one.shell == choice.shell) seed.shells.push_back(one);
    summarize(seed);
    judged.push_back(std::move(seed));
  }
  found.score = sweep_score("chosen on other shells", std::move(judged), beyond);
  return found;
}

std::optional<size_t> simple_instead(std::span<const SweepScore> simple, const Estimate& grid) {
  const std::optional<size_t> best = best_of(simple);
  if (!best || !(simple[*best].score.mean <= grid.mean + grid.deviation)) return std::nullopt;
  return best;
}

}  // namespace kedge
