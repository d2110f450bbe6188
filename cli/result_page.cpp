#include "cli/result_page.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "cli/result_summary.h"
#include "kedge/core/format.h"
#include "kedge/jobs/numerics.h"
#include "kedge/predictor/predictor.h"

namespace kedge {
namespace {

constexpr size_t most_columns = 5;  // of a table that is to fit on a terminal

/// Values in the order of their first appearance.
template <class Get>
std::vector<std::string> distinct(const std::vector<Cell>& cells, const Get& get) {
  std::vector<std::string> found;
  std::unordered_set<std::string> known;
  for (const Cell& cell : cells)
    if (known.insert(get(cell)).second) found.push_back(get(cell));
  return found;
}

/// Whether it is the least error of its row in the table. One that lacks a fit is never.
bool is_least(const Cell& cell, const std::vector<Cell>& table) {
  const auto contends = [&](const Cell& c) {
    return c.contends && c.row == cell.row && c.failed == 0 && std::isfinite(c.ours.mean);
  };
  if (!contends(cell) || std::count_if(table.begin(), table.end(), contends) < 2) return false;
  return std::none_of(table.begin(), table.end(),
                      [&](const Cell& c) { return contends(c) && c.ours.mean < cell.ours.mean; });
}

Emphasis emphasis_of_ours(const Cell& cell, const std::vector<Cell>& table) {
  return is_least(cell, table) ? Emphasis::strong : Emphasis::none;
}

/// Ours, and below it whether it agrees with what was published.
TextCell cell_text(const Cell& cell, const std::vector<Cell>& table) {
  const TextPart ours{ours_text(cell), emphasis_of_ours(cell, table)};
  if (!cell.published) return {ours.text, ours.emphasis};
  const std::string word = agreement(cell);
  const std::string verdict = word == "agrees" ? "agrees with" : agreement_text(cell);
  return TextCell({ours, {"\n"}, {verdict + "\n" + to_text(*cell.published), emphasis_of_agreement(cell)}});
}

/// Cells of one split and preset each.
std::vector<std::vector<Cell>> groups_of(const Result& result) {
  std::vector<std::vector<Cell>> groups;
  std::map<std::pair<std::string, std::string>, size_t> places;
  for (const Cell& cell : result.cells) {
    const auto [place, is_new] = places.emplace(std::pair(cell.split, cell.preset), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(cell);
  }
  return groups;
}

bool compares(const std::vector<Cell>& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const Cell& c) { return c.published; });
}

std::vector<std::string> rows_of(const std::vector<Cell>& cells) {
  return distinct(cells, [](const Cell& c) { return c.row; });
}

std::vector<std::string> columns_of(const std::vector<Cell>& cells) {
  return distinct(cells, [](const Cell& c) { return c.column; });
}

/// Whether rows and columns have so few cells in common that a page would be all empty cells.
bool is_sparse(const std::vector<Cell>& cells) {
  return rows_of(cells).size() * columns_of(cells).size() > 10 * cells.size() + 100;
}

TextTable matrix_of(const std::vector<Cell>& cells) {
  TextTable table{.columns = {{""}}};
  table.caption = split_text(cells.front());
  const std::vector<std::string> columns = columns_of(cells);
  for (const std::string& column : columns) table.columns.push_back({column, Align::right});
  std::map<std::pair<std::string, std::string>, const Cell*> places;
  for (const Cell& cell : cells) places.emplace(std::pair(cell.row, cell.column), &cell);
  for (const std::string& row : rows_of(cells)) {
    std::vector<TextCell> line = {row};
    for (const std::string& column : columns) {
      const auto found = places.find({row, column});
      line.push_back(found == places.end() ? TextCell() : cell_text(*found->second, cells));
    }
    table.rows.push_back(std::move(line));
  }
  return table;
}

/// A line for each cell; the name of a row stands before the first of its cells.
TextTable list_of(const std::vector<Cell>& cells) {
  TextTable table{.columns = {{""}, {""}, {"ours", Align::right}}, .caption = split_text(cells.front())};
  const bool compared = compares(cells);
  if (compared) {
    table.columns.push_back({"published", Align::right});
    table.columns.push_back({"agreement"});
  }
  std::string row;
  for (const Cell& cell : cells) {
    table.rows.push_back(
        {cell.row == row ? "" : cell.row, cell.column, {ours_text(cell), emphasis_of_ours(cell, cells)}});
    row = cell.row;
    if (!compared) continue;
    table.rows.back().push_back(cell.published ? to_text(*cell.published) : "");
    table.rows.back().push_back({agreement_text(cell), emphasis_of_agreement(cell)});
  }
  return table;
}

/// Whether the program that makes the page would find the same.
std::string validity_of(const Result& result) {
  if (holds_today(result.numerics)) return fmt::format("It holds for this program: {}.", result.numerics);
  return result.numerics.empty()
             ? "It is of a program before numerics 1 and was not compared with this one."
             : fmt::format("It is of {}; this program has {}.", result.numerics, numerics_of("cpu"));
}

std::string origin_of(const Result& result) {
  std::vector<std::string> facts = {"kedge " + result.version, "build " + result.build};
  facts.insert(facts.end(), result.machines.begin(), result.machines.end());
  if (!result.seeds.empty()) facts.push_back(fmt::format("seeds {}", fmt::join(result.seeds, ", ")));
  return fmt::format("Made by: {} ({}). {}", result.command, fmt::join(facts, "; "), validity_of(result));
}

Section section_of(const Result& result) {
  Section section{.heading = fmt::format("{}: {}", result.id, result.title), .parts = {}};
  if (!result.charts.empty()) section.parts.emplace_back(Figure{result.charts, ""});
  for (TextTable& table : tables_of(result)) section.parts.emplace_back(std::move(table));
  for (const std::string& note : result.notes) section.parts.emplace_back(Paragraph{note});
  section.parts.emplace_back(Paragraph{origin_of(result)});
  return section;
}

}  // namespace

