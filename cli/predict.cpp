#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "cli/answers.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/queries.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/predictor/predictor.h"
#include "kedge/table/csv.h"

namespace kedge {
namespace {

struct PredictFlags {
  std::string model, queries, output, anchors, keep, on_unreachable = "keep";
  ThresholdFlags thresholds;
  FormatFlags format;
  int threads = 0;
  bool json = false, with_inputs = false, quiet = false;
};

Json word_or_null(const std::string& word) { return word.empty() ? Json() : Json(word); }

/// An object of names that are known to differ: none is looked for among the others.
struct DistinctMembers : std::vector<JsonMember> {
  using mapped_type = Json;
};

/// Adds one JSON object for each row; null where there is nothing to say.
void add_rows(Json& rows, const Table& table, const Predictions& predictions) {
  // As answer_table adds them.
  const Column &outside = table.columns()[table.columns().size() - 3],
               &outputs = table.columns()[table.columns().size() - 2];
  for (size_t r = 0; r < table.rows(); ++r) {
    DistinctMembers row;
    for (const Column& column : table.columns()) {
      const double value = column.values[r];
      if (&column == &outside)
        row.push_back({column.name, outside_json(predictions.outside[r], predictions.inputs)});
      else if (&column == &outputs)
        row.push_back({column.name, outside_json(predictions.outputs_outside[r], predictions.outputs)});
      else if (!column.words.empty())
        row.push_back({column.name, word_or_null(column.words[static_cast<size_t>(value)])});
      else if (counts_rows(column.name) && std::isfinite(value))
        row.push_back({column.name, static_cast<int64_t>(value)});
      else
        row.push_back({column.name, number_or_null(value)});
    }
    rows.push_back(row);
  }
}

/// Answers a file of queries block by block.
class Answering {
 public:
  Answering(const PredictFlags& flags, const Predictor& predictor, const PredictOptions& options)
      : flags_(flags),
        predictor_(predictor),
        options_(options),
        queries_(flags.queries, predictor,
                 {.told = signs_of(flags.format),
                  .keep = split_names(flags.keep, "--keep"),
                  .keeps_inputs = flags.with_inputs,
                  .is_quiet = flags.quiet}),
        bar_("predict", 0,
             {.surface = flags.quiet || queries_.input().size() == 0 ? ProgressSurface::hidden
                                                                     : ProgressSurface::detect,
              .delay = shortest_watched}) {
    options_.progress = [this](const Progress& progress) {
      const auto end = static_cast<double>(queries_.input().position());
      const double share = static_cast<double>(progress.step) / static_cast<double>(progress.steps);
      bar_.update({.loss = std::numeric_limits<double>::quiet_NaN(),
                   .work = block_begin_ + share * (end - block_begin_),
                   .total_work = static_cast<double>(queries_.input().size()),
                   .phase = "answering"});
      return true;
    };
  }

  void write_csv(std::ostream& out) {
    Header header = Header::yes;
    each_block([&](const Predictions&, const Table& answers) {
      kedge::write_csv(out, answers, {.nan = "", .header = header});
      header = Header::no;
    });
  }

  void write_json(std::ostream& out) {
    Json rows = Json::array();
    each_block([&](const Predictions& predictions, const Table& answers) {
      add_rows(rows, answers, predictions);
      for (Verdict verdict : predictions.verdict) ++verdicts_[static_cast<size_t>(verdict)];
    });
    Json verdicts;
    for (Verdict verdict : all_verdicts) verdicts[to_text(verdict)] = verdicts_[static_cast<size_t>(verdict)];
    const Json json{{"model", flags_.model},           {"queries", flags_.queries},
                    {"outputs", predictor_.outputs()}, {"rows", count_},
                    {"verdicts", std::move(verdicts)}, {"predictions", std::move(rows)}};
    out << json.dump(JsonText::replaced) << "\n";
  }

  /// Says how many queries have no answer, where there are such.
  void tell_bad_rows() const {
    if (bad_ > 0 && !flags_.quiet)
      say(fmt::format("{} of {} queries have no answer, as the column note says; the first: {}", bad_, count_,
                      first_bad_));
  }

 private:
  template <class Take>
  void each_block(const Take& take) {
    while (std::optional<QueryBlock> block = queries_.next()) {
      Predictions predictions = answer(predictor_, *block, options_);
      count_ += predictions.rows();
      act_on_unreachable(*block, predictions);
      take(predictions, answer_table(predictions, std::move(block->kept)));
      block_begin_ = static_cast<double>(queries_.input().position());
    }
    bar_.clear();
  }

