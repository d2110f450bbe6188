#include "cli/fit_words.h"

#include <cmath>

#include "cli/output.h"
#include "cli/prose.h"
#include "kedge/core/format.h"
#include "kedge/core/score.h"

namespace kedge {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

GroupErrors scored(const Matrix<double>& truth, const Matrix<double>& predicted) {
  GroupErrors group{
      .count = truth.rows(), .expected = nothing, .mean = nothing, .rmse = nothing, .r_squared = nothing};
  if (truth.rows() == 0) return group;
  const std::vector<double> errors = distances(predicted, truth);
  group.mean = mean(errors);
  group.rmse = root_mean_square(errors);
  group.r_squared = r_squared(errors, truth);
  return group;
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : ""; }

std::string of_outputs(const FitErrors& fit) {
  return fit.outputs.size() == 1 ? "in " + code(fit.outputs[0])
                                 : fmt::format("over {} outputs", fit.outputs.size());
}

std::string scores_text(const GroupErrors& errors) {
  return fmt::format("(RMSE {}{}; {})", rough(errors.rmse), r_squared_words(errors.r_squared),
                     counted(errors.count, "row", "rows"));
}

/// Whether a constant would do about as well.
bool says_little(const GroupErrors& errors, double output_scale) {
  constexpr double most = 0.8;
  return output_scale > 0 && errors.rmse >= most * output_scale;
}

}  // namespace

GroupErrors errors_of(const RehearsedRows& rows, RehearsedPart part) {
  std::vector<double> truth, predicted, expected;
  size_t count = 0;
  for (size_t r = 0; r < rows.outside.size(); ++r) {
    if (rows.outside[r] != (part == RehearsedPart::outside)) continue;
    ++count;
    truth.insert(truth.end(), rows.truth.row(r).begin(), rows.truth.row(r).end());
    predicted.insert(predicted.end(), rows.predicted.row(r).begin(), rows.predicted.row(r).end());
    if (std::isfinite(rows.expected[r])) expected.push_back(rows.expected[r]);
  }
  const size_t outputs = rows.truth.cols();
  GroupErrors group = scored(Matrix<double>(count, outputs, std::move(truth)),
                             Matrix<double>(count, outputs, std::move(predicted)));
  if (!expected.empty()) group.expected = mean(expected);
  return group;
}

std::string fit_conclusion(const FitErrors& fit) {
  if (fit.rehearsed.empty()) {
    const GroupErrors own = scored(fit.truth, fit.predicted);
    return fmt::format(
        "On its own training rows the model errs by about {} {} {}. Nothing was held out, so nothing "
        "is known of other rows.",
        rough(own.mean), of_outputs(fit), scores_text(own));
  }
  const RehearsedRows& first = fit.rehearsed.front();
  const GroupErrors inside = errors_of(first, RehearsedPart::inside);
  const GroupErrors outside = errors_of(first, RehearsedPart::outside);
  std::string text;
  if (inside.count > 0)
    text = fmt::format("Inside of the training rows a rehearsal of this fit errs by about {} {} {}. ",
                       rough(inside.mean), of_outputs(fit), scores_text(inside));
  if (outside.count > 0)
    text += fmt::format("On {} of the rows, which it did not see, it errs by about {} {}{}.", first.held_out,
                        rough(outside.mean), scores_text(outside),
                        says_little(outside, fit.output_scale)
                            ? fmt::format(": no better than a constant, since the outputs vary by {}",
                                          rough(fit.output_scale))
                            : "");
  return text;
}

TextTable rehearsal_table(const FitErrors& fit) {
  TextTable table{.columns = {{"held out"},
                              {"rows answered"},
                              {"rows", Align::right},
                              {"error", Align::right},
                              {"RMSE", Align::right},
                              {"R²", Align::right},
                              {"expected error", Align::right}}};
  for (const RehearsedRows& rows : fit.rehearsed)
    for (RehearsedPart part : {RehearsedPart::inside, RehearsedPart::outside}) {
      const GroupErrors errors = errors_of(rows, part);
      if (errors.count == 0) continue;
      table.rows.push_back({part == RehearsedPart::inside ? rows.held_out : "",
                            part == RehearsedPart::inside ? "inside" : "outside",
                            std::to_string(errors.count), number(errors.mean), number(errors.rmse),
                            std::isfinite(errors.r_squared) ? fmt::format("{:.3g}", errors.r_squared) : "",
                            number(errors.expected)});
    }
  return table;
}

std::vector<std::string> fit_next_steps(const FitErrors& fit, const std::string& model,
                                        const std::string& train) {
  std::vector<std::string> steps;
  const std::string compare = code(fmt::format("kedge cv {} --target {}", quoted(train),
                                               quoted(fmt::format("{}", fmt::join(fit.outputs, ",")))));
  if (fit.rehearsed.empty()) {
    steps.push_back(
        "Fit with `--calibration shells`, on 20 rows or more, to learn which errors are to be expected.");
  } else if (says_little(errors_of(fit.rehearsed.front(), RehearsedPart::inside), fit.output_scale)) {
    steps.push_back(
        fmt::format("The model hardly fits inside of its rows: look whether the inputs can tell the "
                    "outputs at all, and compare models: {}.",
                    compare));
  } else if (says_little(errors_of(fit.rehearsed.front(), RehearsedPart::outside), fit.output_scale)) {
    steps.push_back(fmt::format("Do not trust it outside of its rows. Compare models there: {}.", compare));
  }
  steps.push_back(
      fmt::format("Ask which of your queries it can answer: {}.",
                  code(fmt::format("kedge diagnose {} queries.csv --html diagnosis.html", quoted(model)))));
  return steps;
}

}  // namespace kedge