std::vector<TextTable> tables_of(const Result& result) {
  std::vector<TextTable> tables;
  for (const std::vector<Cell>& cells : groups_of(result))
    tables.push_back(is_sparse(cells) ? list_of(cells) : matrix_of(cells));
  return tables;
}

std::vector<TextTable> narrow_tables_of(const Result& result) {
  std::vector<TextTable> tables;
  for (const std::vector<Cell>& cells : groups_of(result))
    tables.push_back(compares(cells) || columns_of(cells).size() > most_columns || is_sparse(cells)
                         ? list_of(cells)
                         : matrix_of(cells));
  return tables;
}

Page page_of(const std::vector<Result>& results, const std::string& command) {
  Page page{
      .title = "kedge: the paper's tables and figures, made again",
      .conclusion = agreement_sentence(results),
      .intro =
          "A cell shows the mean and deviation that we measured. Where there is a published value, it stands "
          "below, after a word: ours agrees with it when it is within the published mean ± its deviation, "
          "and "
          "is lower or higher otherwise. Of errors, lower is better. Bold is the least error that we "
          "measured "
          "in a row of a table, over all of its methods, ours or not; an expert is no method.",
      .sections = {agreement_section(results)},
      .provenance = {.command = command, .version = version()}};
  if (page.sections[0].parts.empty()) page.sections.clear();
  // Figures before tables, in the page and in each result.
  std::vector<const Result*> order;
  for (const Result& result : results) order.push_back(&result);
  std::stable_partition(order.begin(), order.end(), [](const Result* r) { return !r->charts.empty(); });
  std::set<std::string> machines;
  for (const Result* result : order) {
    page.sections.push_back(section_of(*result));
    machines.insert(result->machines.begin(), result->machines.end());
  }
  page.provenance.machine = fmt::format("{}", fmt::join(machines, "; "));
  return page;
}

}  // namespace kedge
