#include "kedge/report/narrow.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "kedge/report/text.h"

namespace kedge {
namespace {

constexpr size_t gap = 2;              // blanks between columns
constexpr size_t least_sentence = 30;  // columns; a sentence in fewer is hard to read

/// A word, or a line of them; emphasis may change inside.
using Parts = std::vector<TextPart>;

size_t width_of(const Parts& parts) {
  size_t width = 0;
  for (const TextPart& part : parts) width += display_width(part.text);
  return width;
}

std::vector<Parts> words_of(const TextCell& cell) {
  std::vector<Parts> words(1);
  for (const TextPart& part : cell.parts) {
    std::string_view left = part.text;
    while (!left.empty()) {
      const size_t end = std::min(left.find_first_of(" \n"), left.size());
      if (end > 0) words.back().push_back({std::string(left.substr(0, end)), part.emphasis});
      if (end < left.size() && !words.back().empty()) words.emplace_back();
      left.remove_prefix(std::min(end + 1, left.size()));
    }
  }
  if (words.size() > 1 && words.back().empty()) words.pop_back();
  return words;
}

std::vector<Parts> lines_of(const TextCell& cell, size_t width) {
  if (width_of(cell.parts) <= width) return {cell.parts};
  std::vector<Parts> lines;
  size_t used = 0;
  for (Parts& word : words_of(cell)) {
    const size_t more = width_of(word);
    if (lines.empty() || used + 1 + more > width) {
      lines.push_back(std::move(word));
      used = more;
      continue;
    }
    // The blank belongs to the word before it, whose emphasis it has.
    if (!lines.back().empty()) lines.back().back().text += ' ';
    lines.back().insert(lines.back().end(), word.begin(), word.end());
    used += 1 + more;
  }
  return lines;
}

}  // namespace

std::vector<size_t> fitting_widths(const TextTable& table, size_t columns) {
  const size_t count = table.columns.size();
  std::vector<size_t> widths(count, 1), least(count, 1);
  const auto widen = [&](size_t c, const TextCell& cell) {
    widths[c] = std::max(widths[c], width_of(cell.parts));
    for (const Parts& word : words_of(cell)) least[c] = std::max(least[c], width_of(word));
  };
  for (size_t c = 0; c < count; ++c) widen(c, table.columns[c].heading);
  for (const auto& row : table.rows)
    for (size_t c = 0; c < std::min(count, row.size()); ++c) widen(c, row[c]);
  if (columns == 0 || count == 0) return widths;
  size_t total = std::accumulate(widths.begin(), widths.end(), gap * (count - 1));
  for (; total > columns; --total) {
    size_t widest = count;
    for (size_t c = 0; c < count; ++c)
      if (widths[c] > least[c] && (widest == count || widths[c] > widths[widest])) widest = c;
    if (widest == count) break;
    --widths[widest];
  }
  return widths;
}

std::vector<TextTable> parts_that_fit(const TextTable& table, size_t columns) {
  if (columns == 0 || table.columns.size() < 3) return {table};
  const size_t wanted = std::min(least_sentence, fitting_widths(table, 0).back());
  if (fitting_widths(table, columns).back() >= wanted) return {table};
  TextTable first = table, second{.columns = {table.columns.front(), table.columns.back()}};
  first.columns.pop_back();
  for (std::vector<TextCell>& row : first.rows) {
    row.resize(table.columns.size());
    second.rows.push_back({row.front(), row.back()});
    row.pop_back();
  }
  return {std::move(first), std::move(second)};
}

std::vector<std::vector<TextCell>> broken(const std::vector<TextCell>& row,
                                          const std::vector<size_t>& widths) {
  std::vector<std::vector<TextCell>> lines(1);
  for (size_t c = 0; c < std::min(row.size(), widths.size()); ++c) {
    const std::vector<Parts> parts = lines_of(row[c], widths[c]);
    if (lines.size() < parts.size()) lines.resize(parts.size());
    for (size_t l = 0; l < parts.size(); ++l) {
      lines[l].resize(c + 1);
      lines[l][c] = TextCell(parts[l]);
    }
  }
  return lines;
}

}  // namespace kedge
