#include "cli/result_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kedge/predictor.h"

namespace kedge {
namespace {

/// Values in the order of their first appearance.
template <class Get>
std::vector<std::string> distinct(const std::vector<Cell>& cells, const Get& get) {
  std::vector<std::string> found;
  for (const Cell& cell : cells)
    if (std::find(found.begin(), found.end(), get(cell)) == found.end()) found.push_back(get(cell));
  return found;
}

TextCell cell_text(const Cell& cell) {
  const std::string ours = to_text(cell.ours);
  if (!cell.published) return ours;
  const std::string word = verdict(cell);
  const Emphasis emphasis = word == "agrees"   ? Emphasis::good
                            : word == "higher" ? Emphasis::bad
                                               : Emphasis::none;
  return {fmt::format("{} | {} | {}", to_text(*cell.published), ours, word), emphasis};
}

std::string split_title(const std::string& split) {
  if (split == "in") return "in support";
  if (split == "oos") return "out of support";
  return split;
}

}  // namespace

std::vector<TextTable> tables_of(const Result& result) {
  std::vector<TextTable> tables;
  const auto group_of = [](const Cell& cell) { return cell.split + "\n" + cell.preset; };
  for (const std::string& group : distinct(result.cells, group_of)) {
    std::vector<Cell> cells;
    for (const Cell& cell : result.cells)
      if (group_of(cell) == group) cells.push_back(cell);
    const auto rows = distinct(cells, [](const Cell& c) { return c.row; });
    const auto columns = distinct(cells, [](const Cell& c) { return c.column; });
    const bool compares = std::any_of(cells.begin(), cells.end(), [](const Cell& c) { return c.published; });
    TextTable table{.columns = {{""}}};
    table.caption = split_title(cells[0].split);
    if (!cells[0].preset.empty()) table.caption += fmt::format(", {} preset", cells[0].preset);
    if (compares) table.caption += ": published | ours | verdict";
    for (const std::string& column : columns) table.columns.push_back({column, Align::right});
    for (const std::string& row : rows) {
      std::vector<TextCell> line = {row};
      for (const std::string& column : columns) {
        const auto found = std::find_if(cells.begin(), cells.end(),
                                        [&](const Cell& c) { return c.row == row && c.column == column; });
        line.push_back(found == cells.end() ? TextCell() : cell_text(*found));
      }
      table.rows.push_back(std::move(line));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

Page page_of(const std::vector<Result>& results, const std::string& command) {
  Page page{.title = "kedge: the paper's tables and figures, made again",
            .intro =
                "Cells with three parts show what was published, what we measured (mean and deviation) and "
                "whether the two agree: within half of the published value. Of errors, lower is better.",
            .sections = {},
            .provenance = {.command = command, .version = version()}};
  std::set<std::string> machines;
  for (const Result& result : results) {
    Section section{.heading = fmt::format("{}: {}", result.id, result.title), .parts = {}};
    for (TextTable& table : tables_of(result)) section.parts.emplace_back(std::move(table));
    if (!result.charts.empty()) section.parts.emplace_back(Figure{result.charts, ""});
    for (const std::string& note : result.notes) section.parts.emplace_back(Paragraph{note});
    section.parts.emplace_back(
        Paragraph{fmt::format("Made by: {} (kedge {}; {}; seeds {})", result.command, result.version,
                              result.machine, fmt::join(result.seeds, ", "))});
    machines.insert(result.machine);
    page.sections.push_back(std::move(section));
  }
  page.provenance.machine = fmt::format("{}", fmt::join(machines, "; "));
  return page;
}

}  // namespace kedge
