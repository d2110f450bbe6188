#include <cmath>

#include "kedge/core/format.h"
#include "kedge/coverage/theorem.h"
#include "kedge/trials/cross_validation.h"
#include "kedge/trials/diagnosis.h"
#include "kedge/trials/fit.h"
#include "kedge/trials/variants.h"
#include "tests/numerics/cases.h"
#include "tests/predictor/fitted.h"

namespace kedge {
namespace {

/// The shells of every kind; a new one does not compile.
constexpr bool is_tried(Shell shell) {
  switch (shell) {
    case Shell::around:
    case Shell::low_end:
    case Shell::high_end:
    case Shell::smallest:
    case Shell::largest:
      return true;
  }
  return false;
}
static_assert(is_tried(Shell::around));

/// An input and an output span decades, so that logarithms are tried.
Table wide_table() {
  const Table plain = training_table(60);
  Table table("wide.csv");
  for (Column one : plain.columns()) {
    if (one.name == "x" || one.name == "z")
      for (double& x : one.values) x = std::exp(2 * x);
    table.add(one);
  }
  return table;
}

void append_score(std::vector<double>& numbers, const ModelScore& score) {
  for (const ShellScore& shell : score.shells)
    append(numbers, std::vector<double>{shell.in, shell.out, shell.rank, shell.found, shell.in_absolute,
                                        shell.out_absolute});
  append(numbers,
         std::vector<double>{score.errors.inside, score.errors.inputs, score.errors.outputs,
                             score.options.share, score.options.outward.low, score.options.outward.high,
                             static_cast<double>(score.options.anchors.rule),
                             static_cast<double>(score.options.anchors.count)});
}

void add_scores(BitList& list) {
  const Table table = wide_table();
  const FitOptions base = quick_options("bilinear");
  const CrossValidationOptions options{.models = {"bilinear", "mlp", "ridge", "nearest", "extreme"}};
  const CrossValidation found = cross_validate(table, base, options, {.threads = 1});
  for (const ModelScore& score : found.models) {
    std::vector<double> numbers;
    append_score(numbers, score);
    list.add("scores of " + score.name(), numbers);
  }
  std::vector<double> numbers = {static_cast<double>(found.recommendation.carries)};
  for (const ModelScore& score : found.models)
    numbers.push_back(score.name() == found.recommendation.model ? 1 : 0);
  list.add("recommendation", numbers);
  numbers.clear();
  for (const VariantScore& variant : try_variants(table, found, options, {.threads = 1}))
    append_score(numbers, variant.score);
  list.add("variants", numbers);
}

void add_theorem(BitList& list, const Predictor& predictor) {
  const std::optional<TheoremQuantities> theorem = predictor.theorem();
  std::vector<double> numbers = {theorem->kappa,   theorem->unseen,           theorem->new_together,
                                 theorem->covered, theorem->in_support.kappa, theorem->printed.test_risk};
  for (const OutputTheorem& output : theorem->outputs) {
    append(numbers, output.singular_values);
    append(numbers, std::vector<double>{output.tail, output.sigma_f, output.sigma_g, output.m, output.risk,
                                        output.effective.test_risk, output.clipped.test_risk});
  }
  list.add("theorem", numbers);
}

void add_diagnosis(BitList& list, const Predictor& predictor) {
  const Diagnosis found = diagnose(predictor, training_table(30), {.threads = 1});
  std::vector<double> numbers = found.training_map.values();
  append(numbers, found.query_map.values());
  append(numbers, *found.errors);
  for (const VerdictSummary& verdict : found.verdicts)
    append(numbers, std::vector<double>{static_cast<double>(verdict.count), verdict.support_distance,
                                        verdict.spread, verdict.expected_error, verdict.error});
  append(numbers, std::vector<double>{found.rank_correlation, found.top_share});
  list.add("diagnosis", numbers);
}

}  // namespace

void add_trials(BitList& list) {
  add_scores(list);
  FitOptions options = quick_options("bilinear");
  options.calibration = Calibration::shells;
  const Table table = training_table(50);
  const Predictor predictor = fit({table, options}, {.threads = 1}).predictor;
  add_theorem(list, predictor);
  add_diagnosis(list, predictor);
}

}  // namespace kedge
