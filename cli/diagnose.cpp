#include <algorithm>
#include <memory>
#include <string>

#include "cli/answers.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/diagnosis_page.h"
#include "cli/findings.h"
#include "cli/hints.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/prose.h"
#include "cli/queries.h"
#include "cli/terminal.h"
#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/message_of.h"
#include "kedge/table/csv.h"
#include "kedge/trials/trial_json.h"

namespace kedge {
namespace {

struct DiagnoseFlags {
  std::string model, queries, output, html, anchors;
  ThresholdFlags thresholds;
  FormatFlags format;
  int threads = 0;
  bool json = false, quiet = false;
};

Json to_json(const Diagnosis& d, const StoredCoverage& coverage, const DiagnoseFlags& flags) {
  Json json = to_json(d, coverage);
  json["model"] = flags.model;
  json["queries"] = flags.queries;
  return json;
}

/// All queries with the model's inputs and, where a file has them all, its outputs.
QueryBlock read_queries(const DiagnoseFlags& flags, const Predictor& predictor) {
  QueryFile file(
      flags.queries, predictor,
      {.told = signs_of(flags.format), .wants_outputs = true, .block_bytes = InputStream::most_inflated});
  QueryBlock block = std::move(*file.next());
  if (file.next())
    throw Error("diagnose", fmt::format("{} needs at most {} bytes; found more; take fewer queries",
                                        file.input().source(), InputStream::most_inflated));
  if (const std::string& fault = file.outputs_fault(); !fault.empty()) {
    say("true errors are left out: " + fault);
    std::vector<Column> inputs;
    for (const std::string& name : predictor.inputs()) inputs.push_back(block.table.column(name));
    block.table = block.table.with_columns(std::move(inputs));
  }
  return block;
}

/// The rows that can be answered; says how many cannot.
Table good_queries(const QueryBlock& block, const std::vector<size_t>& good, bool is_quiet) {
  if (block.notes.empty()) return block.table;
  const auto first = static_cast<size_t>(std::find_if(block.notes.begin(), block.notes.end(),
                                                      [](const std::string& note) { return !note.empty(); }) -
                                         block.notes.begin());
  const std::string what = fmt::format("{}: {}", block.table.where(first), block.notes[first]);
  if (good.empty()) throw Error("diagnose", fmt::format("no query has an answer; the first: {}", what));
  if (!is_quiet)
    say(fmt::format("{} of {} queries have no answer; the first: {}", block.table.rows() - good.size(),
                    block.table.rows(), what));
  return block.table.select(good);
}

/// Conclusion, tables, and what to do next.
void print_words(const Diagnosis& diagnosis, const DiagnosisContext& context) {
  print(wrapped(plain_prose(conclusion(diagnosis, context))) + "\n\n");
  print_table(narrow_verdict_table(diagnosis));
  print("\n");
  print_table(range_table(diagnosis));
  print("\nWhat to do next:\n" + item_lines(next_steps(diagnosis, context)));
}

void run(const DiagnoseFlags& flags) {
  check_output(flags.output, {flags.model, flags.queries});
  check_output(flags.html, {flags.model, flags.queries});
  check_distinct({{"-o", flags.output}, {"--html", flags.html}});
  if (flags.output == "-" || flags.html == "-")
    throw Error("diagnose", "standard output takes the tables; -o and --html need files; found '-'");
  PredictOptions options{.threads = flags.threads};
  if (!flags.anchors.empty()) options.anchors = parse_anchors(flags.anchors);
  check_order(flags.model, flags.queries);
  const Predictor predictor = Predictor::load(flags.model);
  options.thresholds = thresholds_of(flags.thresholds, predictor);
  const QueryBlock block = read_queries(flags, predictor);
  const std::vector<size_t> good = block.good_rows();
  const Table queries = good_queries(block, good, flags.quiet);
  ProgressBar bar("diagnose", queries.rows(),
                  {.surface = flags.quiet ? ProgressSurface::hidden : ProgressSurface::detect,
                   .delay = shortest_watched});
  options.progress = [&](const Progress& progress) {
    bar.update(progress);
    return true;
  };
  Diagnosis diagnosis = diagnose(predictor, queries, options);
  bar.clear();
  diagnosis.unanswered = block.table.rows() - good.size();
  diagnosis.verdicts[static_cast<size_t>(Verdict::undetermined)].count += diagnosis.unanswered;
  if (!flags.quiet) print_hints(predictor);
  StoredCoverage coverage = predictor.coverage();
  if (options.thresholds) coverage.thresholds = *options.thresholds;
  const DiagnosisContext context{.model = flags.model,
                                 .queries = flags.queries,
                                 .output_scale = coverage.errors.output_scale,
                                 .where = [&](size_t row) { return queries.where(row); }};
  if (!flags.output.empty())
    write_result(flags.output, [&](std::ostream& out) {
      write_csv(out,
                answer_table(block.notes.empty() ? diagnosis.predictions
                                                 : among_bad_rows(diagnosis.predictions, good, block.notes)),
                {.nan = ""});
    });
  if (!flags.html.empty())
    write_result(flags.html, [&](std::ostream& out) {
      out << to_html(
          diagnosis_page(diagnosis, predictor, queries, coverage,
                         {context, fmt::format("kedge diagnose {} {} --html {}", quoted(flags.model),
                                               quoted(flags.queries), quoted(flags.html))}));
    });
  if (flags.json) return print(to_json(diagnosis, coverage, flags).dump(JsonText::replaced) + "\n");
  print_words(diagnosis, context);
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
                 "CSV file with the model's input columns, and its outputs if they are known; or NPY file; "
                 "'-' is standard input")
      .type_name("")
      .required();
  sub.add_option("--html", flags->html, "Page to write: the tables, and pictures").type_name("FILE");
  sub.add_option("-o,--output", flags->output, "CSV file to write: what 'kedge predict' would")
      .type_name("FILE");
  sub.add_flag("--json", flags->json, "Print one JSON object instead of the tables");
  sub.add_flag("--quiet", flags->quiet, "No progress, hints and notes on standard error");
  sub.add_option("--anchors", flags->anchors,
                 "Rule that chooses anchors, instead of the model's; 'kedge list anchors'")
      .type_name("RULE");
  sub.add_option("--threads", flags->threads, "Threads to use (default: one for each core)")
      .type_name("T")
      .check(whole_number(1, 1024));
  declare(sub, flags->format, "How QUERIES are written");
  declare(sub, flags->thresholds);
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
