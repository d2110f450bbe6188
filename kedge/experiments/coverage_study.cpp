// Ours: each built-in problem is fitted with the default preset and asked from inside the data to three
// data-widths outside of it. A prediction is bad when its error is above twice the root mean square error in
// support.

#include <cmath>
#include <limits>

#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/rng.h"
#include "kedge/core/score.h"
#include "kedge/domains/analytic/analytic.h"
#include "kedge/experiments/experiments.h"
#include "kedge/experiments/fit_job.h"
#include "kedge/predictor/predictor.h"
#include "kedge/trials/rehearsal.h"

namespace kedge {
namespace {

constexpr size_t train_rows = 1000, inside_rows = 300, outside_rows = 600;
constexpr double widths_out = 3;
constexpr double bad_factor = 2;

struct Study {
  std::string domain;
  uint64_t seed = 0;
  FitOptions options;
};

/// Rows in support, then rows outside it.
Table queries_of(const Study& study) {
  const Domain& domain = find_domain(study.domain);
  Table table = domain.sample(Split::in, inside_rows, study.seed);
  const auto& functions = analytic_functions();
  const auto function = std::find_if(functions.begin(), functions.end(),
                                     [&](const AnalyticFunction& f) { return f.name == study.domain; });
  Table outside = domain.sample(Split::oos, outside_rows, study.seed);
  if (function != functions.end()) {
    Rng rng(study.seed, Stream::domain, 3);
    const double width = function->train_high - function->train_low;
    Column x{.name = "x", .role = Role::input, .values = {}, .words = {}}, y{x};
    y.name = "y";
    y.role = Role::output;
    for (size_t r = 0; r < outside_rows; ++r) {
      const double out = rng.uniform(0, widths_out * width);
      x.values.push_back(r % 2 == 0 ? function->train_high + out : function->train_low - out);
      y.values.push_back(function->value(x.values.back()));
    }
    outside = Table(study.domain);
    outside.add(std::move(x));
    outside.add(std::move(y));
  }
  Table both(study.domain);
  for (const Column& column : table.columns()) {
    if (column.role != Role::input && column.role != Role::output) continue;
    Column joined = column;
    const std::vector<double>& more = outside.column(column.name).values;
    joined.values.insert(joined.values.end(), more.begin(), more.end());
    both.add(std::move(joined));
  }
  return both;
}

std::string answers_json(const Study& study, const Predictor& predictor) {
  const Table queries = queries_of(study);
  const Predictions p = predictor.predict(queries, {.threads = 1});
  const Matrix<double> truth = queries.matrix(p.outputs);
  std::vector<int> verdicts;
  for (Verdict verdict : p.verdict) verdicts.push_back(static_cast<int>(verdict));
  return Json{
      {"error", distances(p.y, truth)},         {"expected", p.expected_error},       {"verdict", verdicts},
      {"support_distance", p.support_distance}, {"delta_distance", p.delta_distance}, {"spread", p.spread},
      {"x", queries.columns()[0].values}}
      .dump();
}

Table training_rows(const Study& study) {
  return find_domain(study.domain).sample(Split::train, train_rows, study.seed);
}

Job job_of(const Study& study) {
  const Json key{{"experiment", "coverage"},
                 {"domain", study.domain},
                 {"rows", Json::array({train_rows, inside_rows, outside_rows})},
                 {"seed", study.seed},
                 {"widths_out", widths_out},
                 {"options", Json::parse(to_json(study.options))},
                 {"rehearsals", "choose for themselves"},
                 {"version", version()}};
  return {
      .key = key.dump(),
      .fit = FitJob{.source =
                        [study] {
                          return FitJob::Source{training_rows(study), study.options};
                        },
                    .ask = [study](const Predictor& predictor) { return answers_json(study, predictor); }}};
}

std::vector<Study> studies(const Extent& extent) {
  std::vector<Study> all;
  for (const Domain& domain : all_domains()) {
    // Objects that only turn or only grow repeat what the others show.
    if (domain.name.starts_with("grasp-rotation") || domain.name.starts_with("grasp-scale")) continue;
    for (uint64_t seed : seeds_of(extent)) {
      FitOptions options = experiment_options(domain.name, "default", "bilinear", seed);
      options.calibration = Calibration::shells;
      if (!domain.sample(Split::train, 2, 0).names(Role::label).empty()) options.pairs = PairRule::same_label;
      if (extent.quick) shorten(options);
      all.push_back({domain.name, seed, options});
    }
  }
  return all;
}

/// All queries of one problem, over its seeds.
struct Collected {
  std::string domain;
  std::vector<double> auroc_by_seed;
  std::vector<double> score;  // expected error over the deviation of the training outputs
  std::vector<bool> bad;
  std::vector<double> errors[all_verdicts.size()];
  // Where an error is expected at all: it, and the true one.
  std::vector<double> expected[all_verdicts.size()], foreseen[all_verdicts.size()];
  std::vector<double> outside_x, outside_ratio, first_unreachable;
};

void collect(const Study& study, const Json& json, Collected& to) {
  const auto errors = exactly<std::vector<double>>(json.at("error"), "error");
  // Null where nothing is known, which is as bad as can be.
  std::vector<double> expected;
  for (const Json& value : json.at("expected").as_list("expected"))
    expected.push_back(value.is_null() ? std::numeric_limits<double>::infinity()
                                       : exactly<double>(value, "expected"));
  const auto verdicts = exactly<std::vector<int>>(json.at("verdict"), "verdict");
  const double in_support = root_mean_square(std::span(errors).first(inside_rows));
  const double deviation = output_scale(training_rows(study));
  std::vector<bool> bad;
  for (size_t r = 0; r < errors.size(); ++r) {
    to.score.push_back(expected[r] / deviation);
    bad.push_back(errors[r] > bad_factor * in_support);
    const auto verdict = static_cast<size_t>(verdicts[r]);
    to.errors[verdict].push_back(errors[r]);
    if (!std::isfinite(expected[r])) continue;
    to.expected[verdict].push_back(expected[r]);
    to.foreseen[verdict].push_back(errors[r]);
  }
  to.auroc_by_seed.push_back(auroc(expected, bad));
  to.bad.insert(to.bad.end(), bad.begin(), bad.end());
  const auto& functions = analytic_functions();
  const auto function = std::find_if(functions.begin(), functions.end(),
                                     [&](const AnalyticFunction& f) { return f.name == study.domain; });
  if (function == functions.end()) return;
  const auto x = exactly<std::vector<double>>(json.at("x"), "x");
  const double width = function->train_high - function->train_low;
  double first = widths_out;
  for (size_t r = inside_rows; r < errors.size(); ++r) {
    const double out = std::max(function->train_low - x[r], x[r] - function->train_high) / width;
    if (verdicts[r] == static_cast<int>(Verdict::unreachable)) first = std::min(first, out);
    to.outside_x.push_back(out);
    to.outside_ratio.push_back(std::log10(std::max(errors[r], 1e-3 * in_support) / in_support));
  }
  to.first_unreachable.push_back(first);
}

/// Queries of several problems.
struct Together {
  std::string name;
  std::vector<double> score = {};
  std::vector<bool> bad = {};
  std::vector<double> own_auroc = {};  // of the problems that have bad predictions and good ones

