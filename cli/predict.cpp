#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/output.h"
#include "kedge/predictor.h"
#include "kedge/table/csv.h"

namespace kedge {
namespace {

struct PredictFlags {
  std::string model, queries, output, anchors;
  int threads = 0;
  bool json = false;
};

std::vector<double> as_numbers(const std::vector<int64_t>& rows) {
  std::vector<double> numbers;
  for (int64_t row : rows)
    numbers.push_back(row == Predictions::none ? std::numeric_limits<double>::quiet_NaN()
                                               : static_cast<double>(row));
  return numbers;
}

/// One row per query; NaN where there is nothing to say.
Table answer_table(const Predictions& predictions) {
  Table table("predictions");
  const auto add = [&](std::string name, Role role, std::vector<double> values) {
    // A target may have one of our own names.
    while (table.has(name)) name = "kedge_" + name;
    table.add({.name = name, .role = role, .values = std::move(values), .words = {}});
  };
  for (size_t k = 0; k < predictions.outputs.size(); ++k) {
    std::vector<double> values(predictions.rows());
    for (size_t r = 0; r < values.size(); ++r) values[r] = predictions.y(r, k);
    add(predictions.outputs[k], Role::output, std::move(values));
  }
  add("anchor", Role::ignored, as_numbers(predictions.anchor));
  add("analog_query", Role::ignored, as_numbers(predictions.analog_query));
  add("analog_anchor", Role::ignored, as_numbers(predictions.analog_anchor));
  add("delta_distance", Role::ignored, predictions.delta_distance);
  add("spread", Role::ignored, predictions.spread);
  return table;
}

nlohmann::ordered_json number_or_null(double value, bool whole) {
  if (!std::isfinite(value)) return nullptr;
  if (whole) return static_cast<int64_t>(value);
  return value;
}

void write_json(std::ostream& out, const PredictFlags& flags, const Predictions& predictions) {
  const Table table = answer_table(predictions);
  const size_t first_row_number = predictions.outputs.size(), last_row_number = first_row_number + 2;
  auto rows = nlohmann::ordered_json::array();
  for (size_t r = 0; r < table.rows(); ++r) {
    nlohmann::ordered_json row;
    for (size_t c = 0; c < table.columns().size(); ++c) {
      const bool whole = c >= first_row_number && c <= last_row_number;
      row[table.columns()[c].name] = number_or_null(table.columns()[c].values[r], whole);
    }
    rows.push_back(std::move(row));
  }
  const nlohmann::ordered_json json{{"model", flags.model},
                                    {"queries", flags.queries},
                                    {"outputs", predictions.outputs},
                                    {"rows", table.rows()},
                                    {"predictions", std::move(rows)}};
  out << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

void run(const PredictFlags& flags) {
  PredictOptions options{.anchors = std::nullopt, .threads = flags.threads};
  if (!flags.anchors.empty()) options.anchors = parse_anchors(flags.anchors);
  check_output(flags.output, {flags.model, flags.queries});
  const Predictor predictor = Predictor::load(flags.model);
  const Table queries =
      read_table(flags.queries, {.text = {}, .only = predictor.inputs(), .skip = {}}, predictor.inputs());
  const Predictions predictions = predictor.predict(queries, options);
  write_result(flags.output, [&](std::ostream& out) {
    if (flags.json)
      write_json(out, flags, predictions);
    else
      write_csv(out, answer_table(predictions), {.nan = ""});
  });
}

}  // namespace

void add_predict(CLI::App& app) {
  const auto flags = std::make_shared<PredictFlags>();
  CLI::App* sub = app.add_subcommand("predict", "Answer queries with a fitted model");
  sub->footer(
      "Writes one row per query, in order: the predicted columns, then why:\n"
      "  anchor          the training row (from 0) that the answer starts from\n"
      "  analog_query,   the two training rows whose difference is nearest\n"
      "  analog_anchor     to that between query and anchor\n"
      "  delta_distance  how far apart those differences are; near 0, such a step was\n"
      "                  seen\n"
      "  spread          deviation over anchors and replicas: small, they agree\n"
      "Cells are empty where there is none (models without an anchor).\n"
      "\n"
      "Example:\n  kedge predict model.kedge queries.csv -o answers.csv");
  sub->add_option("MODEL", flags->model, "Model file that 'kedge fit' wrote")->type_name("")->required();
  sub->add_option("QUERIES", flags->queries,
                  "CSV file with the model's input columns (others are not read), "
                  "or NPY file; '-' is standard input")
      ->type_name("")
      ->required();
  sub->add_option("--anchors", flags->anchors,
                  "Rule that chooses anchors, instead of the model's; 'kedge list anchors'")
      ->type_name("RULE");
  sub->add_option("--threads", flags->threads, "Threads to use (default: one for each core)")
      ->type_name("T")
      ->check(whole_number(1, 1024));
  sub->add_option("-o,--output", flags->output, "File to write; standard output without it")
      ->type_name("FILE");
  sub->add_flag("--json", flags->json, "Write one JSON object instead of CSV");
  sub->callback([flags] { run(*flags); });
}

}  // namespace kedge
