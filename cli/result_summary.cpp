#include "cli/result_summary.h"

#include <algorithm>

#include "kedge/core/format.h"

namespace kedge {
namespace {

constexpr size_t most_worst = 3;

struct AgreementCounts {
  size_t cells = 0, agree = 0, better = 0, worse = 0;

  void add(const Cell& cell) {
    const std::string word = agreement(cell);
    if (word.empty()) return;
    ++cells;
    agree += word == "agrees" ? 1 : 0;
    better += word == "lower" ? 1 : 0;
    worse += word == "higher" ? 1 : 0;
  }
  std::vector<TextCell> row(const std::string& name) const {
    const auto count = [](size_t n, Emphasis emphasis) {
      return TextCell(std::to_string(n), n == 0 ? Emphasis::muted : emphasis);
    };
    return {name, std::to_string(cells), count(agree, Emphasis::good), count(better, Emphasis::fine),
            count(worse, Emphasis::bad)};
  }
};

AgreementCounts counts_of(const std::vector<Result>& results) {
  AgreementCounts counts;
  for (const Result& result : results)
    for (const Cell& cell : result.cells) counts.add(cell);
  return counts;
}

double ratio_of(const Cell& cell) { return cell.ours.mean / cell.published->mean; }

/// Whether two tables show the same fits.
bool is_same(const Cell& a, const Cell& b) {
  return a.row == b.row && a.column == b.column && a.split == b.split && a.preset == b.preset &&
         a.ours.mean == b.ours.mean;
}

/// Cells that are farthest above what was published, with their results; the same fits once.
std::vector<std::pair<const Result*, const Cell*>> worst_of(const std::vector<Result>& results) {
  std::vector<std::pair<const Result*, const Cell*>> worse;
  for (const Result& result : results)
    for (const Cell& cell : result.cells)
      if (agreement(cell) == "higher") worse.emplace_back(&result, &cell);
  std::stable_sort(worse.begin(), worse.end(),
                   [](const auto& a, const auto& b) { return ratio_of(*a.second) > ratio_of(*b.second); });
  std::vector<std::pair<const Result*, const Cell*>> worst;
  for (const auto& one : worse) {
    const auto same = [&](const auto& other) { return is_same(*one.second, *other.second); };
    if (worst.size() < most_worst && std::none_of(worst.begin(), worst.end(), same)) worst.push_back(one);
  }
  return worst;
}

}  // namespace

Emphasis emphasis_of_agreement(const Cell& cell) {
  const std::string word = agreement(cell);
  if (word == "agrees") return Emphasis::good;
  if (word == "lower") return Emphasis::fine;
  return word == "higher" ? Emphasis::bad : Emphasis::muted;
}

std::string split_text(const Cell& cell) {
  const std::string split = cell.split == "in"    ? "in support"
                            : cell.split == "oos" ? "out of support"
                                                  : cell.split;
  return split + (cell.preset.empty() ? "" : fmt::format(", {} preset", cell.preset));
}

std::string agreement_sentence(const std::vector<Result>& results) {
  const AgreementCounts counts = counts_of(results);
  if (counts.cells == 0) return "";
  return fmt::format(
      "Of {} errors with a published value, {} agree with it, {} are lower, which is better, and {} are "
      "higher.",
      counts.cells, counts.agree, counts.better, counts.worse);
}

Section agreement_section(const std::vector<Result>& results) {
  Section section{.heading = "Summary"};
  if (counts_of(results).cells == 0) return section;
  TextTable table{.columns = {{"table"},
                              {"published", Align::right},
                              {"agree", Align::right},
                              {"better (lower)", Align::right},
                              {"worse (higher)", Align::right}}};
  for (const Result& result : results)
    if (const AgreementCounts counts = counts_of({result}); counts.cells > 0)
      table.rows.push_back(counts.row(result.id));
  section.parts.emplace_back(std::move(table));
  ItemList worst;
  for (const auto& [result, cell] : worst_of(results))
    worst.items.push_back(fmt::format("{}, {}: {}, {}: {}, {:.2g} times the published {}.", result->id,
                                      split_text(*cell), cell->row, cell->column, ours_text(*cell),
                                      ratio_of(*cell), to_text(*cell->published)));
  if (worst.items.empty()) return section;
  section.parts.emplace_back(Paragraph{"Farthest above what was published:"});
  section.parts.emplace_back(std::move(worst));
  return section;
}

}  // namespace kedge
