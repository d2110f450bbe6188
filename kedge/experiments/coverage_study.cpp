// Ours: each built-in problem is fitted with the default preset and asked from inside the data to three
// data-widths outside of it. A prediction is bad when its error is above twice the root mean square error in
// support.

#include <algorithm>
#include <cmath>

#include "kedge/core/format.h"
#include "kedge/core/score.h"
#include "kedge/domains/analytic/analytic.h"
#include "kedge/experiments/experiments.h"
#include "kedge/jobs/coverage_job.h"

namespace kedge {
namespace {

constexpr double bad_factor = 2;

std::vector<CoverageSpec> studies(const Extent& extent) {
  std::vector<CoverageSpec> all;
  for (const Domain& domain : all_domains()) {
    // Objects that only turn or only grow repeat what the others show.
    if (domain.name.starts_with("grasp-rotation") || domain.name.starts_with("grasp-scale")) continue;
    for (uint64_t seed : seeds_of(extent)) {
      CoverageSpec spec{.fit = {.domain = domain.name,
                                .options = experiment_options(domain.name, "default", "bilinear", seed)}};
      FitOptions& options = spec.fit.options;
      options.calibration = Calibration::shells;
      if (!domain.sample(Split::train, 2, 0).names(Role::label).empty()) options.pairs = PairRule::same_label;
      if (extent.quick) shorten(options);
      all.push_back(std::move(spec));
    }
  }
  return all;
}

const AnalyticFunction* function_of(const std::string& domain) {
  const auto& functions = analytic_functions();
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [&](const AnalyticFunction& f) { return f.name == domain; });
  return found == functions.end() ? nullptr : &*found;
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

void collect(const CoverageSpec& spec, const CoverageAnswers& answers, Collected& to) {
  const auto& [errors, expected, verdicts, x, output_deviation] = answers;
  const double in_support = root_mean_square(std::span(errors).first(spec.inside_rows));
  std::vector<bool> bad;
  for (size_t r = 0; r < errors.size(); ++r) {
    to.score.push_back(expected[r] / output_deviation);
    bad.push_back(errors[r] > bad_factor * in_support);
    const auto verdict = static_cast<size_t>(verdicts[r]);
    to.errors[verdict].push_back(errors[r]);
    if (!std::isfinite(expected[r])) continue;
    to.expected[verdict].push_back(expected[r]);
    to.foreseen[verdict].push_back(errors[r]);
  }
  to.auroc_by_seed.push_back(auroc(expected, bad));
  to.bad.insert(to.bad.end(), bad.begin(), bad.end());
  const AnalyticFunction* function = function_of(spec.fit.domain);
  if (!function) return;
  const double width = function->train_high - function->train_low;
  double first = spec.widths_out;
  for (size_t r = spec.inside_rows; r < errors.size(); ++r) {
    const double out = std::max(function->train_low - x[r], x[r] - function->train_high) / width;
    if (verdicts[r] == Verdict::unreachable) first = std::min(first, out);
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
  size_t failed = 0;
  for (const CoverageSpec& spec : studies(extent)) {
    const std::string& text = results.of(coverage_job(spec));
    if (is_failed(text)) {
      ++failed;
      continue;
    }
    if (problems.empty() || problems.back().domain != spec.fit.domain) {
      problems.push_back({});
      problems.back().domain = spec.fit.domain;
    }
    collect(spec, coverage_answers(text), problems.back());
  }
  result.seeds = seeds_of(extent);
  Together functions{"the five functions"}, chosen_on{"the built-in problems"}, fresh{"the fresh problems"};
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
    (find_domain(p.domain).fresh ? fresh : chosen_on).add(p);
    if (!p.outside_x.empty()) functions.add(p);
    if (!p.outside_x.empty()) {
      Chart chart{.title = p.domain,
                  .x_label = "data-widths outside",
                  .y_label = "log10 of error over the error in support",
                  .width = 360,
                  .height = 260};
      const auto of_one_seed = [&](const std::vector<double>& values) {
        const auto count = static_cast<std::ptrdiff_t>(values.size() / p.first_unreachable.size());
        return std::vector<double>(values.begin(), values.begin() + count);
      };
      chart.series.push_back({.name = "queries",
                              .x = of_one_seed(p.outside_x),
                              .y = of_one_seed(p.outside_ratio),
                              .style = SeriesStyle::points});
      chart.bands.push_back({0, mean(p.first_unreachable), "not unreachable"});
      result.charts.push_back(std::move(chart));
    }
  }
  for (const Together* part : {&functions, &chosen_on, &fresh}) {
    const auto cell = [&](const std::string& row, const Measured& ours) {
      result.cells.push_back({row, "AUROC", "default", "all", {}, ours});
    };
    cell(part->name + " together", {auroc(part->score, part->bad), 0, 1});
    if (!part->own_auroc.empty()) cell("mean of " + part->name, measured(part->own_auroc));
  }
  const CoverageSpec usual;
  result.notes = {
      fmt::format("{} training rows; {} queries in support and {} outside it: of functions up to {:g} "
                  "data-widths out, of other domains their out-of-support rows.",
                  usual.fit.train_rows, usual.inside_rows, usual.outside_rows, usual.widths_out),
      fmt::format("A prediction is bad when its error is above {:g} times the root mean square error in "
                  "support. AUROC is that of expected_error against bad; 0.5 is chance.",
                  bad_factor),
      "The AUROC of several problems together is that of expected_error over the deviation of the training "
      "outputs, which kedge info shows. The mean of several problems is that of their own AUROCs.",
      "Errors are means over all queries of a verdict and all seeds; n counts queries. Charts show the "
      "queries of one seed.",
      "Expected over true is the mean expected error over the mean true error, of the queries for which an "
      "error is expected.",
      "The fresh problems took no part in any choice; thresholds and calibration were chosen on the others."};
  if (failed > 0) result.notes.push_back(fmt::format("{} fits diverged and are left out.", failed));
}

}  // namespace

Experiment coverage_experiment() {
  return {.id = "coverage",
          .title = "Do verdicts and expected errors tell good predictions from bad ones?",
          .jobs =
              [](const Extent& extent) {
                std::vector<Job> jobs;
                for (const CoverageSpec& spec : studies(extent)) jobs.push_back(coverage_job(spec));
                return jobs;
              },
          .assemble = assemble};
}

}  // namespace kedge
