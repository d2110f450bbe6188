#include "cli/theorem_info.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kedge/core/format.h"

namespace kedge {
namespace {

// The output whose bound is weakest: what holds for it holds for all.
const OutputTheorem& weakest(const TheoremQuantities& theorem) {
  return *std::max_element(theorem.outputs.begin(), theorem.outputs.end(),
                           [](const OutputTheorem& a, const OutputTheorem& b) {
                             if (a.effective.premise != b.effective.premise) return a.effective.premise;
                             return a.effective.test_risk < b.effective.test_risk;
                           });
}

std::string of_weakest(const TheoremQuantities& theorem) {
  return theorem.outputs.size() > 1 ? " (the weakest output)" : "";
}

std::string worth(double test_risk, const OutputTheorem& output) {
  return test_risk < output.m * output.m ? "" : ": more than the outputs themselves, so no help";
}

std::string bound_text(const TheoremQuantities& theorem) {
  const OutputTheorem& output = weakest(theorem);
  const TheoremBound& bound = output.effective;
  const std::string of = of_weakest(theorem);
  if (output.rank == 0)
    return fmt::format("the bound says nothing here: the training error hides the product{}", of);
  if (std::isinf(theorem.kappa)) return "the bound says nothing here: kappa is infinite";
  if (!bound.premise)
    return fmt::format(
        "premise does not hold: the bound says nothing here (risk {:.2g}, at most {:.2g} needed){}",
        bound.risk, bound.sigma_squared / (4 * theorem.kappa), of);
  return fmt::format("risk {:.2g} in training, at most {:.2g} where it holds{}{}", bound.risk,
                     bound.test_risk, worth(bound.test_risk, output), of);
}

std::string in_support_text(const TheoremQuantities& theorem) {
  const OutputTheorem& output = *std::max_element(
      theorem.outputs.begin(), theorem.outputs.end(),
      [](const OutputTheorem& a, const OutputTheorem& b) { return a.in_support < b.in_support; });
  return fmt::format(
      "risk at most {:.2g} in the {:.0f} % of combinations seen together (plain kappa {:.3g}){}{}",
      output.in_support, 100 * theorem.in_support.covered, theorem.in_support.kappa,
      worth(output.in_support, output), of_weakest(theorem));
}

std::string clipped_text(const TheoremQuantities& theorem) {
  const OutputTheorem& output = *std::max_element(theorem.outputs.begin(), theorem.outputs.end(),
                                                  [](const OutputTheorem& a, const OutputTheorem& b) {
                                                    return a.clipped.test_risk < b.clipped.test_risk;
                                                  });
  const ClippedBound& clipped = output.clipped;
  return fmt::format(
      "risk at most {:.2g} with the product clipped at {:.3g}, which changes {} of {} in training{}{}",
      clipped.test_risk, clipped.limit, clipped.changed, theorem.pairs, worth(clipped.test_risk, output),
      of_weakest(theorem));
}

bool premise_holds(const TheoremQuantities& theorem) {
  return std::isfinite(theorem.kappa) && weakest(theorem).rank > 0 && weakest(theorem).effective.premise;
}

std::optional<TheoremQuantities> theorem_to_tell(const Predictor& predictor, TellTheorem tell) {
  std::optional<TheoremQuantities> theorem = predictor.theorem();
  if (theorem && tell == TellTheorem::where_it_holds && !premise_holds(*theorem)) theorem.reset();
  return theorem;
}

Json bound_json(const TheoremBound& bound) {
  return {{"p", bound.p},
          {"m", bound.m},
          {"sigma_squared", bound.sigma_squared},
          {"risk", bound.risk},
          {"test_risk", bound.test_risk},
          {"premise", bound.premise}};
}

}  // namespace

std::string why_no_theorem(const Predictor& predictor) {
  const std::string reason = predictor.why_no_theorem();
  return reason.empty() ? fmt::format("model {} is no product of two embeddings", predictor.options().model)
                        : reason;
}

void add_theorem(const Predictor& predictor, TellTheorem tell,
                 std::vector<std::pair<std::string, std::string>>& facts) {
  const std::optional<TheoremQuantities> theorem = theorem_to_tell(predictor, tell);
  if (!theorem && tell == TellTheorem::always)
    facts.emplace_back("theorem", "not computed: " + why_no_theorem(predictor));
  if (!theorem) return;
  size_t least = SIZE_MAX, most = 0;
  for (const OutputTheorem& output : theorem->outputs) {
    least = std::min(least, output.rank);
    most = std::max(most, output.rank);
  }
  const std::string rank = least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
  facts.emplace_back("rank", fmt::format("{} of {}, counting what stands above the training error", rank,
                                         theorem->outputs[0].embedding));
  facts.emplace_back("covered",
                     fmt::format("{:.0f} % of the combinations of what f and g have seen, {:.0f} % of them "
                                 "never seen together (kappa {:.3g})",
                                 100 * theorem->covered, 100 * theorem->new_together, theorem->kappa));
  facts.emplace_back("theorem", bound_text(*theorem));
  facts.emplace_back("in support", in_support_text(*theorem));
  facts.emplace_back("clipped", clipped_text(*theorem));
}

Json theorem_json(const Predictor& predictor, TellTheorem tell) {
  const std::optional<TheoremQuantities> theorem = theorem_to_tell(predictor, tell);
  if (!theorem) return nullptr;
  Json outputs = Json::array();
  for (size_t k = 0; k < theorem->outputs.size(); ++k) {
    const OutputTheorem& output = theorem->outputs[k];
    outputs.push_back({{"output", predictor.outputs()[k]},
                       {"rank", output.rank},
                       {"embedding", output.embedding},
                       {"singular_values", output.singular_values},
                       {"tail", output.tail},
                       {"sigma_f", output.sigma_f},
                       {"sigma_g", output.sigma_g},
                       {"m", output.m},
                       {"supremum", output.supremum},
                       {"risk", output.risk},
                       {"in_support", output.in_support},
                       {"full", bound_json(output.full)},
                       {"effective", bound_json(output.effective)},
                       {"clipped",
                        {{"m", output.clipped.m},
                         {"limit", output.clipped.limit},
                         {"changed", output.clipped.changed},
                         {"test_risk", output.clipped.test_risk}}}});
  }
  return {{"pairs", theorem->pairs},
          {"kappa", theorem->kappa},
          {"covered", theorem->covered},
          {"new_together", theorem->new_together},
          {"in_support", {{"kappa", theorem->in_support.kappa}, {"covered", theorem->in_support.covered}}},
          {"printed", bound_json(theorem->printed)},
          {"printed_follows", theorem->printed_follows},
          {"outputs", outputs}};
}

}  // namespace kedge
