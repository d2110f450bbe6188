#include "kedge/jobs/sweep_job.h"

#include <bit>

#include "kedge/core/checksum.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"

namespace kedge {
namespace {

double number_of(const Json& json, const char* name) {
  const Json& value = json.at(name);
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : exactly<double>(value, name);
}

Json to_json(const ShellScore& score) {
  return {{"shell", to_text(score.shell)},
          {"in", number_or_null(score.in)},
          {"out", number_or_null(score.out)},
          {"rank", number_or_null(score.rank)},
          {"found", number_or_null(score.found)},
          {"in_absolute", number_or_null(score.in_absolute)},
          {"out_absolute", number_or_null(score.out_absolute)},
          {"fourier", score.fourier},
          {"failure", score.failure}};
}

ShellScore shell_score(const Json& json, Shell shell) {
  return {.shell = shell,
          .in = number_of(json, "in"),
          .out = number_of(json, "out"),
          .rank = number_of(json, "rank"),
          .found = number_of(json, "found"),
          .in_absolute = number_of(json, "in_absolute"),
          .out_absolute = number_of(json, "out_absolute"),
          .fourier = exactly<Fourier>(json.at("fourier"), "fourier"),
          .failure = exactly<std::string>(json.at("failure"), "failure")};
}

/// What one job rehearses.
std::vector<CrossValidationOptions> parts_of(const CrossValidationOptions& how) {
  if (how.tuned) return {how};
  std::vector<CrossValidationOptions> parts;
  for (Shell shell : how.shells) {
    parts.push_back(how);
    parts.back().shells = {shell};
  }
  return parts;
}

std::string key_of(const SweepTrial& trial, const CrossValidationOptions& part) {
  Json shells = Json::array();
  for (Shell shell : part.shells) shells.push_back(to_text(shell));
  Json key{{"job", "sweep"},
           {"table", fmt::format("{:016x}", trial.table.checksum)},
           {"options", Json::parse(to_json(trial.options))},
           {"shells", std::move(shells)},
           {"fractions", Json::array({part.fraction, part.output_fraction, part.inside_fraction})},
           {"effort", part.effort}};
  // Without tuning, what counts changes no score.
  if (part.tuned) key["tuned"] = part.beyond;
  return key.dump();
}

std::string rehearsed(const SweepTrial& trial, const CrossValidationOptions& part,
                      const std::function<bool()>& stopped) {
  std::vector<ModelScore> scores(1);
  scores[0].options = trial.options;
  score_all(*trial.table.rows, scores, part,
            {.progress = [&](const Progress&) { return !stopped(); }, .threads = 1, .device = trial.device});
  Json shells = Json::array();
  for (const ShellScore& shell : scores[0].shells) shells.push_back(to_json(shell));
  return shells.dump();
}

/// 0 for what cannot be fitted: the rehearsal says why.
double work_of(const SweepTrial& trial, const CrossValidationOptions& part) {
  try {
    return trial_load(*trial.table.rows, trial.options, part).work;
  } catch (const Error&) {
    return 0;
  }
}

Job job_of(const SweepTrial& trial, const CrossValidationOptions& part) {
  return {
      .key = key_of(trial, part),
      .run = [trial, part](const std::function<bool()>& stopped) { return rehearsed(trial, part, stopped); },
      .work = [trial, part] { return work_of(trial, part); }};
}

}  // namespace

SweepTable sweep_table(Table table) {
  Checksum sum;
  for (const Column& column : table.columns()) {
    if (column.role == Role::ignored) continue;
    sum.add(column.name);
    sum.add(static_cast<uint64_t>(column.role));
    sum.add(column.words.size());
    for (const std::string& word : column.words) sum.add(word);
    sum.add(column.values.size());
    for (double value : column.values) sum.add(std::bit_cast<uint64_t>(value));
  }
  return {std::make_shared<const Table>(std::move(table)), sum.value()};
}

std::vector<Job> sweep_jobs(const SweepTrial& trial) {
  std::vector<Job> jobs;
  for (const CrossValidationOptions& part : parts_of(trial.how)) jobs.push_back(job_of(trial, part));
  return jobs;
}

ModelScore sweep_result(const SweepTrial& trial, const JobResults& results) {
  ModelScore score;
  score.options = trial.options;
  for (const CrossValidationOptions& part : parts_of(trial.how)) {
    const Json shells = Json::parse(results.of(job_of(trial, part)));
    const Json::List& list = shells.as_list("shells");
    if (list.size() != part.shells.size()) shells.refuse("shells", "as many shells as were asked for");
    for (size_t s = 0; s < list.size(); ++s) score.shells.push_back(shell_score(list[s], part.shells[s]));
  }
  summarize(score);
  return score;
}

}  // namespace kedge
