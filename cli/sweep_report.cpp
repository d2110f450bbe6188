#include "cli/sweep_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/prose.h"
#include "cli/score_text.h"
#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/predictor/predictor.h"

namespace kedge {
namespace {

constexpr double noticeably = 0.8;
constexpr size_t most_failures = 5;

std::vector<SweepScore> scores_of(const std::vector<SweepFit>& fits, const JobResults& results,
                                  Beyond beyond) {
  std::vector<SweepScore> scores;
  for (const SweepFit& fit : fits) {
    std::vector<ModelScore> by_seed;
    for (const SweepTrial& trial : fit.trials) by_seed.push_back(sweep_result(trial, results));
    scores.push_back(sweep_score(fit.name, std::move(by_seed), beyond));
  }
  return scores;
}

/// The weighed error itself: geometric means are told as errors.
double error_of(const SweepScore& score) { return std::exp(score.score.mean); }

std::string score_text(const SweepScore& score) {
  return std::isnan(score.score.mean) ? "-" : number_text(error_of(score));
}

std::string seconds_text(double seconds) {
  return seconds < 9.95 ? fmt::format("{:.2g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

/// One seed has no deviation.
std::string error_text(const Estimate& estimate, size_t seeds) {
  return seeds > 1 || std::isnan(estimate.mean) ? estimate_text(estimate) : number_text(estimate.mean);
}

std::vector<TextCell> cells(const std::string& name, const SweepScore& score, const std::string& seconds,
                            Emphasis emphasis) {
  const auto error = [&](const Estimate& estimate) {
    return TextCell(error_text(estimate, score.by_seed.size()), emphasis);
  };
  return {{name, emphasis}, {score_text(score), emphasis}, error(score.in),
          error(score.out), error(score.beyond),           {seconds, emphasis}};
}

/// Other combinations whose score is within the deviation over seeds of the best.
std::vector<size_t> near_best(const SweepFound& found) {
  std::vector<size_t> near;
  const Estimate& best = found.scores[found.best].score;
  for (size_t i : found.sorted())
    if (i != found.best && found.scores[i].failure.empty() &&
        found.scores[i].score.mean <= best.mean + best.deviation)
      near.push_back(i);
  return near;
}

std::string near_words(const SweepFound& found) {
  if (found.flags.seeds < 2)
    return "With one seed nothing tells how much of a difference is luck; `--seeds 3` would.";
  const std::vector<size_t> near = near_best(found);
  if (near.empty()) return "";
  const std::vector<SweepFit>& fits = found.plan.fits;
  const size_t quickest = *std::min_element(
      near.begin(), near.end(), [&](size_t a, size_t b) { return fits[a].seconds < fits[b].seconds; });
  std::string text = fmt::format(
      "{} within its deviation over seeds",
      near.size() == 1 ? "1 other combination is" : fmt::format("{} other combinations are", near.size()));
  if (fits[quickest].seconds < noticeably * fits[found.best].seconds)
    return fmt::format("{}; {} trains quicker, in {} instead of {}.", text, code(fits[quickest].name),
                       seconds_text(fits[quickest].seconds), seconds_text(fits[found.best].seconds));
  return text + ".";
}

std::string elsewhere_words(const SweepFound& found) {
  if (!found.has_choice()) return "";
  std::string text =
      "The best was chosen by its own score, so its errors look smaller than they are. The line `chosen on "
      "other shells` corrects for that. There each shell is answered by the combination that does best on "
      "the other shells. Shells share rows, so errors on new rows may still be larger.";
  const std::set<size_t> chosen = found.chosen();
  if (chosen.size() == 1) return text + " The same combination was chosen for every shell.";
  return text + fmt::format(" {} different combinations were chosen.", chosen.size());
}

std::string tuned_words(const SweepFound& found) {
  const std::vector<SweepFit>& fits = found.plan.fits;
  if (std::none_of(fits.begin(), fits.end(), [](const SweepFit& fit) { return needs_trial(fit.flags); }))
    return "";
  return "`anchors=auto` settles a few numbers on the held-out rows that it is judged by. So its errors look "
         "smaller than they are, in every line of the table.";
}

std::string beyond_words(Beyond beyond) {
  switch (beyond) {
    case Beyond::inputs:
      return "one part in support and four beyond inputs";
    case Beyond::outputs:
      return "one part in support and two beyond outputs";
    case Beyond::both:
      break;
  }
  return "two parts in support, two beyond inputs and one beyond outputs";
}

Json to_json(const Estimate& estimate, const SweepScore& score, Estimate ModelScore::*part) {
  Json json{{"mean", number_or_null(estimate.mean)}, {"sd", number_or_null(estimate.deviation)}};
  json["by_seed"] = Json::array();
  for (const ModelScore& seed : score.by_seed) json["by_seed"].push_back(number_or_null((seed.*part).mean));
  return json;
}

Json to_json(const SweepScore& score) {
  return {{"name", score.name},
          {"score", number_or_null(error_of(score))},
          {"score_log_sd", number_or_null(score.score.deviation)},
          {"in_support", to_json(score.in, score, &ModelScore::in)},
          {"out_of_support", to_json(score.out, score, &ModelScore::out)},
          {"beyond_outputs", to_json(score.beyond, score, &ModelScore::beyond)}};
}

Json to_json(const SweepFit& fit, const SweepScore& score) {
  Json json = to_json(score);
  json["values"] = Json::object();
  for (const auto& [name, value] : fit.combination) json["values"][name] = value;
  json["training_seconds"] = fit.seconds;
  json["failure"] = score.failure.empty() ? Json() : Json(score.failure);
  return json;
}

Json elsewhere_json(const SweepFound& found) {
  Json json = to_json(found.elsewhere.score);
  json["choices"] = Json::object();
  for (const ChosenElsewhere::Choice& choice : found.elsewhere.choices)
    json["choices"][to_text(choice.shell)] = found.scores[choice.chosen].name;
  return json;
}

/// A line of the CSV file.
struct CsvRow {
  const char* kind;
  const SweepScore& score;
  const SweepFit* fit;  ///< null where several fits take part
};

std::vector<CsvRow> csv_rows(const SweepFound& found) {
  std::vector<CsvRow> rows;
  for (size_t i : found.sorted()) rows.push_back({"grid", found.scores[i], &found.plan.fits[i]});
  if (found.has_choice()) rows.push_back({"elsewhere", found.elsewhere.score, nullptr});
  for (size_t i = 0; i < found.baselines.size(); ++i)
    rows.push_back({"baseline", found.baselines[i], &found.plan.baselines[i]});
  return rows;
}

}  // namespace

std::vector<size_t> SweepFound::sorted() const {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (scores[a].failure.empty() != scores[b].failure.empty()) return scores[a].failure.empty();
    return scores[a].failure.empty() && scores[a].score.mean < scores[b].score.mean;
  });
  return order;
}

std::set<size_t> SweepFound::chosen() const {
  std::set<size_t> places;
  for (const ChosenElsewhere::Choice& choice : elsewhere.choices) places.insert(choice.chosen);
  return places;
}

std::string SweepFound::command() const {
  const FitFlags& fit = recommended().flags;
  std::string words = fit_words(fit, fit_options(fit));
  if (needs_trial(fit) && fit.beyond != FitFlags().beyond) words += " --beyond " + fit.beyond;
  return "kedge fit " + words + " -o model.kedge";
}

SweepFound found_in(const SweepFlags& flags, const SweepPlan& plan, const JobResults& results) {
  const Beyond beyond = plan.fits.front().trials.front().how.beyond;
  SweepFound found{flags, plan, scores_of(plan.fits, results, beyond),
                   scores_of(plan.baselines, results, beyond)};
  const std::optional<size_t> best = best_of(found.scores);
  if (!best)
    throw Error("sweep", fmt::format("needs a combination that can be fitted to {}; {}: {}",
                                     plan.training.table.source(), found.scores.front().name,
                                     found.scores.front().failure));
  found.best = *best;
  found.elsewhere = chosen_elsewhere(found.scores, beyond);
  found.simple = simple_instead(found.baselines, found.worth().score);
  found.machines = results.machines();
  return found;
}

TextTable sweep_table_of(const SweepFound& found, size_t most) {
  TextTable table{.columns = {{"combination"},
                              {"score", Align::right},
                              {"in support", Align::right},
                              {"beyond inputs", Align::right},
                              {"beyond outputs", Align::right},
                              {"training", Align::right}}};
  const std::vector<size_t> order = found.sorted();
  for (size_t i : std::span(order).first(std::min(most, order.size()))) {
    const bool is_best = i == found.best;
    table.rows.push_back(cells((is_best ? "* " : "") + found.plan.fits[i].name, found.scores[i],
                               seconds_text(found.plan.fits[i].seconds),
                               is_best ? Emphasis::strong : Emphasis::none));
  }
  if (found.has_choice())
    table.rows.push_back(cells(found.elsewhere.score.name, found.elsewhere.score, "", Emphasis::none));
  for (size_t i = 0; i < found.baselines.size(); ++i)
    table.rows.push_back(cells(found.baselines[i].name, found.baselines[i], "", Emphasis::muted));
  return table;
}

std::string baseline_words(const SweepFound& found) {
  if (!found.simple) return "";
  const SweepScore &simple = found.baselines[*found.simple], &grid = found.worth();
  const std::string text = fmt::format(
      "The simple model {} scores {}. {} scores {}.", code(simple.name), score_text(simple),
      found.has_choice() ? "The line " + code(grid.name) : "The best of the grid", score_text(grid));
  if (simple.score.mean <= grid.score.mean)
    return text + " So take the simple model. The command at the end fits it.";
  return text +
         " The difference is within the deviation over seeds, so the simple model is as good by that "
         "measure. "
         "Of two that are as good, take the simple one. The command at the end fits it.";
}

std::string errors_in_words(const SweepScore& score) {
  std::vector<std::string> parts;
  const auto add = [&](const Estimate& error, const char* where) {
    if (!std::isnan(error.mean)) parts.push_back(rough(error.mean) + " " + where);
  };
  add(score.in, "in support");
  add(score.out, "beyond the inputs");
  add(score.beyond, "beyond the outputs");
  return listed(parts);
}

std::vector<std::string> sweep_words(const SweepFound& found) {
  const CrossValidationOptions& how = found.plan.fits.front().trials.front().how;
  const std::string over =
      found.flags.seeds > 1
          ? fmt::format(" The table shows its mean and deviation over {} seeds.", found.flags.seeds)
          : "";
  std::vector<std::string> words = {fmt::format(
      "Errors are in deviations of the outputs: 0 is perfect, 1 is no better than their mean. Each is a mean "
      "over shells of held-out rows.{} The score is a weighted geometric mean of mean absolute errors: {}. "
      "The "
      "least score is the best (*). Training is in seconds of one core, by an estimate.",
      over, beyond_words(how.beyond))};
  for (std::string& more :
       std::vector{elsewhere_words(found), tuned_words(found), near_words(found), baseline_words(found)})
    if (!more.empty()) words.push_back(std::move(more));
  return words;
}

std::vector<std::string> sweep_failures(const SweepFound& found) {
  std::vector<std::string> failures;
  for (const std::vector<SweepScore>* scores : {&found.scores, &found.baselines})
    for (const SweepScore& score : *scores)
      if (!score.failure.empty())
        failures.push_back(fmt::format("{}: {}", score.name, one_line(score.failure)));
  if (failures.size() > most_failures) {
    const size_t more = failures.size() - most_failures;
    failures.resize(most_failures);
    failures.push_back(fmt::format("{} more have no numbers; sweep.csv says why", more));
  }
  return failures;
}

Json to_json(const SweepFound& found) {
  const Table& table = found.plan.training.table;
  const CrossValidationOptions& how = found.plan.fits.front().trials.front().how;
  Json grid = Json::object(), combinations = Json::array(), baselines = Json::array(), shells = Json::array();
  for (const GridAxis& axis : found.plan.axes) grid[axis.name] = axis.values;
  for (size_t i = 0; i < found.scores.size(); ++i)
    combinations.push_back(to_json(found.plan.fits[i], found.scores[i]));
  for (size_t i = 0; i < found.baselines.size(); ++i)
    baselines.push_back(to_json(found.plan.baselines[i], found.baselines[i]));
  for (Shell shell : how.shells) shells.push_back(to_text(shell));
  return {{"whole", true},
          {"table", found.flags.fit.train},
          {"rows", table.rows()},
          {"inputs", table.names(Role::input)},
          {"outputs", table.names(Role::output)},
          {"grid", std::move(grid)},
          {"seeds", found.flags.all_seeds()},
          {"effort", found.flags.effort},
          {"device", found.flags.fit.device},
          {"beyond", how.beyond},
          {"shells", std::move(shells)},
          {"combinations", std::move(combinations)},
          {"baselines", std::move(baselines)},
          {"best", {{"name", found.plan.fits[found.best].name}, {"place", found.best}}},
          {"chosen_elsewhere", elsewhere_json(found)},
          {"recommendation",
           {{"kind", found.simple ? "baseline" : "grid"},
            {"name", found.recommended().name},
            {"command", found.command()}}},
          {"machines", found.machines},
          {"version", version()}};
}

Table csv_table(const SweepFound& found) {
  Table table("sweep");
  const std::vector<CsvRow> rows = csv_rows(found);
  const auto words = [&](const std::string& name, auto word) {
    Column column{.name = name, .role = Role::label, .values = {}, .words = {}};
    for (size_t r = 0; r < rows.size(); ++r) {
      column.values.push_back(static_cast<double>(r));
      column.words.push_back(word(rows[r]));
    }
    table.add(std::move(column));
  };
  const auto numbers = [&](const std::string& name, auto number) {
    Column column{.name = name, .role = Role::ignored, .values = {}, .words = {}};
    for (const CsvRow& row : rows) column.values.push_back(number(row));
    table.add(std::move(column));
  };
  const auto estimates = [&](const std::string& name, Estimate SweepScore::*part) {
    numbers(name, [&](const CsvRow& row) { return (row.score.*part).mean; });
    numbers(name + "_sd", [&](const CsvRow& row) { return (row.score.*part).deviation; });
  };
  words("kind", [](const CsvRow& row) { return row.kind; });
  words("name", [](const CsvRow& row) { return row.score.name; });
  for (size_t a = 0; a < found.plan.axes.size(); ++a)
    words(found.plan.axes[a].name, [&](const CsvRow& row) {
      return row.fit && a < row.fit->combination.size() ? row.fit->combination[a].second : "";
    });
  numbers("score", [](const CsvRow& row) { return error_of(row.score); });
  estimates("in_support", &SweepScore::in);
  estimates("out_of_support", &SweepScore::out);
  estimates("beyond_outputs", &SweepScore::beyond);
  numbers("training_seconds", [](const CsvRow& row) {
    return row.fit ? row.fit->seconds : std::numeric_limits<double>::quiet_NaN();
  });
  words("failure", [](const CsvRow& row) { return row.score.failure; });
  return table;
}

}  // namespace kedge
