#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/score.h"
#include "kedge/domains/analytic/analytic.h"
#include "kedge/domains/domain.h"
#include "kedge/jobs/build.h"
#include "kedge/jobs/fit_job.h"
#include "kedge/jobs/machine.h"
#include "kedge/predictor/predictor.h"
#include "kedge/report/page.h"
#include "kedge/report/text.h"

namespace kedge {
namespace {

// What the demo runs. Every contestant takes the options of the default preset but for the Fourier layer.
struct Contestant {
  const char* name;
  const char* shown;  ///< as pages and tables call it
  const char* model;
  Fourier fourier;
  bool drawn;  ///< in the charts, beside the truth, for the first seed
};
constexpr std::array contestants = {
    Contestant{"bilinear", "kedge (bilinear transduction)", "bilinear", Fourier::automatic, true},
    Contestant{"concat", "concat", "concat", Fourier::automatic, false},
    Contestant{"mlp", "mlp", "mlp", Fourier::off, true},
    Contestant{"mlp + Fourier", "mlp + Fourier", "mlp", Fourier::on, true},
    Contestant{"linear", "linear", "linear", Fourier::off, false},
    Contestant{"quadratic", "quadratic", "quadratic", Fourier::off, false},
};
constexpr std::array domain_names = {"sawtooth", "growing-periodic", "equivariant"};
constexpr size_t train_rows = 1000, test_rows = 500, curve_points = 500;

struct DemoFlags {
  std::string output;
  std::string figures;
  size_t seeds = 3;
  bool json = false;
};

/// Places that curves are drawn at, from end to end of what is asked.
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
               .train_rows = train_rows,
               .test_rows = test_rows};
  spec.options.architecture.fourier = contestant.fourier;
  if (contestant.drawn && seed == 0) spec.grid = curve_places(find_function(domain));
  return spec;
}

/// Every fit of the demo and what it gave.
JobResults run_fits(size_t seeds) {
  std::vector<FitSpec> specs;
  for (const Contestant& contestant : contestants)
    for (const char* domain : domain_names)
      for (uint64_t seed = 0; seed < seeds; ++seed) specs.push_back(spec_of(domain, contestant, seed));
  const std::vector<Job> jobs = fit_jobs(specs);
  const Interrupt interrupt;
  ProgressBar bar("demo", jobs.size());
  const JobWatch watch{
      .progress = [&](size_t done, size_t) { bar.update(done, std::numeric_limits<double>::quiet_NaN()); },
      .stopped = [&] { return interrupt.requested(); }};
  try {
    const JobResults results(jobs, run_jobs(jobs, "", 0, watch));
    bar.clear();
    return results;
  } catch (const Error&) {
    if (!interrupt.requested()) throw;
    bar.clear();
    throw Error("demo", "stopped before the end; nothing was written");
  }
}

/// Scores of one model, or of the training mean, on one domain, by seed.
struct Scores {
  std::string domain, model, shown;
  std::vector<double> in, oos;  // RMSE

  void add(const FitScores& scores) {
    in.push_back(root_mean_square(scores.in));
    oos.push_back(root_mean_square(scores.oos));
  }
};

std::vector<Scores> all_scores(const JobResults& results, size_t seeds) {
  std::vector<Scores> all;
  for (const char* domain : domain_names) {
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

std::string score_text(const std::vector<double>& scores) {
  if (scores.size() == 1) return rounded(scores[0], 3);
  return rounded(mean(scores), 3) + " ± " + rounded(deviation(scores), 3);
}

TextTable table_of(const std::vector<Scores>& all) {
  TextTable table{
      .columns = {
          {"domain"}, {"model"}, {"in-support RMSE", Align::right}, {"out-of-support RMSE", Align::right}}};
  std::string domain;
  for (const Scores& scores : all) {
    const bool best = std::none_of(all.begin(), all.end(), [&](const Scores& other) {
      return other.domain == scores.domain && mean(other.oos) < mean(scores.oos);
    });
    const Emphasis emphasis = best ? Emphasis::strong : Emphasis::none;
    table.rows.push_back({scores.domain == domain ? "" : scores.domain,
                          {scores.shown, emphasis},
                          score_text(scores.in),
                          {score_text(scores.oos), emphasis}});
    domain = scores.domain;
  }
  return table;
}

/// The truth and the drawn models over the input, from the first seed.
Chart chart_of(const char* domain, const JobResults& results) {
  const AnalyticFunction& f = find_function(domain);
  const std::vector<double> places = curve_places(f);
  Series truth{.name = "truth", .x = places, .color = "currentColor", .style = SeriesStyle::dashes};
  for (double x : places) truth.y.push_back(f.value(x));
  const auto [low, high] = std::minmax_element(truth.y.begin(), truth.y.end());
  const double margin = 0.25 * (*high - *low);
  const std::pair y_range{*low - margin, *high + margin};
  Chart chart{.x_label = "x",
              .y_label = "y",
              .series = {},
              .bands = {{f.train_low, f.train_high, "training range"}},
              .y_range = y_range,
              .width = 900};
  for (const Contestant& contestant : contestants)
    if (contestant.drawn)
      chart.series.push_back({.name = contestant.shown,
                              .x = places,
                              .y = scores_of(spec_of(domain, contestant, 0), results).grid});
  chart.series.push_back(std::move(truth));
  return chart;
}

std::string command_of(const DemoFlags& flags) { return fmt::format("kedge demo --seeds {}", flags.seeds); }

/// What the first picture shows, in numbers.
std::string conclusion_of(const std::vector<Scores>& all) {
  const auto error_of = [&](std::string_view model) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Scores& scores) {
      return scores.domain == domain_names[0] && scores.model == model;
    });
    return rounded(mean(found->oos), 3);
  };
  return fmt::format(
      "Outside of its training rows kedge follows the {} with an error (RMSE) of {}; a plain "
      "network of the same size has {}.",
      domain_names[0], error_of("bilinear"), error_of("mlp"));
}

