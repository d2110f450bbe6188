#include <algorithm>
#include <cmath>

#include "kedge/core/format.h"
#include "kedge/trials/cross_validation.h"

namespace kedge {
namespace {

// Models this close to the best, as a factor or in deviations of the outputs, are as good as it.
constexpr double as_good = 1.02, negligible = 0.0001;

// A shell is less far out than the questions that follow, and a network without structure falls behind with
// the distance. So it has to be better by this factor.
constexpr double unstructured_handicap = 1.25;

double judged(const ModelScore& score, Beyond beyond) {
  TrialErrors errors = score.errors;
  if (find_model(score.model()).is_unstructured) errors.inputs *= unstructured_handicap;
  return std::exp(weighed(errors, beyond));
}

/// Whether a model can be taken. A constant is near many outputs beyond all others, but puts none in order.
bool counts(const ModelScore& score, Beyond beyond) {
  return std::isfinite(score.out.mean) &&
         (beyond != Beyond::outputs || find_model(score.model()).solver != Solver::extreme);
}

/// A base makes a model one step less simple.
int complexity_of(const ModelScore& score) {
  return 2 * find_model(score.model()).complexity + (score.options.base.empty() ? 0 : 1);
}

bool explains(const ModelScore& score, const CarryThresholds& t) { return !(score.in.mean > t.inside); }

bool stays_small(const ModelScore& score, const CarryThresholds& t) {
  return score.out.mean <= std::min(t.most, t.small);
}

bool stays_alike(const ModelScore& score, const CarryThresholds& t) {
  return score.out.mean <= t.most && score.out.mean <= t.growth * score.in.mean;
}

std::string beyond_words(const ModelScore& best) {
  return fmt::format("errs by {:.2g} of the outputs' deviation on held-out outer rows", best.out.mean);
}

std::string inside_words(const ModelScore& best) {
  return std::isnan(best.in.mean) ? "" : fmt::format(", by {:.2g} inside", best.in.mean);
}

/// What shells of outputs told; empty where there were none.
std::string outputs_words(const ModelScore& best) {
  if (std::isnan(best.beyond.mean)) return "";
  return fmt::format(
      " Of rows whose outputs were beyond all others it errs by {:.2g}{}.", best.beyond.mean,
      std::isnan(best.found.mean) ? "" : fmt::format(" and finds {:.0f} % of them", 100 * best.found.mean));
}

std::string over_reason(const ModelScore& best, const CarryThresholds& thresholds) {
  const std::string start =
      fmt::format("{} carries over beyond the data: it {}", best.name(), beyond_words(best));
  if (stays_small(best, thresholds)) return start + inside_words(best) + ".";
  return fmt::format("{}, {} inside ({:.2g}).", start,
                     best.out.mean > best.in.mean ? "little more than" : "no more than", best.in.mean);
}

std::string not_over_reason(const ModelScore& best) {
  const std::string model = best.name(), beyond = beyond_words(best), inside = inside_words(best);
  const std::string words =
      model == "extreme"   ? "none does better than a constant, the most extreme output, which " + beyond
      : model == "nearest" ? "none does better than the output of the nearest row, which " + beyond + inside
                           : fmt::format("even {}, as good as any here, {}{}", model, beyond, inside);
  return fmt::format(
      "no model carries over beyond the data: {}. Do not rely on predictions outside the range of this "
      "table.",
      words);
}

std::string unexplained_reason(const ModelScore& least) {
  return fmt::format(
      "no model explains this table, even inside: the best there, {}, errs by {:.2g} of the outputs' "
      "deviation on rows among the others, where their mean would err by 1. The inputs may not decide the "
      "outputs, or the noise is large.",
      least.name(), least.in.mean);
}

}  // namespace

Carries carries(const ModelScore& score, const CarryThresholds& thresholds) {
  if (!std::isfinite(score.out.mean)) return Carries::unknown;
  if (!explains(score, thresholds)) return Carries::unexplained;
  return stays_small(score, thresholds) || stays_alike(score, thresholds) ? Carries::over : Carries::not_over;
}

Recommendation recommend(const std::vector<ModelScore>& scores, Beyond beyond,
                         const CarryThresholds& thresholds) {
  const ModelScore* best = nullptr;
  for (const ModelScore& score : scores)
    if (counts(score, beyond) && (!best || judged(score, beyond) < judged(*best, beyond))) best = &score;
  if (!best) return {.carries = Carries::unknown, .reason = "no model could be scored"};
  const double bar = std::max(as_good * judged(*best, beyond), judged(*best, beyond) + negligible);
  for (const ModelScore& score : scores)
    if (counts(score, beyond) && judged(score, beyond) <= bar && complexity_of(score) < complexity_of(*best))
      best = &score;
  Recommendation found{.carries = carries(*best, thresholds), .model = best->name()};
  if (found.carries == Carries::over) {
    found.reason = over_reason(*best, thresholds) + outputs_words(*best);
    return found;
  }
  const ModelScore* least = best;
  for (const ModelScore& score : scores)
    if (std::isfinite(score.out.mean) && score.in.mean < least->in.mean) least = &score;
  found.carries = explains(*least, thresholds) ? Carries::not_over : Carries::unexplained;
  found.reason = found.carries == Carries::not_over ? not_over_reason(*best) + outputs_words(*best)
                                                    : unexplained_reason(*least);
  return found;
}

}  // namespace kedge
