#include "kedge/report/tables.h"

#include <algorithm>
#include <string_view>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/report/text.h"

namespace kedge {
namespace {

using Row = std::vector<TextCell>;

void check(const TextTable& table) {
  for (size_t r = 0; r < table.rows.size(); ++r) {
    if (table.rows[r].size() > table.columns.size()) {
      throw Error("report",
                  fmt::format("a table row needs at most {} cells; row {} has {}; add columns or drop cells",
                              table.columns.size(), r, table.rows[r].size()));
    }
  }
}

Row heading_row(const TextTable& table) {
  Row row;
  for (const TextColumn& column : table.columns) row.emplace_back(column.heading);
  return row;
}

const TextCell& cell_at(const Row& row, size_t column) {
  static const TextCell empty;
  return column < row.size() ? row[column] : empty;
}

// A line break or another control character would break the line that a row is.
std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return line;
}

std::string padded(const std::string& text, size_t width, Align align) {
  const size_t missing = width - std::min(width, display_width(text));
  const size_t before = align == Align::left ? 0 : align == Align::right ? missing : missing / 2;
  return std::string(before, ' ') + text + std::string(missing - before, ' ');
}

std::string markdown_cell(const TextCell& cell) {
  constexpr std::string_view special = "\\|*_`<[&~$";
  std::string text;
  for (char c : one_line(cell.text)) {
    if (special.find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  if (text.empty()) return text;
  if (cell.emphasis == Emphasis::strong) return "**" + text + "**";
  if (cell.emphasis == Emphasis::muted) return "*" + text + "*";
  return text;
}

std::string_view ansi_code(Emphasis emphasis) {
  switch (emphasis) {
    case Emphasis::strong:
      return "1";
    case Emphasis::muted:
      return "2";
    case Emphasis::good:
      return "32";
    case Emphasis::bad:
      return "31";
    case Emphasis::none:
      break;
  }
  return "";
}

std::string_view class_name(Emphasis emphasis) {
  switch (emphasis) {
    case Emphasis::strong:
      return "strong";
    case Emphasis::muted:
      return "muted";
    case Emphasis::good:
      return "good";
    case Emphasis::bad:
      return "bad";
    case Emphasis::none:
      break;
  }
  return "";
}

template <class Render>
std::vector<size_t> widths_of(const TextTable& table, size_t least, Render render) {
  std::vector<size_t> widths(table.columns.size(), least);
  const auto widen = [&](const Row& row) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(render(row[c])));
  };
  widen(heading_row(table));
  for (const Row& row : table.rows) widen(row);
  return widths;
}

std::string html_cell(std::string_view tag, const TextCell& cell, Align align) {
  std::string classes(class_name(cell.emphasis));
  if (align != Align::left)
    classes = (align == Align::right ? "right" : "center") + (classes.empty() ? "" : " " + classes);
  const std::string attribute = classes.empty() ? "" : fmt::format(R"( class="{}")", classes);
  return fmt::format("<{0}{1}>{2}</{0}>", tag, attribute, escape_xml(cell.text));
}

}  // namespace

std::string to_html(const TextTable& table) {
  check(table);
  const auto line = [&](const Row& row, std::string_view tag) {
    std::string cells;
    for (size_t c = 0; c < table.columns.size(); ++c)
      cells += html_cell(tag, cell_at(row, c), table.columns[c].align);
    return "<tr>" + cells + "</tr>\n";
  };
  std::string html = R"(<div class="scroll"><table>)";
  if (!table.caption.empty()) html += "<caption>" + escape_xml(table.caption) + "</caption>";
  html += "\n<thead>" + line(heading_row(table), "th") + "</thead>\n<tbody>\n";
  for (const Row& row : table.rows) html += line(row, "td");
  return html + "</tbody>\n</table></div>\n";
}

std::string to_text(const TextTable& table, TerminalStyle style) {
  check(table);
  const auto plain = [](const TextCell& cell) { return one_line(cell.text); };
  const std::vector<size_t> widths = widths_of(table, 1, plain);
  const auto line = [&](const Row& row, Emphasis fallback) {
    std::string text;
    for (size_t c = 0; c < widths.size(); ++c) {
      const TextCell& cell = cell_at(row, c);
      std::string shown = padded(plain(cell), widths[c], table.columns[c].align);
      const bool last = c + 1 == widths.size();
      if (last) shown.erase(shown.find_last_not_of(' ') + 1);
      const std::string_view code = ansi_code(cell.emphasis == Emphasis::none ? fallback : cell.emphasis);
      if (style == TerminalStyle::ansi && !code.empty())
        shown = fmt::format("\x1b[{}m{}\x1b[0m", code, shown);
      text += shown + (last ? "" : "  ");
    }
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::string text = table.caption.empty() ? "" : one_line(table.caption) + "\n\n";
  text += line(heading_row(table), Emphasis::strong);
  for (size_t c = 0; c < widths.size(); ++c) {
    for (size_t i = 0; i < widths[c]; ++i) text += "\u2500";
    text += c + 1 == widths.size() ? "\n" : "  ";
  }
  for (const Row& row : table.rows) text += line(row, Emphasis::none);
  return text;
}

std::string to_markdown(const TextTable& table) {
  check(table);
  constexpr size_t shortest_rule = 3;
  const std::vector<size_t> widths = widths_of(table, shortest_rule, markdown_cell);
  const auto line = [&](const Row& row) {
    std::string text = "|";
    for (size_t c = 0; c < widths.size(); ++c) {
      text += fmt::format(" {} |", padded(markdown_cell(cell_at(row, c)), widths[c], table.columns[c].align));
    }
    return text + "\n";
  };
  std::string text = table.caption.empty() ? "" : markdown_cell(table.caption) + "\n\n";
  text += line(heading_row(table)) + "|";
  for (size_t c = 0; c < widths.size(); ++c) {
    const Align align = table.columns[c].align;
    std::string rule(widths[c], '-');
    if (align == Align::center) rule.front() = ':';
    if (align != Align::left) rule.back() = ':';
    text += fmt::format(" {} |", rule);
  }
  text += "\n";
  for (const Row& row : table.rows) text += line(row);
  return text;
}

}  // namespace kedge
