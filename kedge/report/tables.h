#pragma once

// TextTable: a table of texts with alignment and emphasis, rendered for a browser, a terminal or a Markdown
// file.
//
// Laws: all three forms hold the same texts in the same order; a row shorter than the columns is filled with
// empty cells; no text can break out of its cell, whatever it holds. A line break in a text is one in a
// browser and a blank elsewhere.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "kedge/report/emphasis.h"

namespace kedge {

enum class Align { left, right, center };

struct TextPart {
  std::string text{};
  Emphasis emphasis = Emphasis::none;
};

struct TextCell {
  TextCell() = default;
  TextCell(std::string text, Emphasis emphasis = Emphasis::none) : parts{{std::move(text), emphasis}} {}
  TextCell(const char* text, Emphasis emphasis = Emphasis::none) : parts{{text, emphasis}} {}
  explicit TextCell(std::vector<TextPart> cell_parts) : parts(std::move(cell_parts)) {}

  std::vector<TextPart> parts;  ///< stand one after the other, with nothing between them
};

struct TextColumn {
  std::string heading{};
  Align align = Align::left;  ///< numbers read best at the right
};

struct TextTable {
  std::vector<TextColumn> columns{};
  std::vector<std::vector<TextCell>> rows{};
  std::string caption{};  ///< above the table; may be empty
};

/// Whether emphasis may be written as ANSI escapes: only where a terminal reads them.
enum class TerminalStyle { plain, ansi };

/// Each throws Error when a row has more cells than there are columns.
std::string to_html(const TextTable& table);
/// Cells are broken into lines where the table is wider than `columns`; 0 breaks none.
std::string to_text(const TextTable& table, TerminalStyle style = TerminalStyle::plain, size_t columns = 0);
std::string to_markdown(const TextTable& table);

}  // namespace kedge