  void count_bad(const QueryBlock& block, size_t row, const std::string& why) {
    if (bad_++ == 0) first_bad_ = fmt::format("{}: {}", block.table.where(row), why);
  }

  /// A query whose answer is no number has none.
  void note(const QueryBlock& block, size_t row, const std::string& why, Predictions& predictions) {
    count_bad(block, row, why);
    predictions.note.resize(predictions.rows());
    predictions.note[row] = why;
    std::fill(predictions.y.row(row).begin(), predictions.y.row(row).end(),
              std::numeric_limits<double>::quiet_NaN());
  }

  /// Does what was asked for about queries that nothing vouches for.
  void act_on_unreachable(const QueryBlock& block, Predictions& predictions) {
    size_t count = 0, first = 0;
    for (size_t r = 0; r < predictions.rows(); ++r) {
      const bool is_bad = !predictions.note.empty() && !predictions.note[r].empty();
      if (is_bad) count_bad(block, r, predictions.note[r]);
      const std::span<double> y = predictions.y.row(r);
      const bool finite = std::all_of(y.begin(), y.end(), [](double value) { return std::isfinite(value); });
      if (!finite && !is_bad) note(block, r, "it lies too far out for arithmetic", predictions);
      const Verdict verdict = predictions.verdict[r];
      if (finite && verdict != Verdict::unreachable && verdict != Verdict::undetermined) continue;
      if (count++ == 0) first = r;
      if (flags_.on_unreachable == "nan")
        std::fill(y.begin(), y.end(), std::numeric_limits<double>::quiet_NaN());
    }
    if (count > 0 && flags_.on_unreachable == "error")
      throw Error(
          "predict",
          fmt::format("every query needs to be reachable; of the first {} there are {} that are not, or it "
                      "cannot be told, the first is {}; drop them, or take --on-unreachable keep or nan",
                      count_, count, block.table.where(first)));
  }

  const PredictFlags& flags_;
  const Predictor& predictor_;
  PredictOptions options_;
  QueryFile queries_;
  ProgressBar bar_;
  double block_begin_ = 0;  ///< where in the file the block at hand begins
  size_t count_ = 0, bad_ = 0;
  std::string first_bad_;
  std::array<size_t, all_verdicts.size()> verdicts_ = {};
};

void run(const PredictFlags& flags) {
  PredictOptions options{.threads = flags.threads};
  if (!flags.anchors.empty()) options.anchors = parse_anchors(flags.anchors);
  check_output(flags.output, {flags.model, flags.queries});
  check_order(flags.model, flags.queries);
  const Predictor predictor = Predictor::load(flags.model);
  options.thresholds = thresholds_of(flags.thresholds, predictor);
  Answering answering(flags, predictor, options);
  write_result(flags.output, [&](std::ostream& out) {
    if (flags.json)
      answering.write_json(out);
    else
      answering.write_csv(out);
  });
  answering.tell_bad_rows();
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
      "  expected_error_beyond  the same if the true output lies beyond all training\n"
      "                      outputs\n"
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
      "  outputs_outside     outputs of the answer that lie beyond all training\n"
      "                      outputs, and how far, as y +0.3\n"
      "  note                why a query has no answer: a missing cell, a word that\n"
      "                      training did not have, what is no number; such a row is\n"
      "                      undetermined\n"
      "Cells are empty where there is none (models without an anchor). A name that a\n"
      "spreadsheet would take for a formula is written with a quote before it, as '-b.\n"
      "A file of any length is answered piece by piece.\n"
      "\n"
      "Example:\n  kedge predict model.kedge queries.csv -o answers.csv");
  sub.add_option("MODEL", flags->model, "Model file that 'kedge fit' wrote").type_name("").required();
  sub.add_option("QUERIES", flags->queries,
                 "CSV file with the model's input columns (others are not read), also "
                 "compressed by gzip, or NPY file; '-' is standard input")
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
  sub.add_option("--keep", flags->keep, "Columns of QUERIES to write in front of the answers, such as a name")
      .type_name("COLS");
  sub.add_flag("--with-inputs", flags->with_inputs,
               "Write the columns that the model reads in front of the answers, as they stand in QUERIES");
  declare(sub, flags->format, "How QUERIES are written");
  declare(sub, flags->thresholds);
  sub.add_option("--threads", flags->threads, "Threads to use (default: one for each core)")
      .type_name("T")
      .check(whole_number(1, 1024));
  sub.add_option("-o,--output", flags->output, "File to write; standard output without it").type_name("FILE");
  sub.add_flag("--json", flags->json, "Write one JSON object instead of CSV");
  sub.add_flag("--quiet", flags->quiet, "Nothing on standard error but errors");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
