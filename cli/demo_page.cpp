#include "cli/demo_page.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "kedge/core/format.h"
#include "kedge/core/score.h"
#include "kedge/domains/domain.h"
#include "kedge/jobs/build.h"
#include "kedge/jobs/numerics.h"
#include "kedge/report/text.h"

namespace kedge {
namespace {

std::string score_text(const std::vector<double>& scores) {
  if (scores.size() == 1) return rounded(scores[0], 3);
  return rounded(mean(scores), 3) + " ± " + rounded(deviation(scores), 3);
}

Json scores_json(const std::vector<double>& scores) {
  return {{"mean", mean(scores)}, {"sd", deviation(scores)}, {"by_seed", scores}};
}

/// What the first picture shows, in numbers.
std::string conclusion_of(const std::vector<DemoScores>& all) {
  const auto error_of = [&](std::string_view model) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const DemoScores& scores) {
      return scores.domain == demo_domains[0] && scores.model == model;
    });
    return rounded(mean(found->oos), 3);
  };
  return fmt::format(
      "Outside of its training rows kedge follows the {} with an error (RMSE) of {}; a plain "
      "network (mlp) has {}.",
      demo_domains[0], error_of("bilinear"), error_of("mlp"));
}

}  // namespace

TextTable demo_table(const std::vector<DemoScores>& all) {
  TextTable table{
      .columns = {{"domain"}, {"model"}, {"RMSE inside", Align::right}, {"RMSE outside", Align::right}}};
  std::string domain;
  for (const DemoScores& scores : all) {
    const bool best = std::none_of(all.begin(), all.end(), [&](const DemoScores& other) {
      return other.domain == scores.domain && mean(other.oos) < mean(scores.oos);
    });
    const Emphasis emphasis = best ? Emphasis::strong : Emphasis::none;
    table.rows.push_back({scores.domain == domain ? "" : scores.domain,
                          {scores.shown, emphasis},
                          score_text(scores.in),
                          {score_text(scores.oos), emphasis}});
    domain = scores.domain;
  }
  return table;
}

Chart demo_chart(const char* domain, const JobResults& results) {
  const AnalyticFunction& f = find_function(domain);
  const std::vector<double> places = curve_places(f);
  Series truth{.name = "truth", .x = places, .color = "currentColor", .style = SeriesStyle::dashes};
  for (double x : places) truth.y.push_back(f.value(x));
  const auto [low, high] = std::minmax_element(truth.y.begin(), truth.y.end());
  const double margin = 0.25 * (*high - *low);
  const std::pair y_range{*low - margin, *high + margin};
  Chart chart{.x_label = "x",
              .y_label = "y",
              .series = {},
              .bands = {{f.train_low, f.train_high, "training range"}},
              .y_range = y_range,
              .width = 900};
  for (const Contestant& contestant : contestants)
    if (contestant.drawn)
      chart.series.push_back({.name = contestant.shown,
                              .x = places,
                              .y = scores_of(spec_of(domain, contestant, 0), results).grid});
  chart.series.push_back(std::move(truth));
  return chart;
}

Page demo_page(const JobResults& results, const std::vector<DemoScores>& scores, Provenance provenance) {
  const size_t seeds = provenance.seeds.size();
  Page page{.title = "kedge: prediction beyond the data",
            .conclusion = conclusion_of(scores),
            .sections = {},
            .provenance = std::move(provenance)};
  const auto figure_of = [&](const char* domain) {
    return Figure{{demo_chart(domain, results)}, find_domain(domain).title + " Seed 0."};
  };
  page.sections.push_back({"", {figure_of(demo_domains[0])}});
  page.sections.push_back(
      {"Errors",
       {Paragraph{fmt::format(
            "Each model saw {} rows of the shaded range and then answered for rows inside "
            "and outside of it. Errors are {}.",
            demo_train_rows,
            seeds == 1 ? "those of one seed" : fmt::format("means and deviations over {} seeds", seeds))},
        demo_table(scores)}});
  for (size_t d = 1; d < demo_domains.size(); ++d)
    page.sections.push_back({demo_domains[d], {figure_of(demo_domains[d])}});
  return page;
}

Json demo_json(const std::vector<DemoScores>& all, const Provenance& provenance, double seconds,
               const std::string& page) {
  Json entries = Json::array();
  for (const DemoScores& one : all)
    entries.push_back({{"domain", one.domain},
                       {"model", one.model},
                       {"in_rmse", scores_json(one.in)},
                       {"oos_rmse", scores_json(one.oos)}});
  Json seeds = Json::array();
  for (uint64_t seed : provenance.seeds) seeds.push_back(seed);
  Json json{{"command", provenance.command},
            {"version", provenance.version},
            {"machine", provenance.machine},
            {"build", to_text(build())},
            {"numerics", numerics_of("cpu")},
            {"seeds", seeds},
            {"seconds", seconds},
            {"results", std::move(entries)}};
  json["file"] = page.empty() ? Json() : Json(std::filesystem::path(page).filename().string());
  return json;
}

}  // namespace kedge