  void add(const Collected& problem) {
    score.insert(score.end(), problem.score.begin(), problem.score.end());
    bad.insert(bad.end(), problem.bad.begin(), problem.bad.end());
    if (const double own = mean(problem.auroc_by_seed); !std::isnan(own)) own_auroc.push_back(own);
  }
};

void assemble(const Extent& extent, const JobResults& results, Result& result) {
  std::vector<Collected> problems;
  for (const Study& study : studies(extent)) {
    if (problems.empty() || problems.back().domain != study.domain) {
      problems.push_back({});
      problems.back().domain = study.domain;
    }
    collect(study, Json::parse(results.of(job_of(study))), problems.back());
  }
  result.seeds = seeds_of(extent);
  Together all{"all problems"}, functions{"the five functions"};
  for (const Collected& p : problems) {
    const auto cell = [&](const std::string& column, const std::string& split, const Measured& ours) {
      result.cells.push_back({p.domain, column, "default", split, {}, ours});
    };
    cell("AUROC", "all", measured(p.auroc_by_seed));
    for (Verdict verdict : all_verdicts) {
      const auto& errors = p.errors[static_cast<size_t>(verdict)];
      if (errors.empty()) continue;
      cell("true error", to_text(verdict), measured(errors));
      const auto& expected = p.expected[static_cast<size_t>(verdict)];
      if (expected.empty()) continue;
      cell("expected error", to_text(verdict), measured(expected));
      cell("expected over true", to_text(verdict),
           {mean(expected) / mean(p.foreseen[static_cast<size_t>(verdict)]), 0, expected.size()});
    }
    if (!p.first_unreachable.empty())
      cell("first unreachable, widths out", "oos", measured(p.first_unreachable));
    all.add(p);
    if (!p.outside_x.empty()) functions.add(p);
    if (!p.outside_x.empty()) {
      Chart chart{.title = p.domain,
                  .x_label = "data-widths outside",
                  .y_label = "log10 of error over the error in support",
                  .width = 360,
                  .height = 260};
      chart.series.push_back(
          {.name = "queries", .x = p.outside_x, .y = p.outside_ratio, .style = SeriesStyle::points});
      chart.bands.push_back({0, mean(p.first_unreachable), "not unreachable"});
      result.charts.push_back(std::move(chart));
    }
  }
  for (const Together* part : {&functions, &all}) {
    const auto cell = [&](const std::string& row, const Measured& ours) {
      result.cells.push_back({row, "AUROC", "default", "all", {}, ours});
    };
    cell(part->name + " together", {auroc(part->score, part->bad), 0, 1});
    if (!part->own_auroc.empty()) cell("mean of " + part->name, measured(part->own_auroc));
  }
  result.notes = {
      fmt::format("{} training rows; {} queries in support and {} outside it: of functions up to {:g} "
                  "data-widths out, of other domains their out-of-support rows.",
                  train_rows, inside_rows, outside_rows, widths_out),
      fmt::format("A prediction is bad when its error is above {:g} times the root mean square error in "
                  "support. AUROC is that of expected_error against bad; 0.5 is chance.",
                  bad_factor),
      "The AUROC of several problems together is that of expected_error over the deviation of the training "
      "outputs, which kedge info shows. The mean of several problems is that of their own AUROCs.",
      "Errors are means over all queries of a verdict and all seeds; n counts queries.",
      "Expected over true is the mean expected error over the mean true error, of the queries for which an "
      "error is expected."};
}

}  // namespace

Experiment coverage_experiment() {
  return {.id = "coverage",
          .title = "Do verdicts and expected errors tell good predictions from bad ones?",
          .jobs =
              [](const Extent& extent) {
                std::vector<Job> jobs;
                for (const Study& study : studies(extent)) jobs.push_back(job_of(study));
                return jobs;
              },
          .assemble = assemble};
}

}  // namespace kedge
