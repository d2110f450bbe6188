#include <algorithm>
#include <mutex>

#include "kedge/abi/guard.h"
#include "kedge/abi/handles.h"
#include "kedge/core/format.h"
#include "kedge/trials/trial_json.h"

struct kedge_predictions {
  kedge::Predictions answers;
  std::vector<uint8_t> verdicts;
  /// What lies outside, as texts; made when they are asked for.
  struct Texts {
    std::once_flag once;
    std::vector<std::string> inputs, outputs;
  };
  std::unique_ptr<Texts> texts = std::make_unique<Texts>();
};

namespace kedge {
namespace {

/// Settings of a prediction, and what they point to.
struct PredictSettings {
  PredictOptions options = {};
  std::vector<uint32_t> anchor_rows = {};
};

void read_thresholds(const Json& json, const Predictor& predictor, PredictOptions& options) {
  Thresholds thresholds = predictor.coverage().thresholds;
  const auto read = [&](const char* name, double& value) {
    if (const Json* found = json.find(name)) {
      value = found->as_number(name);
      options.thresholds = thresholds;
      if (!(value > 0))
        throw Error("options", fmt::format("{} needs a positive number; found {}; take more", name, value));
    }
  };
  read("support_radius", thresholds.support_radius);
  read("delta_radius", thresholds.delta_radius);
  read("edge_factor", thresholds.edge_factor);
  if (options.thresholds) options.thresholds = thresholds;
}

PredictSettings read_settings(const char* text, const Predictor& predictor, size_t rows) {
  PredictSettings settings;
  if (!text || !*text) return settings;
  static const std::vector<std::string> names = {"anchors",      "anchor_rows", "support_radius",
                                                 "delta_radius", "edge_factor", "bad_rows"};
  const Json json = Json::parse(text, {.repeated = RepeatedNames::refuse, .called = "settings"});
  for (const JsonMember& member : json.as_object("settings"))
    if (std::ranges::find(names, member.name) == names.end())
      throw Error("options", fmt::format("needs a setting of a prediction; found '{}'; take one of {}",
                                         member.name, fmt::join(names, ", ")));
  if (const Json* anchors = json.find("anchors"))
    settings.options.anchors = parse_anchors(anchors->as_string("anchors"));
  if (const Json* given = json.find("anchor_rows")) {
    settings.anchor_rows = exactly<std::vector<uint32_t>>(*given, "anchor_rows");
    if (settings.anchor_rows.size() != rows)
      throw Error("options", fmt::format("anchor_rows needs a training row for each of {} queries; found {}; "
                                         "name one for each",
                                         rows, settings.anchor_rows.size()));
    settings.options.anchor_rows = settings.anchor_rows;
  }
  read_thresholds(json, predictor, settings.options);
  if (const Json* bad = json.find("bad_rows")) {
    const std::string& word = bad->as_string("bad_rows");
    if (word != "refuse" && word != "mark")
      throw Error("options",
                  fmt::format("bad_rows needs refuse or mark; found '{}'; take one of these", word));
    settings.options.bad_rows = word == "mark" ? BadRows::mark : BadRows::refuse;
  }
  return settings;
}

MatrixView<const double> view_of(const Predictor& predictor, const double* rows, size_t count) {
  if (count > 0) required(rows, "rows");
  return {rows, count, predictor.inputs().size()};
}

std::vector<std::string> texts_of(const std::vector<std::vector<Departure>>& outside,
                                  const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::vector<Departure>& departures : outside)
    texts.push_back(to_text(departures, names, departures.size()));
  return texts;
}

const char* text_at(const std::vector<std::string>& texts, size_t row) {
  return row < texts.size() ? texts[row].c_str() : "";
}

/// The text of one of both lists; none where there is no memory for them.
const char* outside_text(const kedge_predictions* predictions, size_t row,
                         std::vector<std::string> kedge_predictions::Texts::*part) noexcept {
  if (!predictions) return "";
  kedge_predictions::Texts& texts = *predictions->texts;
  try {
    std::call_once(texts.once, [&] {
      const Predictions& answers = predictions->answers;
      texts.inputs = texts_of(answers.outside, answers.inputs);
      texts.outputs = texts_of(answers.outputs_outside, answers.outputs);
    });
  } catch (...) {
    return "";
  }
  return text_at(texts.*part, row);
}

Json rows_of(const Matrix<double>& matrix) {
  Json rows = Json::array();
  for (size_t r = 0; r < matrix.rows(); ++r) {
    Json row = Json::array();
    for (double value : matrix.row(r)) row.push_back(number_or_null(value));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace
}  // namespace kedge

using namespace kedge;

kedge_status kedge_predict(const kedge_predictor* predictor, const double* rows, size_t count,
                           const char* settings, const kedge_run* run, kedge_predictions** predictions) {
  return guarded([&] {
    kedge_predictions*& handle = cleared(predictions, "predictions");
    const Predictor& it = required(predictor, "predictor").predictor;
    PredictSettings wanted = read_settings(settings, it, count);
    WatchedRun watched(run);
    wanted.options.threads = watched.threads();
    wanted.options.progress = watched.progress();
    Predictions answers =
        watched([&](const RunOptions&) { return it.predict(view_of(it, rows, count), wanted.options); });
    std::vector<uint8_t> verdicts;
    for (Verdict verdict : answers.verdict) verdicts.push_back(static_cast<uint8_t>(verdict));
    handle = new kedge_predictions{std::move(answers), std::move(verdicts)};
  });
}

kedge_status kedge_predict_values(const kedge_predictor* predictor, const double* rows, size_t count,
                                  const kedge_run* run, double* y, double* spread) {
  return guarded([&] {
    const Predictor& it = required(predictor, "predictor").predictor;
    if (count > 0) required(y, "y");
    WatchedRun watched(run);
    const PredictOptions options{
        .judging = Judging::none, .threads = watched.threads(), .progress = watched.progress()};
    const Predictions answers =
        watched([&](const RunOptions&) { return it.predict(view_of(it, rows, count), options); });
    std::ranges::copy(answers.y.values(), y);
    if (spread) std::ranges::copy(answers.spread, spread);
  });
}

size_t kedge_predictions_rows(const kedge_predictions* predictions) {
  return predictions ? predictions->answers.rows() : 0;
}

const double* kedge_predictions_numbers(const kedge_predictions* predictions, int32_t which) {
  if (!predictions) return nullptr;
  const Predictions& answers = predictions->answers;
  switch (which) {
    case KEDGE_Y:
      return answers.y.data();
    case KEDGE_SPREAD:
      return answers.spread.data();
    case KEDGE_SUPPORT_DISTANCE:
      return answers.support_distance.data();
    case KEDGE_DELTA_DISTANCE:
      return answers.delta_distance.data();
    case KEDGE_DELTA_PERCENTILE:
      return answers.delta_percentile.data();
    case KEDGE_EXPECTED_ERROR:
      return answers.expected_error.data();
    case KEDGE_EXPECTED_ERROR_BEYOND:
      return answers.expected_error_beyond.data();
  }
  return nullptr;
}

const int64_t* kedge_predictions_counts(const kedge_predictions* predictions, int32_t which) {
  if (!predictions) return nullptr;
  const Predictions& answers = predictions->answers;
  switch (which) {
    case KEDGE_ANCHOR:
      return answers.anchor.data();
    case KEDGE_ANALOG_QUERY:
      return answers.analog_query.data();
    case KEDGE_ANALOG_ANCHOR:
      return answers.analog_anchor.data();
    case KEDGE_ADMISSIBLE_ANCHORS:
      return answers.admissible_anchors.data();
  }
  return nullptr;
}

const uint8_t* kedge_predictions_verdicts(const kedge_predictions* predictions) {
  return predictions ? predictions->verdicts.data() : nullptr;
}
const char* kedge_predictions_outside(const kedge_predictions* predictions, size_t row) {
  return outside_text(predictions, row, &kedge_predictions::Texts::inputs);
}
const char* kedge_predictions_outputs_outside(const kedge_predictions* predictions, size_t row) {
  return outside_text(predictions, row, &kedge_predictions::Texts::outputs);
}
const char* kedge_predictions_note(const kedge_predictions* predictions, size_t row) {
  return predictions ? text_at(predictions->answers.note, row) : "";
}
void kedge_predictions_free(kedge_predictions* predictions) { delete predictions; }

kedge_status kedge_diagnose(const kedge_predictor* predictor, const kedge_table* queries,
                            const char* settings, const kedge_run* run, kedge_text** report) {
  return guarded([&] {
    cleared(report, "report");
    const Predictor& it = required(predictor, "predictor").predictor;
    const Table& table = required(queries, "queries").table;
    PredictSettings wanted = read_settings(settings, it, table.rows());
    WatchedRun watched(run);
    wanted.options.threads = watched.threads();
    wanted.options.progress = watched.progress();
    const Diagnosis diagnosis =
        watched([&](const RunOptions&) { return diagnose(it, table, wanted.options); });
    StoredCoverage coverage = it.coverage();
    if (wanted.options.thresholds) coverage.thresholds = *wanted.options.thresholds;
    Json json = to_json(diagnosis, coverage);
    json["training_map"] = rows_of(diagnosis.training_map);
    json["query_map"] = rows_of(diagnosis.query_map);
    give(report, json);
  });
}
