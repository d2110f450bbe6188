#include <unistd.h>

#include <memory>
#include <string>

#include "cli/answers.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/diagnosis_page.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/table/csv.h"

namespace kedge {
namespace {

struct DiagnoseFlags {
  std::string model, queries, output, html, anchors;
  ThresholdFlags thresholds;
  int threads = 0;
  bool json = false;
};

std::string to_json_text(const Diagnosis& d, const StoredCoverage& coverage, const DiagnoseFlags& flags) {
  Json verdicts = Json::array(), columns = Json::array();
  for (const VerdictSummary& s : d.verdicts)
    verdicts.push_back({{"verdict", to_text(s.verdict)},
                        {"queries", s.count},
                        {"expected_error", number_or_null(s.expected_error)},
                        {"true_error", number_or_null(s.error)},
                        {"spread", number_or_null(s.spread)},
                        {"support_distance", number_or_null(s.support_distance)},
                        {"delta_distance", number_or_null(s.delta_distance)}});
  for (const ColumnRange& c : d.columns)
    columns.push_back({{"name", c.name},
                       {"training", Json::array({c.training_low, c.training_high})},
                       {"queries", Json::array({number_or_null(c.query_low), number_or_null(c.query_high)})},
                       {"outside", c.outside}});
  const Json json{{"model", flags.model},          {"queries", flags.queries},
                  {"rows", d.predictions.rows()},  {"verdicts", std::move(verdicts)},
                  {"columns", std::move(columns)}, {"coverage", Json::parse(to_json(coverage))}};
  return json.dump(JsonText::replaced) + "\n";
}

/// The queries with the model's inputs and, where a file has them all, its outputs.
Table read_queries(const DiagnoseFlags& flags, const Predictor& predictor) {
  const auto read = [&](const std::vector<std::string>& columns) {
    return read_table(flags.queries, {.text = {}, .only = columns, .skip = {}}, columns);
  };
  // Standard input can be read once only.
  if (flags.queries != "-") {
    std::vector<std::string> both = predictor.inputs();
    both.insert(both.end(), predictor.outputs().begin(), predictor.outputs().end());
    try {
      return read(both);
    } catch (const Error& error) {
      // Without outputs, or not readable at all, which the inputs alone will tell.
      Table inputs = read(predictor.inputs());
      std::fputs(fmt::format("kedge: true errors are left out: {}\n", one_line(error.what())).c_str(),
                 stderr);
      return inputs;
    }
  }
  return read(predictor.inputs());
}

void run(const DiagnoseFlags& flags) {
  check_output(flags.output, {flags.model, flags.queries});
  check_output(flags.html, {flags.model, flags.queries});
  check_distinct({{"-o", flags.output}, {"--html", flags.html}});
  if (flags.output == "-" || flags.html == "-")
    throw Error("diagnose", "standard output takes the tables; -o and --html need files; found '-'");
  PredictOptions options{.threads = flags.threads};
  if (!flags.anchors.empty()) options.anchors = parse_anchors(flags.anchors);
  const Predictor predictor = Predictor::load(flags.model);
  options.thresholds = thresholds_of(flags.thresholds, predictor);
  const Table queries = read_queries(flags, predictor);
  ProgressBar bar("diagnose", queries.rows(), {.delay = 1});
  options.progress = [&](const Progress& progress) {
    bar.update(progress);
    return true;
  };
  const Diagnosis diagnosis = diagnose(predictor, queries, options);
  bar.clear();
  StoredCoverage coverage = predictor.coverage();
  if (options.thresholds) coverage.thresholds = *options.thresholds;
  if (!flags.output.empty())
    write_result(flags.output, [&](std::ostream& out) {
      write_csv(out, answer_table(diagnosis.predictions), {.nan = ""});
    });
  if (!flags.html.empty())
    write_result(flags.html, [&](std::ostream& out) {
      out << to_html(diagnosis_page(diagnosis, predictor, queries, coverage,
                                    {flags.model, flags.queries,
                                     fmt::format("kedge diagnose {} {} --html {}", quoted(flags.model),
                                                 quoted(flags.queries), quoted(flags.html))}));
    });
  if (flags.json) return print(to_json_text(diagnosis, coverage, flags));
  const TerminalStyle style = isatty(STDOUT_FILENO) == 1 ? TerminalStyle::ansi : TerminalStyle::plain;
  print(to_text(verdict_table(diagnosis), style));
  print("\n" + to_text(range_table(diagnosis), style));
}

}  // namespace

void add_diagnose(const Command& app) {
  const auto flags = std::make_shared<DiagnoseFlags>();
  const Command sub = app.add_subcommand("diagnose", "Say which queries a model can extrapolate to");
  sub.footer(
      "Counts the verdicts that 'kedge predict' gives and says where the queries lie\n"
      "against the training rows. Where the queries hold the true outputs too, their\n"
      "errors stand beside the expected ones.\n"
      "\n"
      "Example:\n  kedge diagnose model.kedge queries.csv --html diagnosis.html");
  sub.add_option("MODEL", flags->model, "Model file that 'kedge fit' wrote").type_name("").required();
  sub.add_option("QUERIES", flags->queries,
                 "CSV file with the model's input columns, and its outputs if they are known; or NPY file")
      .type_name("")
      .required();
  sub.add_option("--html", flags->html, "Page to write: the tables, and pictures").type_name("FILE");
  sub.add_option("-o,--output", flags->output, "CSV file to write: what 'kedge predict' would")
      .type_name("FILE");
  sub.add_flag("--json", flags->json, "Print one JSON object instead of the tables");
  sub.add_option("--anchors", flags->anchors,
                 "Rule that chooses anchors, instead of the model's; 'kedge list anchors'")
      .type_name("RULE");
  sub.add_option("--threads", flags->threads, "Threads to use (default: one for each core)")
      .type_name("T")
      .check(whole_number(1, 1024));
  declare(sub, flags->thresholds);
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
