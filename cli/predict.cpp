#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "cli/answers.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/output.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/predictor/predictor.h"
#include "kedge/table/csv.h"

namespace kedge {
namespace {

struct PredictFlags {
  std::string model, queries, output, anchors, on_unreachable = "keep";
  ThresholdFlags thresholds;
  int threads = 0;
  bool json = false;
};

/// An object of names that are known to differ: none is looked for among the others.
struct DistinctMembers : std::vector<JsonMember> {
  using mapped_type = Json;
};

/// One JSON object for each row; null where there is nothing to say.
Json rows_json(const Table& table, const Predictions& predictions) {
  Json rows = Json::array();
  for (size_t r = 0; r < table.rows(); ++r) {
    DistinctMembers row;
    for (const Column& column : table.columns()) {
      const double value = column.values[r];
      if (&column == &table.columns().back())
        row.push_back({column.name, outside_json(predictions.outside[r], predictions.inputs)});
      else if (!column.words.empty())
        row.push_back({column.name, column.words[static_cast<size_t>(value)]});
      else if (counts_rows(column.name) && std::isfinite(value))
        row.push_back({column.name, static_cast<int64_t>(value)});
      else
        row.push_back({column.name, number_or_null(value)});
    }
    rows.push_back(row);
  }
  return rows;
}

void write_json(std::ostream& out, const PredictFlags& flags, const Predictions& predictions,
                const Table& answers) {
  const Json json{{"model", flags.model},
                  {"queries", flags.queries},
                  {"outputs", predictions.outputs},
                  {"rows", answers.rows()},
                  {"verdicts", verdict_counts_json(predictions)},
                  {"predictions", rows_json(answers, predictions)}};
  out << json.dump(JsonText::replaced) << "\n";
}

/// Does what was asked for about queries that nothing vouches for.
void act_on_unreachable(const PredictFlags& flags, const Table& queries, Predictions& predictions) {
  const bool keep = flags.on_unreachable == "keep";
  size_t count = 0, first = 0;
  for (size_t r = 0; r < predictions.rows(); ++r) {
    const std::span<double> y = predictions.y.row(r);
    const bool finite = std::all_of(y.begin(), y.end(), [](double value) { return std::isfinite(value); });
    if (keep && !finite)
      throw Error("predict",
                  fmt::format("{}: a prediction needs to be a finite number; that query lies too far "
                              "out for arithmetic; drop it, or take --on-unreachable nan",
                              queries.where(r)));
    const Verdict verdict = predictions.verdict[r];
    if (finite && verdict != Verdict::unreachable && verdict != Verdict::undetermined) continue;
    if (count++ == 0) first = r;
    if (flags.on_unreachable == "nan")
      std::fill(y.begin(), y.end(), std::numeric_limits<double>::quiet_NaN());
  }
  if (count > 0 && flags.on_unreachable == "error")
    throw Error("predict",
                fmt::format("every query needs to be reachable; {} of {} are not, or it cannot be "
                            "told, the first is {}; drop them, or take --on-unreachable keep or nan",
                            count, predictions.rows(), queries.where(first)));
}

void run(const PredictFlags& flags) {
  PredictOptions options{.threads = flags.threads};
  if (!flags.anchors.empty()) options.anchors = parse_anchors(flags.anchors);
  check_output(flags.output, {flags.model, flags.queries});
  check_order(flags.model, flags.queries);
  const Predictor predictor = Predictor::load(flags.model);
  const Table queries =
      read_table(flags.queries, {.text = {}, .only = predictor.inputs(), .skip = {}}, predictor.inputs());
  options.thresholds = thresholds_of(flags.thresholds, predictor);
  Predictions predictions = predictor.predict(queries, options);
  act_on_unreachable(flags, queries, predictions);
  const Table answers = answer_table(predictions);
  write_result(flags.output, [&](std::ostream& out) {
    if (flags.json)
      write_json(out, flags, predictions, answers);
    else
      write_csv(out, answers, {.nan = ""});
  });
}

}  // namespace

void add_predict(const Command& app) {
  const auto flags = std::make_shared<PredictFlags>();
  const Command sub = app.add_subcommand("predict", "Answer queries with a fitted model");
  sub.footer(
      "Writes one row per query, in order: the predicted columns, then what can be said\n"
      "of them:\n"
      "  verdict             interpolation: among the training rows; reachable:\n"
      "                      outside, but a difference like that to an anchor was\n"
      "                      seen; edge: nearly; unreachable: not; undetermined:\n"
      "                      nothing can be said. A model without an anchor does not\n"
      "                      use the difference: there a verdict says where the query\n"
      "                      lies, and expected_error whether to trust the answer\n"
      "  expected_error      mean error of such queries, learned on held-out outer\n"
      "                      rows; an expectation, not a bound\n"
      "  spread              deviation over anchors and replicas: small, they agree\n"
      "  support_distance    how far the nearest training row is, in deviations\n"
      "  delta_distance      how far the difference to the anchor is from one that was\n"
      "                      seen\n"
      "  delta_percentile    how many percent of training differences are closer than\n"
      "                      that\n"
      "  admissible_anchors  of the anchors that answer, those with a difference in\n"
      "                      support\n"
      "  anchor              the training row (from 0) that the answer starts from\n"
      "  analog_query        with analog_anchor: the two training rows whose difference\n"
      "                      is nearest to that between query and anchor\n"
      "  analog_anchor       the other of these two\n"
      "  outside             columns that put the query outside, and how far, as\n"
      "                      speed +12.5; combination: each column is in range, but no\n"
      "                      row is near\n"
      "Cells are empty where there is none (models without an anchor). A name that a\n"
      "spreadsheet would take for a formula is written with a quote before it, as '-b.\n"
      "\n"
      "Example:\n  kedge predict model.kedge queries.csv -o answers.csv");
  sub.add_option("MODEL", flags->model, "Model file that 'kedge fit' wrote").type_name("").required();
  sub.add_option("QUERIES", flags->queries,
                 "CSV file with the model's input columns (others are not read), "
                 "or NPY file; '-' is standard input")
      .type_name("")
      .required();
  sub.add_option("--anchors", flags->anchors,
                 "Rule that chooses anchors, instead of the model's; 'kedge list anchors'")
      .type_name("RULE");
  sub.add_option("--on-unreachable", flags->on_unreachable,
                 "What to do about queries that are unreachable or undetermined: keep the prediction, leave "
                 "it empty (nan), or stop with an error (default: keep)")
      .type_name("keep|nan|error")
      .check(one_of({"keep", "nan", "error"}));
  declare(sub, flags->thresholds);
  sub.add_option("--threads", flags->threads, "Threads to use (default: one for each core)")
      .type_name("T")
      .check(whole_number(1, 1024));
  sub.add_option("-o,--output", flags->output, "File to write; standard output without it").type_name("FILE");
  sub.add_flag("--json", flags->json, "Write one JSON object instead of CSV");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
