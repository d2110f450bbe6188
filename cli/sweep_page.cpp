#include "cli/sweep_page.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "cli/output.h"
#include "cli/prose.h"
#include "cli/score_text.h"
#include "kedge/core/format.h"
#include "kedge/predictor/predictor.h"
#include "kedge/report/panels.h"

namespace kedge {
namespace {

constexpr size_t most_dots = 40, most_rows = 200, most_ticks = 20;
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

/// Where a scale ends that one diverged fit is not to flatten: nothing where all values lie near each other.
/// Far is, as in box plots, more than three times the distance of the quartiles above the upper one.
std::optional<double> robust_end(std::vector<double> values) {
  constexpr double far = 3;
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  std::sort(values.begin(), values.end());
  if (values.size() < 3) return std::nullopt;
  const double low = values[(values.size() - 1) / 4], high = values[3 * (values.size() - 1) / 4];
  const auto beyond = std::upper_bound(values.begin(), values.end(), high + far * (high - low));
  const double end = *(beyond - 1);
  return beyond == values.end() || end == values.front() ? std::nullopt : std::optional(end);
}

/// Of all kinds of errors together.
std::optional<double> robust_end(const SweepFound& found) {
  std::vector<double> errors;
  for (const SweepScore& score : found.scores)
    for (const Kind& kind : kinds) errors.push_back((score.*kind.part).mean);
  return robust_end(std::move(errors));
}

/// The range of an axis of errors.
std::optional<std::pair<double, double>> robust_range(const SweepFound& found) {
  constexpr double room = 1.05;
  const std::optional<double> end = robust_end(found);
  return end ? std::optional(std::pair{0.0, room * *end}) : std::nullopt;
}

constexpr const char* far_arrows = " Arrows at the edge are errors far beyond.";

/// Sizes and rates mostly go in ratios.
bool goes_in_ratios(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *low > 0 && *high >= 4 * *low;
}

/// Places of the values, numbers by their size.
std::vector<size_t> order_of(const GridAxis& axis, const std::vector<double>& numbers) {
  std::vector<size_t> order(axis.values.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!numbers.empty())
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return numbers[a] < numbers[b]; });
  return order;
}

/// The errors of the best simple model, level across the picture.
std::vector<Series> simple_lines(const SweepFound& found, double from, double to) {
  std::vector<Series> lines;
  const std::optional<size_t> simple = best_of(found.baselines);
  if (!simple) return lines;
  for (const Kind& kind : kinds)
    if (const double error = (found.baselines[*simple].*kind.part).mean; is_known(found, kind))
      lines.push_back(
          {.name = kind.name, .x = {from, to}, .y = {error, error}, .style = SeriesStyle::dashes});
  return lines;
}

Figure line_figure(const SweepFound& found) {
  const GridAxis& axis = found.plan.axes.front();
  const std::vector<double> numbers = numbers_of(axis.values);
  const std::vector<size_t> order = order_of(axis, numbers);
  Chart chart{.x_label = axis.name, .y_label = error_label, .y_range = robust_range(found), .width = 900};
  // Ticks at what was tried, where they have room.
  const bool is_named = numbers.empty() || order.size() <= most_ticks;
  if (is_named)
    for (size_t i : order) chart.x_names.push_back(axis.values[i]);
  else if (goes_in_ratios(numbers))
    chart.x_steps = ScaleSteps::logarithmic;
  for (const Kind& kind : kinds) {
    if (!is_known(found, kind)) continue;
    Series series{.name = kind.name};
    std::vector<double> values;
    if (numbers.empty() || numbers.size() == 1) series.style = SeriesStyle::points;
    for (size_t i : order) {
      const Estimate& error = found.scores[i].*kind.part;
      series.x.push_back(is_named ? static_cast<double>(series.x.size()) : numbers[i]);
      values.push_back(error.mean);
      // A line up to there would look like a wall.
      const bool is_far = chart.y_range && error.mean > chart.y_range->second;
      const double height = is_far ? std::numeric_limits<double>::quiet_NaN() : error.mean;
      series.y.push_back(height);
      series.y_low.push_back(height - error.deviation);
      series.y_high.push_back(height + error.deviation);
    }
    Series dots{.name = series.name, .x = series.x, .y = std::move(values), .style = SeriesStyle::points};
    const bool is_line = series.style == SeriesStyle::line;
    if (!is_line) series.y = dots.y;
    chart.series.push_back(std::move(series));
    if (is_line) chart.series.push_back(std::move(dots));
  }
  std::string caption = "Means over seeds. The shade is the deviation over seeds.";
  const double last = static_cast<double>(order.size()) - 1;
  const std::vector<Series> simple = is_named
                                         ? simple_lines(found, -0.5, last + 0.5)
                                         : simple_lines(found, numbers[order.front()], numbers[order.back()]);
  if (!simple.empty())
    caption += fmt::format(" Dashed lines are the simple model {}.",
                           found.baselines[*best_of(found.baselines)].name);
  chart.series.insert(chart.series.end(), simple.begin(), simple.end());
  if (chart.y_range) caption += far_arrows;
  return {{std::move(chart)}, std::move(caption)};
}

constexpr const char* far_name = "far beyond the scale";

double finite_first(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::max();
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
  std::vector<double> values(grid.values.values().begin(), grid.values.values().end());
  const std::optional<double> end = robust_end(values);
  if (end) grid.colors.range = {std::ranges::min(values, std::less<>(), finite_first), *end};
  Chart chart = heat_grid(grid);
  for (size_t i = 0; end && i < values.size(); ++i)
    if (values[i] > *end) {
      const auto row = static_cast<double>(i / across.values.size());
      const auto column = static_cast<double>(i % across.values.size());
      chart.boxes.push_back({.x_low = column - 0.5,
                             .x_high = column + 0.5,
                             .y_low = row - 0.5,
                             .y_high = row + 0.5,
                             .name = far_name,
                             .style = BoxStyle::dashes});
    }
  return chart;
}

std::vector<Figure> map_figures(const SweepFound& found) {
  Figure score{{map_of(found, "score", 560, [](const SweepScore& s) { return std::exp(s.score.mean); })},
               "The score that the best is chosen by. The darkest cell is the best."};
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
  Chart chart{.x_label = error_label,
              .width = 900,
              .height = static_cast<int>(110 + 22 * order.size()),
              .x_range = robust_range(found)};
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
  std::string caption = "Means over seeds, the best score on top. Lines are deviations over seeds.";
  if (chart.x_range) caption += far_arrows;
  if (all > order.size()) caption += fmt::format(" The best {} of {}.", order.size(), all);
  return {{std::move(chart)}, std::move(caption)};
}

std::string conclusion_of(const SweepFound& found) {
  const SweepScore& best = found.scores[found.best];
  std::string text =
      fmt::format("{} is the best of {}. Its error is {}.", code(best.name),
                  counted(found.scores.size(), "combination", "combinations"), errors_in_words(best));
  if (found.has_choice() && found.chosen() == std::set<size_t>{found.best})
    text += " Whichever shell is left out of the choice, the choice is the same.";
  else if (found.has_choice())
    text += fmt::format(
        " It was chosen by these errors. Where each shell is answered by the combination that does best on "
        "the other shells, the error is {}.",
        errors_in_words(found.elsewhere.score));
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
                   {"What to do next",
                    {Paragraph{fmt::format("Fit {}: {}", found.simple ? "the simple model" : "the best",
                                           code(found.command()))}}}};
  return page;
}

}  // namespace kedge
