#include "cli/sweep_page.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/output.h"
#include "cli/prose.h"
#include "cli/score_text.h"
#include "kedge/core/format.h"
#include "kedge/predictor/predictor.h"
#include "kedge/report/panels.h"

namespace kedge {
namespace {

constexpr size_t most_dots = 40, most_rows = 200;
constexpr const char* error_label = "error in deviations";

/// A kind of error, as pictures and tables call it.
struct Kind {
  const char* name;
  Estimate SweepScore::*part;
};
constexpr Kind kinds[] = {{"in support", &SweepScore::in},
                          {"beyond inputs", &SweepScore::out},
                          {"beyond outputs", &SweepScore::beyond}};

bool is_known(const SweepFound& found, const Kind& kind) {
  return std::any_of(found.scores.begin(), found.scores.end(),
                     [&](const SweepScore& score) { return !std::isnan((score.*kind.part).mean); });
}

/// The values as numbers; empty where one of them is none.
std::vector<double> numbers_of(const std::vector<std::string>& values) {
  std::vector<double> numbers;
  for (const std::string& text : values) {
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || end != text.data() + text.size()) return {};
    numbers.push_back(value);
  }
  return numbers;
}

/// Sizes and rates mostly go in ratios.
bool goes_in_ratios(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *low > 0 && *high >= 4 * *low;
}

Figure line_figure(const SweepFound& found) {
  const GridAxis& axis = found.plan.axes.front();
  const std::vector<double> numbers = numbers_of(axis.values);
  Chart chart{.x_label = axis.name, .y_label = error_label, .width = 900};
  if (numbers.empty())
    chart.x_names = axis.values;
  else if (goes_in_ratios(numbers))
    chart.x_steps = ScaleSteps::logarithmic;
  std::vector<size_t> order(axis.values.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!numbers.empty())
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return numbers[a] < numbers[b]; });
  for (const Kind& kind : kinds) {
    if (!is_known(found, kind)) continue;
    Series series{.name = kind.name};
    if (numbers.empty() || numbers.size() == 1) series.style = SeriesStyle::points;
    for (size_t i : order) {
      const Estimate& error = found.scores[i].*kind.part;
      series.x.push_back(numbers.empty() ? static_cast<double>(i) : numbers[i]);
      series.y.push_back(error.mean);
      series.y_low.push_back(error.mean - error.deviation);
      series.y_high.push_back(error.mean + error.deviation);
    }
    Series values{.name = series.name, .x = series.x, .y = series.y, .style = SeriesStyle::points};
    const bool is_line = series.style == SeriesStyle::line;
    chart.series.push_back(std::move(series));
    if (is_line) chart.series.push_back(std::move(values));
  }
  return {{std::move(chart)}, "Mean over seeds; the shade is the deviation over seeds."};
}

Chart map_of(const SweepFound& found, const std::string& title, int width, auto number) {
  const GridAxis &down = found.plan.axes[0], &across = found.plan.axes[1];
  HeatGrid grid{.title = title,
                .row_label = down.name,
                .column_label = across.name,
                .rows = down.values,
                .columns = across.values,
                .values = Matrix<double>(down.values.size(), across.values.size()),
                .colors = {.label = "error"},
                .width = width};
  for (size_t i = 0; i < found.scores.size(); ++i)
    grid.values(i / across.values.size(), i % across.values.size()) = number(found.scores[i]);
  return heat_grid(grid);
}

std::vector<Figure> map_figures(const SweepFound& found) {
  Figure score{{map_of(found, "score", 560, [](const SweepScore& s) { return std::exp(s.score.mean); })},
               "The score that the best is chosen by; the darkest cell is the best."};
  Figure parts{{}, "The errors that it is made of, means over seeds."};
  for (const Kind& kind : kinds)
    if (is_known(found, kind))
      parts.charts.push_back(
          map_of(found, kind.name, 420, [&](const SweepScore& s) { return (s.*kind.part).mean; }));
  return {std::move(score), std::move(parts)};
}

