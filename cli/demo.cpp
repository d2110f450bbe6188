#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/parallel.h"
#include "kedge/core/score.h"
#include "kedge/domains/domain.h"
#include "kedge/experiments/machine.h"
#include "kedge/predictor/predictor.h"
#include "kedge/report/page.h"

namespace kedge {
namespace {

// What the demo runs. Every contestant takes the options of the default preset but for the Fourier layer.
struct Contestant {
  const char* name;
  const char* model;
  Fourier fourier;
  bool drawn;  ///< in the charts, beside the truth, for the first seed
};
constexpr std::array contestants = {
    Contestant{"bilinear", "bilinear", Fourier::automatic, true},
    Contestant{"concat", "concat", Fourier::automatic, false},
    Contestant{"mlp", "mlp", Fourier::off, true},
    Contestant{"mlp + Fourier", "mlp", Fourier::on, true},
    Contestant{"linear", "linear", Fourier::off, false},
    Contestant{"quadratic", "quadratic", Fourier::off, false},
};
constexpr std::array domain_names = {"sawtooth", "growing-periodic", "equivariant"};
constexpr size_t train_rows = 1000, in_rows = 500, oos_rows = 500;
constexpr const char* trivial_name = "training mean";

struct DemoFlags {
  std::string output;
  std::string figures;
  size_t seeds = 3;
  bool json = false;
};

struct Job {
  size_t domain = 0, contestant = 0;
  uint64_t seed = 0;
  double in = 0, oos = 0;          // RMSE
  Matrix<double> in_y{}, oos_y{};  // predictions, kept for those that are drawn
};

FitOptions options_of(const Job& job) {
  FitOptions options = preset_options("default", contestants[job.contestant].model);
  options.architecture.fourier = contestants[job.contestant].fourier;
  options.seed = job.seed;
  options.calibration = Calibration::none;
  return options;
}

Table rows_of(size_t domain, Split split, uint64_t seed) {
  const size_t rows = split == Split::train ? train_rows : split == Split::in ? in_rows : oos_rows;
  return find_domain(domain_names[domain]).sample(split, rows, seed);
}

Matrix<double> truth_of(const Table& table) { return table.matrix(table.names(Role::output)); }

void run_job(Job& job, const Interrupt& interrupt) {
  if (interrupt.requested()) return;
  TrainOutcome outcome;
  const auto watch = [&](const Progress&) { return !interrupt.requested(); };
  const Predictor predictor =
      Predictor::fit(rows_of(job.domain, Split::train, job.seed), options_of(job), watch, &outcome, 1);
  if (outcome.status == TrainStatus::diverged)
    throw Error("demo", fmt::format("{} diverged on {} after step {}", contestants[job.contestant].name,
                                    domain_names[job.domain], outcome.steps));
  const auto score = [&](Split split, Matrix<double>& y) {
    const Table queries = rows_of(job.domain, split, job.seed);
    y = predictor.predict(queries, {.threads = 1}).y;
    return rmse(y.view(), truth_of(queries).view());
  };
  job.in = score(Split::in, job.in_y);
  if (interrupt.requested()) return;
  job.oos = score(Split::oos, job.oos_y);
}

std::vector<Job> run_jobs(size_t seeds) {
  std::vector<Job> jobs;
  // The long fits first: left to the end, a core would wait for the last of them.
  for (size_t contestant = 0; contestant < contestants.size(); ++contestant)
    for (size_t domain = 0; domain < domain_names.size(); ++domain)
      for (uint64_t seed = 0; seed < seeds; ++seed)
        jobs.push_back({.domain = domain, .contestant = contestant, .seed = seed});
  const Interrupt interrupt;
  ProgressBar bar("demo", jobs.size());
  std::mutex bar_mutex;
  uint64_t finished = 0;
  const double no_loss = std::numeric_limits<double>::quiet_NaN();
  bar.update(0, no_loss);
  Pool().run(jobs.size(), [&](size_t k) {
    run_job(jobs[k], interrupt);
    const std::lock_guard lock(bar_mutex);
    bar.update(++finished, no_loss);
  });
  bar.clear();
  if (interrupt.requested()) throw Error("demo", "stopped before the end; nothing was written");
  return jobs;
}

/// Scores of one model, or of the training mean, on one domain, by seed.
struct Result {
  size_t domain = 0;
  std::string model;
  std::vector<double> in, oos;
};

Result trivial_result(size_t domain, size_t seeds) {
  Result result{domain, trivial_name, {}, {}};
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const double constant = mean(truth_of(rows_of(domain, Split::train, seed)).values());
    const auto score = [&](Split split) {
      const Matrix<double> truth = truth_of(rows_of(domain, split, seed));
      return rmse(Matrix<double>(truth.rows(), truth.cols(), constant).view(), truth.view());
    };
    result.in.push_back(score(Split::in));
    result.oos.push_back(score(Split::oos));
  }
  return result;
}

std::vector<Result> results_of(const std::vector<Job>& jobs, size_t seeds) {
  std::vector<Result> results;
  for (size_t domain = 0; domain < domain_names.size(); ++domain) {
    for (size_t contestant = 0; contestant < contestants.size(); ++contestant) {
      Result result{domain, contestants[contestant].name, {}, {}};
      for (const Job& job : jobs) {
        if (job.domain != domain || job.contestant != contestant) continue;
        result.in.push_back(job.in);
        result.oos.push_back(job.oos);
      }
      results.push_back(std::move(result));
    }
    results.push_back(trivial_result(domain, seeds));
  }
  return results;
}

std::string score_text(const std::vector<double>& scores) {
  if (scores.size() == 1) return fmt::format("{:.3f}", scores[0]);
  return fmt::format("{:.3f} ± {:.3f}", mean(scores), deviation(scores));
}

TextTable table_of(const std::vector<Result>& results) {
  TextTable table{
      .columns = {
          {"domain"}, {"model"}, {"in-support RMSE", Align::right}, {"out-of-support RMSE", Align::right}}};
  for (const Result& result : results) {
    const bool best = std::none_of(results.begin(), results.end(), [&](const Result& other) {
      return other.domain == result.domain && mean(other.oos) < mean(result.oos);
    });
    const Emphasis emphasis = best ? Emphasis::strong : Emphasis::none;
    const bool first = &result == &results.front() || (&result)[-1].domain != result.domain;
    table.rows.push_back({first ? domain_names[result.domain] : "",
                          {result.model, emphasis},
                          score_text(result.in),
                          {score_text(result.oos), emphasis}});
  }
  return table;
}

/// Outputs over the input, in and out of support, of the first seed's rows.
Series curve(const std::string& name, size_t domain, const Matrix<double>& in, const Matrix<double>& oos) {
  std::vector<std::pair<double, double>> points;
  const auto take = [&](Split split, const Matrix<double>& y) {
    const Table table = rows_of(domain, split, 0);
    const std::vector<double>& x = table.column(table.names(Role::input).front()).values;
    for (size_t r = 0; r < x.size(); ++r) points.emplace_back(x[r], y(r, 0));
  };
  take(Split::in, in);
  take(Split::oos, oos);
  std::sort(points.begin(), points.end());
  Series series{.name = name};
  for (const auto& [x, y] : points) {
    series.x.push_back(x);
    series.y.push_back(y);
  }
  return series;
}

Chart chart_of(size_t domain, const std::vector<Job>& jobs) {
  Series truth = curve("truth", domain, truth_of(rows_of(domain, Split::in, 0)),
                       truth_of(rows_of(domain, Split::oos, 0)));
  truth.color = "currentColor";
  const auto [low, high] = std::minmax_element(truth.y.begin(), truth.y.end());
  const double margin = 0.25 * (*high - *low);
  const std::pair y_range{*low - margin, *high + margin};
  const Table train = rows_of(domain, Split::train, 0);
  const std::vector<double>& x = train.column(train.names(Role::input).front()).values;
  const auto [first, last] = std::minmax_element(x.begin(), x.end());
  Chart chart{.x_label = "x",
              .y_label = "y",
              .series = {std::move(truth)},
              .bands = {{*first, *last, "training range"}},
              .y_range = y_range,
              .width = 900};
  for (const Job& job : jobs) {
    const Contestant& contestant = contestants[job.contestant];
    if (job.domain == domain && job.seed == 0 && contestant.drawn)
      chart.series.push_back(curve(contestant.name, domain, job.in_y, job.oos_y));
  }
  return chart;
}

std::string command_of(const DemoFlags& flags) { return fmt::format("kedge demo --seeds {}", flags.seeds); }

Page page_of(const std::vector<Job>& jobs, const std::vector<Result>& results, const DemoFlags& flags) {
  Page page{
      .title = "kedge: prediction beyond the data",
      .intro = fmt::format("Each model saw {} rows of the shaded range and then answered for rows inside "
                           "and outside of it. Errors are {}.",
                           train_rows,
                           flags.seeds == 1 ? "those of one seed"
                                            : fmt::format("means and deviations over {} seeds", flags.seeds)),
      .sections = {{"Errors", {table_of(results)}}},
      .provenance = {.command = command_of(flags), .version = version(), .machine = machine()}};
  for (uint64_t seed = 0; seed < flags.seeds; ++seed) page.provenance.seeds.push_back(seed);
  for (size_t domain = 0; domain < domain_names.size(); ++domain) {
    const std::string title = find_domain(domain_names[domain]).title;
    page.sections.push_back({domain_names[domain], {Figure{{chart_of(domain, jobs)}, title + " Seed 0."}}});
  }
  return page;
}

nlohmann::ordered_json to_json(const std::vector<Result>& results, const DemoFlags& flags, double seconds) {
  auto entries = nlohmann::ordered_json::array();
  const auto scores = [](const std::vector<double>& values) {
    return nlohmann::ordered_json{{"mean", mean(values)}, {"sd", deviation(values)}, {"by_seed", values}};
  };
  for (const Result& result : results)
    entries.push_back({{"domain", domain_names[result.domain]},
                       {"model", result.model},
                       {"in_rmse", scores(result.in)},
                       {"oos_rmse", scores(result.oos)}});
  auto seeds = nlohmann::ordered_json::array();
  for (uint64_t seed = 0; seed < flags.seeds; ++seed) seeds.push_back(seed);
  nlohmann::ordered_json json{{"command", command_of(flags)}, {"version", version()},
                              {"machine", machine()},         {"seeds", seeds},
                              {"seconds", seconds},           {"results", std::move(entries)}};
  json["file"] = flags.output.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(flags.output);
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
  const std::vector<Job> jobs = run_jobs(flags.seeds);
  const std::vector<Result> results = results_of(jobs, flags.seeds);
  if (!flags.output.empty())
    write_result(flags.output, [&](std::ostream& out) { out << to_html(page_of(jobs, results, flags)); });
  if (!flags.figures.empty()) {
    for (size_t domain = 0; domain < domain_names.size(); ++domain)
      write_result(fmt::format("{}/{}.svg", flags.figures, domain_names[domain]),
                   [&](std::ostream& out) { out << to_svg(chart_of(domain, jobs)); });
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (flags.json)
    return print(to_json(results, flags, taken.count())
                     .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
                 "\n");
  const TerminalStyle style = isatty(STDOUT_FILENO) == 1 ? TerminalStyle::ansi : TerminalStyle::plain;
  print(to_text(table_of(results), style));
  print(fmt::format("\n{} fits in {:.0f} s; {}\n", jobs.size(), taken.count(),
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