Page page_of(const JobResults& results, const std::vector<Scores>& scores, const DemoFlags& flags) {
  Page page{.title = "kedge: prediction beyond the data",
            .conclusion = conclusion_of(scores),
            .sections = {},
            .provenance = {.command = command_of(flags), .version = version(), .machine = machine()}};
  for (uint64_t seed = 0; seed < flags.seeds; ++seed) page.provenance.seeds.push_back(seed);
  const auto figure_of = [&](const char* domain) {
    return Figure{{chart_of(domain, results)}, find_domain(domain).title + " Seed 0."};
  };
  page.sections.push_back({"", {figure_of(domain_names[0])}});
  page.sections.push_back(
      {"Errors",
       {Paragraph{fmt::format("Each model saw {} rows of the shaded range and then answered for rows inside "
                              "and outside of it. Errors are {}.",
                              train_rows,
                              flags.seeds == 1
                                  ? "those of one seed"
                                  : fmt::format("means and deviations over {} seeds", flags.seeds))},
        table_of(scores)}});
  for (size_t d = 1; d < domain_names.size(); ++d)
    page.sections.push_back({domain_names[d], {figure_of(domain_names[d])}});
  return page;
}

Json to_json(const std::vector<Scores>& all, const DemoFlags& flags, double seconds) {
  Json entries = Json::array();
  const auto scores = [](const std::vector<double>& values) {
    return Json{{"mean", mean(values)}, {"sd", deviation(values)}, {"by_seed", values}};
  };
  for (const Scores& one : all)
    entries.push_back({{"domain", one.domain},
                       {"model", one.model},
                       {"in_rmse", scores(one.in)},
                       {"oos_rmse", scores(one.oos)}});
  Json seeds = Json::array();
  for (uint64_t seed = 0; seed < flags.seeds; ++seed) seeds.push_back(seed);
  Json json{{"command", command_of(flags)}, {"version", version()}, {"machine", machine()},
            {"build", to_text(build())},    {"seeds", seeds},       {"seconds", seconds},
            {"results", std::move(entries)}};
  json["file"] = flags.output.empty() ? Json() : Json(flags.output);
  return json;
}

void run(const DemoFlags& flags) {
  const auto start = std::chrono::steady_clock::now();
  check_output(flags.output, {});
  if (!flags.figures.empty()) {
    std::error_code failed;
    std::filesystem::create_directories(flags.figures, failed);
    if (failed)
      throw Error("demo", fmt::format("--figures needs a directory; {} cannot be made: {}", flags.figures,
                                      failed.message()));
  }
  const JobResults results = run_fits(flags.seeds);
  const std::vector<Scores> scores = all_scores(results, flags.seeds);
  if (!flags.output.empty())
    write_result(flags.output, [&](std::ostream& out) { out << to_html(page_of(results, scores, flags)); });
  if (!flags.figures.empty()) {
    for (const char* domain : domain_names)
      write_result(fmt::format("{}/{}.svg", flags.figures, domain),
                   [&](std::ostream& out) { out << to_svg(chart_of(domain, results)); });
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (flags.json) return print(to_json(scores, flags, taken.count()).dump(JsonText::replaced) + "\n");
  print_table(table_of(scores));
  print(fmt::format("\n{} fits in {:.0f} s; {}\n", contestants.size() * domain_names.size() * flags.seeds,
                    taken.count(),
                    flags.output.empty() ? "-o FILE.html draws the curves" : "curves in " + flags.output));
}

}  // namespace

void add_demo(const Command& app) {
  const auto flags = std::make_shared<DemoFlags>();
  const Command sub = app.add_subcommand("demo", "See it work on built-in problems, beside baselines");
  sub.footer(
      "Fits six models on three functions whose shape repeats, and measures them where\n"
      "there was no training data. Takes one or two minutes.\n"
      "\n"
      "Example:\n  kedge demo -o demo.html");
  sub.add_option("-o,--output", flags->output, "HTML page to write: the same table, and the curves")
      .type_name("FILE");
  sub.add_option("--figures", flags->figures, "Directory to write each chart into as an SVG file")
      .type_name("DIR");
  sub.add_option("--seeds", flags->seeds, "How often each fit is repeated, with other rows (default: 3)")
      .type_name("N")
      .check(whole_number(1, 100));
  sub.add_flag("--json", flags->json, "Print one JSON object instead of the table");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