Figure dots_figure(const SweepFound& found) {
  std::vector<size_t> order = found.sorted();
  std::erase_if(order, [&](size_t i) { return !found.scores[i].failure.empty(); });
  const size_t all = order.size();
  order.resize(std::min(order.size(), most_dots));
  Chart chart{.x_label = error_label, .width = 900, .height = static_cast<int>(110 + 22 * order.size())};
  for (size_t i : order) chart.y_names.push_back(found.plan.fits[i].name);
  for (const Kind& kind : kinds) {
    if (!is_known(found, kind)) continue;
    Series dots{.name = kind.name, .style = SeriesStyle::points};
    for (size_t place = 0; place < order.size(); ++place) {
      const Estimate& error = found.scores[order[place]].*kind.part;
      dots.x.push_back(error.mean);
      dots.y.push_back(static_cast<double>(place));
      if (std::isnan(error.mean) || error.deviation == 0) continue;
      chart.series.push_back({.name = kind.name,
                              .x = {error.mean - error.deviation, error.mean + error.deviation},
                              .y = {dots.y.back(), dots.y.back()},
                              .style = SeriesStyle::thin});
    }
    chart.series.push_back(std::move(dots));
  }
  std::string caption = "Means over seeds, the best score on top; lines are deviations over seeds.";
  if (all > order.size()) caption += fmt::format(" The best {} of {}.", order.size(), all);
  return {{std::move(chart)}, std::move(caption)};
}

std::string conclusion_of(const SweepFound& found) {
  const SweepScore& best = found.scores[found.best];
  std::string text = fmt::format("{} is the best of {}: its error is {} in support and {} beyond the inputs.",
                                 code(best.name), counted(found.scores.size(), "combination", "combinations"),
                                 rough(best.in.mean), rough(best.out.mean));
  if (found.scores.size() > 1 && !std::isnan(found.elsewhere.out.mean))
    text += fmt::format(" Chosen on other shells than those it is judged on, it comes to {} and {}.",
                        rough(found.elsewhere.in.mean), rough(found.elsewhere.out.mean));
  if (const std::string simple = baseline_words(found); !simple.empty()) text += " " + simple;
  return text;
}

}  // namespace

std::vector<Figure> sweep_figures(const SweepFound& found) {
  switch (found.plan.axes.size()) {
    case 1:
      return {line_figure(found)};
    case 2:
      return map_figures(found);
    default:
      return {dots_figure(found)};
  }
}

Page sweep_page(const SweepFound& found, const std::string& command) {
  Page page{.title = "Which settings suit this table?",
            .conclusion = conclusion_of(found),
            .intro = fmt::format(
                "{} rows of {}; each combination was rehearsed with {}, on rows that were held out.",
                found.plan.training.table.rows(), code(found.flags.fit.train),
                counted(found.flags.seeds, "seed", "seeds")),
            .provenance = {.command = command,
                           .version = version(),
                           .machine = fmt::format("{}", fmt::join(found.machines, "; ")),
                           .seeds = found.flags.all_seeds()}};
  Section picture{"The grid", {}};
  for (Figure& figure : sweep_figures(found)) picture.parts.emplace_back(std::move(figure));
  Section table{"Errors", {sweep_table_of(found, most_rows)}};
  if (found.scores.size() > most_rows)
    table.parts.emplace_back(Paragraph{
        fmt::format("The best {} of {}; {} has all.", most_rows, found.scores.size(), code("sweep.csv"))});
  for (const std::string& text : sweep_words(found)) table.parts.emplace_back(Paragraph{text});
  if (const std::vector<std::string> failures = sweep_failures(found); !failures.empty())
    table.parts.emplace_back(ItemList{failures});
  page.sections = {std::move(picture),
                   std::move(table),
                   {"What to do next", {Paragraph{"Fit the best: " + code(found.command())}}}};
  return page;
}

}  // namespace kedge
