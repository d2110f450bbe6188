#include "cli/rollout_report.h"

#include <cmath>
#include <limits>

#include "cli/verdict_looks.h"
#include "kedge/core/format.h"
#include "kedge/core/score.h"
#include "kedge/report/text.h"

namespace kedge {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

const char* meaning(Verdict verdict) {
  switch (verdict) {
    case Verdict::interpolation:
      return "among the demonstrated goals";
    case Verdict::reachable:
      return "outside, by a seen difference";
    case Verdict::edge:
      return "outside, by nearly a seen one";
    case Verdict::unreachable:
      return "no seen difference leads there";
    case Verdict::undetermined:
      return "nothing can be said";
  }
  return "";
}

std::vector<size_t> episodes_with(const RolloutSet& set, Verdict verdict) {
  std::vector<size_t> found;
  for (size_t e = 0; e < set.answers.size(); ++e)
    if (set.answers[e].verdict == verdict) found.push_back(e);
  return found;
}

/// NaN where it is not known.
double expected_error(const RolloutSet& set, const std::vector<size_t>& episodes) {
  std::vector<double> known;
  for (size_t e : episodes)
    if (std::isfinite(set.answers[e].expected_error)) known.push_back(set.answers[e].expected_error);
  return known.empty() ? nothing : mean(known);
}

double as_number(const std::optional<bool>& held) { return held ? (*held ? 1 : 0) : nothing; }
Json as_json(const std::optional<bool>& held) { return held ? Json(*held) : Json(); }

Json verdicts_json(const RolloutSet& set) {
  Json verdicts = Json::array();
  for (Verdict verdict : all_verdicts) {
    const std::vector<size_t> episodes = episodes_with(set, verdict);
    Json one{{"verdict", to_text(verdict)},
             {"errors", to_json(summary_of(set.policy, episodes))},
             {"expert", set.expert ? to_json(summary_of(*set.expert, episodes)) : Json()},
             {"expected_action_error", number_or_null(expected_error(set, episodes))}};
    verdicts.push_back(std::move(one));
  }
  return verdicts;
}

Json episodes_json(const RolloutSet& set, const EpisodeColumns& columns) {
  Json episodes = Json::array();
  for (size_t e = 0; e < set.answers.size(); ++e) {
    const GoalAnswer& answer = set.answers[e];
    Json goal;
    for (size_t g = 0; g < columns.goals.size(); ++g) goal[columns.goals[g]] = set.goals(e, g);
    episodes.push_back({{"goal", std::move(goal)},
                        {"verdict", to_text(answer.verdict)},
                        {"anchor", answer.anchors.empty() ? Json() : Json(answer.anchors.front())},
                        {"support_distance", number_or_null(answer.support_distance)},
                        {"delta_distance", number_or_null(answer.delta_distance)},
                        {"expected_action_error", number_or_null(answer.expected_error)},
                        {"error", number_or_null(set.policy.errors[e])},
                        {"held", as_json(set.policy.held[e])},
                        {"expert_error", set.expert ? number_or_null(set.expert->errors[e]) : Json()},
                        {"expert_held", set.expert ? as_json(set.expert->held[e]) : Json()}});
  }
  return episodes;
}

bool anything_held(const RolloutReport& report) {
  for (const RolloutSet& set : report.sets)
    if (set.policy.held_share()) return true;
  return false;
}

}  // namespace

