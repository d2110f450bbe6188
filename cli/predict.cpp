#include <memory>
#include <string>

#include "cli/answering.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/ranks.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/predictor/predictor.h"

namespace kedge {
namespace {

PredictOptions options_of(const PredictFlags& flags, const Predictor& predictor, const Ranks* ranks) {
  PredictOptions options{.threads = threads_of_rank(ranks, flags.threads)};
  if (!flags.anchors.empty()) options.anchors = parse_anchors(flags.anchors);
  options.thresholds = thresholds_of(flags.thresholds, predictor);
  return options;
}

/// Of a rank that is not the first: says nothing itself.
void answer_for_another(PredictFlags flags, Ranks& ranks) {
  flags.quiet = true;
  try {
    const Predictor predictor = Predictor::load(flags.model);
    Answering(flags, predictor, options_of(flags, predictor, &ranks)).send_blocks(ranks);
  } catch (const Error& error) {
    send_fault(ranks, error);
  }
}

void run(const PredictFlags& flags) {
  if (flags.queries == "-" && started_by_mpi().size > 1)
    throw Error("predict",
                "all ranks need to read the queries; standard input goes to one alone; name a file");
  const std::unique_ptr<Ranks> ranks = join_ranks();
  if (ranks && ranks->rank() > 0) return answer_for_another(flags, *ranks);
  OtherRanks others(ranks.get());
  if (!flags.anchors.empty()) parse_anchors(flags.anchors);  // before anything is read
  check_output(flags.output, {flags.model, flags.queries});
  check_order(flags.model, flags.queries);
  const Predictor predictor = Predictor::load(flags.model);
  Answering answering(flags, predictor, options_of(flags, predictor, ranks.get()));
  if (ranks) others.require(identity_of(flags));
  write_result(flags.output, [&](std::ostream& out) {
    if (flags.json)
      answering.write_json(out, others);
    else
      answering.write_csv(out, others);
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
      "A file of any length is answered piece by piece, as ranks of mpirun by several\n"
      "machines that all see the files.\n"
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
