#include "kedge/jobs/coverage_job.h"

#include <algorithm>
#include <limits>

#include "kedge/core/json.h"
#include "kedge/core/rng.h"
#include "kedge/core/score.h"
#include "kedge/domains/analytic/analytic.h"

namespace kedge {
namespace {

/// Rows in support, then rows outside it.
Table queries_of(const CoverageSpec& spec) {
  const Domain& domain = find_domain(spec.fit.domain);
  Table table = domain.sample(Split::in, spec.inside_rows, spec.fit.options.seed);
  const auto& functions = analytic_functions();
  const auto function = std::find_if(functions.begin(), functions.end(),
                                     [&](const AnalyticFunction& f) { return f.name == spec.fit.domain; });
  Table outside = domain.sample(Split::oos, spec.outside_rows, spec.fit.options.seed);
  if (function != functions.end()) {
    Rng rng(spec.fit.options.seed, Stream::domain, 3);
    const double width = function->train_high - function->train_low;
    Column x{.name = "x", .role = Role::input, .values = {}, .words = {}}, y{x};
    y.name = "y";
    y.role = Role::output;
    for (size_t r = 0; r < spec.outside_rows; ++r) {
      const double out = rng.uniform(0, spec.widths_out * width);
      x.values.push_back(r % 2 == 0 ? function->train_high + out : function->train_low - out);
      y.values.push_back(function->value(x.values.back()));
    }
    outside = Table(spec.fit.domain);
    outside.add(std::move(x));
    outside.add(std::move(y));
  }
  Table both(spec.fit.domain);
  for (const Column& column : table.columns()) {
    if (column.role != Role::input && column.role != Role::output) continue;
    Column joined = column;
    const std::vector<double>& more = outside.column(column.name).values;
    joined.values.insert(joined.values.end(), more.begin(), more.end());
    both.add(std::move(joined));
  }
  return both;
}

std::string answer(const Predictor& predictor, const CoverageSpec& spec) {
  const Table queries = queries_of(spec);
  const Predictions p = predictor.predict(queries, {.threads = 1});
  const std::vector<double> errors = distances(p.y, queries.matrix(p.outputs));
  if (!all_finite(errors)) return failed_result("predictions are not finite");
  std::vector<int> verdicts;
  for (Verdict verdict : p.verdict) verdicts.push_back(static_cast<int>(verdict));
  Json json{{"error", errors}, {"verdict", verdicts}, {"x", queries.columns()[0].values}};
  json["expected"] = Json::array();
  for (double expected : p.expected_error) json["expected"].push_back(number_or_null(expected));
  json["output_deviation"] = number_or_null(predictor.coverage().errors.output_scale);
  return json.dump();
}

}  // namespace

Job coverage_job(const CoverageSpec& spec) {
  Fit fit = fit_of(spec.fit);
  const Json key{{"job", "coverage"},
                 {"fit", Json::parse(fit.key)},
                 {"rows", Json::array({spec.inside_rows, spec.outside_rows})},
                 {"widths_out", spec.widths_out}};
  return {.key = key.dump(),
          .fit = std::move(fit),
          .ask = [spec](const Predictor& predictor, const std::function<bool()>&) {
            return answer(predictor, spec);
          }};
}

CoverageAnswers coverage_answers(const std::string& text) {
  const Json json = Json::parse(text);
  CoverageAnswers answers{
      .errors = exactly<std::vector<double>>(json.at("error"), "error"),
      .expected = {},
      .verdicts = {},
      .x = exactly<std::vector<double>>(json.at("x"), "x"),
      .output_deviation = exactly<double>(json.at("output_deviation"), "output_deviation")};
  for (const Json& value : json.at("expected").as_list("expected"))
    answers.expected.push_back(value.is_null() ? std::numeric_limits<double>::infinity()
                                               : exactly<double>(value, "expected"));
  for (int verdict : exactly<std::vector<int>>(json.at("verdict"), "verdict"))
    answers.verdicts.push_back(static_cast<Verdict>(verdict));
  return answers;
}

}  // namespace kedge