TextTable set_table(const RolloutReport& report) {
  const bool held = anything_held(report);
  TextTable table{
      .columns = {{"goals"}, {"episodes", Align::right}, {"error", Align::right}, {"median", Align::right}}};
  if (held) table.columns.push_back({"held", Align::right});
  if (!report.expert.empty()) {
    table.columns.push_back({fmt::format("expert ({})", report.expert), Align::right});
    if (held) table.columns.push_back({"expert held", Align::right});
  }
  for (const RolloutSet& set : report.sets) {
    const ErrorSummary policy = summary_of(set.policy);
    std::vector<TextCell> row = {set.name, std::to_string(policy.episodes), error_text(policy),
                                 std::isfinite(policy.median) ? rounded(policy.median, 4) : ""};
    if (held) row.push_back(held_text(policy));
    if (set.expert) {
      row.push_back(error_text(summary_of(*set.expert)));
      if (held) row.push_back(held_text(summary_of(*set.expert)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable verdict_table(const RolloutReport& report) {
  const bool calibrated = report.policy.coverage().errors.is_known(), held = anything_held(report);
  TextTable table{.columns = {{"goals"}, {"verdict"}, {"episodes", Align::right}, {"error", Align::right}}};
  if (held) table.columns.push_back({"held", Align::right});
  if (!report.expert.empty()) table.columns.push_back({"expert", Align::right});
  if (calibrated) table.columns.push_back({"expected action error", Align::right});
  table.columns.push_back({"meaning"});
  for (const RolloutSet& set : report.sets)
    for (Verdict verdict : all_verdicts) {
      const std::vector<size_t> episodes = episodes_with(set, verdict);
      if (episodes.empty()) continue;
      const ErrorSummary policy = summary_of(set.policy, episodes);
      std::vector<TextCell> row = {set.name,
                                   {to_text(verdict), emphasis_of(verdict)},
                                   std::to_string(policy.episodes),
                                   error_text(policy)};
      if (held) row.push_back(held_text(policy));
      if (set.expert) row.push_back(error_text(summary_of(*set.expert, episodes)));
      const double expected = expected_error(set, episodes);
      if (calibrated) row.push_back(std::isfinite(expected) ? rounded(expected, 4) : "");
      row.push_back({meaning(verdict), Emphasis::muted});
      table.rows.push_back(std::move(row));
    }
  return table;
}

Table episode_table(const RolloutReport& report) {
  const EpisodeColumns& columns = report.domain.simulation.columns;
  Table table("rollouts");
  std::vector<std::string> sets, verdicts;
  for (const RolloutSet& set : report.sets) sets.push_back(set.name);
  for (Verdict verdict : all_verdicts) verdicts.push_back(to_text(verdict));
  const auto add = [&](std::string name, const auto& value, std::vector<std::string> words = {}) {
    Column column{.name = std::move(name), .role = Role::ignored, .values = {}, .words = std::move(words)};
    for (size_t s = 0; s < report.sets.size(); ++s)
      for (size_t e = 0; e < report.sets[s].answers.size(); ++e)
        column.values.push_back(value(report.sets[s], e, s));
    while (table.has(column.name)) column.name = "kedge_" + column.name;
    table.add(std::move(column));
  };
  using Set = const RolloutSet&;
  for (size_t g = 0; g < columns.goals.size(); ++g)
    add(columns.goals[g], [g](Set set, size_t e, size_t) { return set.goals(e, g); });
  add(
      "goals", [](Set, size_t, size_t s) { return static_cast<double>(s); }, sets);
  add(
      "verdict", [](Set set, size_t e, size_t) { return static_cast<double>(set.answers[e].verdict); },
      verdicts);
  add("anchor", [](Set set, size_t e, size_t) {
    return set.answers[e].anchors.empty() ? nothing : static_cast<double>(set.answers[e].anchors.front());
  });
  add("support_distance", [](Set set, size_t e, size_t) { return set.answers[e].support_distance; });
  add("delta_distance", [](Set set, size_t e, size_t) { return set.answers[e].delta_distance; });
  add("expected_action_error", [](Set set, size_t e, size_t) { return set.answers[e].expected_error; });
  add("error", [](Set set, size_t e, size_t) { return set.policy.errors[e]; });
  add("held", [](Set set, size_t e, size_t) { return as_number(set.policy.held[e]); });
  add("expert_error", [](Set set, size_t e, size_t) { return set.expert ? set.expert->errors[e] : nothing; });
  add("expert_held",
      [](Set set, size_t e, size_t) { return set.expert ? as_number(set.expert->held[e]) : nothing; });
  return table;
}

Json to_json(const RolloutReport& report) {
  Json sets = Json::array();
  for (const RolloutSet& set : report.sets) {
    sets.push_back({{"goals", set.name},
                    {"errors", to_json(summary_of(set.policy))},
                    {"expert", set.expert ? to_json(summary_of(*set.expert)) : Json()},
                    {"verdicts", verdicts_json(set)},
                    {"episodes", episodes_json(set, report.domain.simulation.columns)}});
  }
  return {{"policy", report.policy_file},
          {"domain", report.domain.name},
          {"model", report.policy.options().model},
          {"expert", report.expert.empty() ? Json() : Json(report.expert)},
          {"sets", std::move(sets)}};
}

}  // namespace kedge
