#include "kedge/experiments/result.h"

#include <algorithm>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/score.h"
#include "kedge/experiments/stored_chart.h"

namespace kedge {

namespace {

Json measured_json(const Measured& m) {
  Json json{{"mean", number_or_null(m.mean)}, {"sd", number_or_null(m.sd)}};
  if (m.n > 0) json["n"] = m.n;
  return json;
}

Measured measured_of(const Json& json) {
  const auto number = [&](const char* key) {
    return json.at(key).is_null() ? std::nan("") : exactly<double>(json.at(key), key);
  };
  Measured m{number("mean"), number("sd"), 0};
  if (json.contains("n")) m.n = exactly<size_t>(json.at("n"), "n");
  return m;
}

}  // namespace

Measured measured(const std::vector<double>& values) {
  if (values.empty()) return {std::nan(""), std::nan(""), 0};
  return {mean(values), deviation(values), values.size()};
}

std::string to_text(const Measured& m) {
  if (!std::isfinite(m.mean) || !std::isfinite(m.sd)) return "unknown";
  if (m.n == 0) return fmt::format("{:.3f} ± {:.3f}", m.mean, m.sd);  // as the paper prints
  // As many decimals as the first two digits of the deviation need.
  const double least = m.sd > 0 ? m.sd : std::abs(m.mean);
  if (least > 0 && least < 1e-6)
    return m.n == 1 ? fmt::format("{:.2g}", m.mean) : fmt::format("{:.2g} ± {:.2g}", m.mean, m.sd);
  const int decimals = least > 0 ? std::clamp(static_cast<int>(std::ceil(-std::log10(least))) + 1, 0, 6) : 3;
  if (m.n == 1) return fmt::format("{:.{}f}", m.mean, decimals);
  return fmt::format("{:.{}f} ± {:.{}f}", m.mean, decimals, m.sd, decimals);
}

std::string ours_text(const Cell& cell) {
  if (cell.failed == 0) return to_text(cell.ours);
  if (cell.ours.n == 0) return "diverged";
  return fmt::format("{}, {} fit{} diverged", to_text(cell.ours), cell.failed, cell.failed == 1 ? "" : "s");
}

std::string agreement(const Cell& cell) {
  if (!cell.published) return "";
  const double away = cell.ours.mean - cell.published->mean;
  if (!std::isfinite(away)) return "unknown";
  if (std::abs(away) <= cell.published->sd) return "agrees";
  return away < 0 ? "lower" : "higher";
}

std::string agreement_text(const Cell& cell) {
  const std::string word = agreement(cell);
  if (word.empty() || word == "unknown") return word;
  return fmt::format("{}, {:.2g} times", word, cell.ours.mean / cell.published->mean);
}

void add_contender(Cell cell, Result& result) {
  cell.contends = true;
  result.cells.push_back(std::move(cell));
}

std::string to_json(const Result& r) {
  Json cells = Json::array(), charts = Json::array();
  for (const Cell& cell : r.cells) {
    Json one{{"row", cell.row}, {"column", cell.column}, {"preset", cell.preset}, {"split", cell.split}};
    one["published"] = cell.published ? measured_json(*cell.published) : Json();
    one["ours"] = measured_json(cell.ours);
    one["agreement"] = cell.published ? Json(agreement(cell)) : Json();
    if (cell.failed > 0) one["failed"] = cell.failed;
    if (cell.contends) one["contends"] = true;
    cells.push_back(std::move(one));
  }
  for (const Chart& chart : r.charts) charts.push_back(chart_json(chart));
  const Json json{
      {"id", r.id},       {"title", r.title},       {"command", r.command},   {"version", r.version},
      {"build", r.build}, {"numerics", r.numerics}, {"machines", r.machines}, {"seeds", r.seeds},
      {"notes", r.notes}, {"cells", cells},         {"charts", charts}};
  // Numbers of a curve on one line, the rest one a line.
  std::string text = "{\n";
  for (const auto& [key, value] : json.as_object("result")) {
    const bool listed = (key == "cells" || key == "charts") && !value.empty();
    text += fmt::format(" {}: ", Json(key).dump());
    if (!listed) {
      text += value.dump();
    } else {
      text += "[";
      const Json::List& list = value.as_list(key);
      for (size_t i = 0; i < list.size(); ++i) text += (i ? ",\n  " : "\n  ") + list[i].dump();
      text += "\n ]";
    }
    text += key == "charts" ? "\n" : ",\n";
  }
  return text + "}\n";
}

Result result_from_json(const std::string& text, const std::string& source) {
  try {
    const Json json = Json::parse(text);
    const auto word = [&](const char* key) { return exactly<std::string>(json.at(key), key); };
    Result r{.id = word("id"),
             .title = word("title"),
             .command = word("command"),
             .version = word("version"),
             .build = word("build"),
             .numerics = json.contains("numerics") ? word("numerics") : "",
             .machines = exactly<std::vector<std::string>>(json.at("machines"), "machines"),
             .seeds = exactly<std::vector<uint64_t>>(json.at("seeds"), "seeds"),
             .notes = exactly<std::vector<std::string>>(json.at("notes"), "notes"),
             .cells = {},
             .charts = {}};
    for (const Json& c : json.at("cells").as_list("cells")) {
      Cell cell{.row = exactly<std::string>(c.at("row"), "row"),
                .column = exactly<std::string>(c.at("column"), "column"),
                .preset = exactly<std::string>(c.at("preset"), "preset"),
                .split = exactly<std::string>(c.at("split"), "split"),
                .published = {},
                .ours = measured_of(c.at("ours"))};
      if (const Json* failed = c.find("failed")) cell.failed = exactly<size_t>(*failed, "failed");
      if (const Json* contends = c.find("contends")) cell.contends = exactly<bool>(*contends, "contends");
      if (!c.at("published").is_null()) cell.published = measured_of(c.at("published"));
      r.cells.push_back(std::move(cell));
    }
    for (const Json& chart : json.at("charts").as_list("charts")) r.charts.push_back(chart_of(chart));
    return r;
  } catch (const std::exception& error) {
    throw Error("report",
                fmt::format("{} needs to be a result as 'kedge reproduce' writes it; found damage ({})",
                            one_line(source), one_line(error.what())));
  }
}

}  // namespace kedge
