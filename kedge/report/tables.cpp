#include "kedge/report/tables.h"

#include <algorithm>
#include <string_view>

#include "kedge/core/code_points.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/report/narrow.h"
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

// A line break would break the line that a row is, a mark of direction the order of its cells.
std::string unbroken_line(std::string_view text) { return without_controls(text, " "); }

/// The texts of a cell's parts, as `render` writes each.
template <class Render>
std::string joined(const TextCell& cell, const Render& render) {
  std::string text;
  for (const TextPart& part : cell.parts) text += render(part);
  return text;
}

std::string plain_cell(const TextCell& cell) {
  return joined(cell, [](const TextPart& part) { return unbroken_line(part.text); });
}

/// `text`, which is shown as `shown` columns, filled up to `width`.
std::string padded(const std::string& text, size_t shown, size_t width, Align align) {
  const size_t missing = width - std::min(width, shown);
  const size_t before = align == Align::left ? 0 : align == Align::right ? missing : missing / 2;
  return std::string(before, ' ') + text + std::string(missing - before, ' ');
}

std::string markdown_part(const TextPart& part) {
  constexpr std::string_view special = "\\|*_`<[&~$";
  std::string text;
  for (char c : unbroken_line(part.text)) {
    if (special.find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  if (text.empty()) return text;
  if (part.emphasis == Emphasis::strong) return "**" + text + "**";
  if (part.emphasis == Emphasis::muted) return "*" + text + "*";
  return text;
}

std::string markdown_cell(const TextCell& cell) { return joined(cell, markdown_part); }

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

std::string with_breaks(std::string_view text) {
  std::string html = escape_xml(text);
  for (size_t at = html.find('\n'); at != html.npos; at = html.find('\n', at)) html.replace(at, 1, "<br/>");
  return html;
}

std::string html_cell(std::string_view tag, const TextCell& cell, Align align) {
  // One part is the cell; of several, each that is emphasized stands in a span.
  const bool whole = cell.parts.size() == 1;
  std::string classes(whole ? class_name(cell.parts[0].emphasis) : "");
  if (align != Align::left)
    classes = (align == Align::right ? "right" : "center") + (classes.empty() ? "" : " " + classes);
  const std::string attribute = classes.empty() ? "" : fmt::format(R"( class="{}")", classes);
  const std::string content = joined(cell, [&](const TextPart& part) {
    const std::string text = with_breaks(part.text);
    return whole || part.emphasis == Emphasis::none
               ? text
               : fmt::format(R"(<span class="{}">{}</span>)", class_name(part.emphasis), text);
  });
  return fmt::format("<{0}{1}>{2}</{0}>", tag, attribute, content);
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

std::string to_text(const TextTable& table, TerminalStyle style, size_t columns) {
  check(table);
  if (const std::vector<TextTable> parts = parts_that_fit(table, columns); parts.size() > 1)
    return to_text(parts[0], style, columns) + "\n" + to_text(parts[1], style, columns);
  const std::vector<size_t> widths = fitting_widths(table, columns);
  const auto line = [&](const Row& row, Emphasis fallback) {
    std::string text;
    for (size_t c = 0; c < widths.size(); ++c) {
      const TextCell& cell = cell_at(row, c);
      const std::string marked = joined(cell, [&](const TextPart& part) {
        const std::string_view code = ansi_code(part.emphasis == Emphasis::none ? fallback : part.emphasis);
        return style == TerminalStyle::plain || code.empty() || part.text.empty()
                   ? unbroken_line(part.text)
                   : fmt::format("\x1b[{}m{}\x1b[0m", code, unbroken_line(part.text));
      });
      text += padded(marked, display_width(plain_cell(cell)), widths[c], table.columns[c].align) + "  ";
    }
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  const auto lines = [&](const Row& row, Emphasis fallback) {
    std::string text;
    for (const Row& part : broken(row, widths)) text += line(part, fallback);
    return text;
  };
  std::string text = table.caption.empty() ? "" : unbroken_line(table.caption) + "\n\n";
  text += lines(heading_row(table), Emphasis::strong);
  for (size_t c = 0; c < widths.size(); ++c) {
    for (size_t i = 0; i < widths[c]; ++i) text += "\u2500";
    text += c + 1 == widths.size() ? "\n" : "  ";
  }
  for (const Row& row : table.rows) text += lines(row, Emphasis::none);
  return text;
}

std::string to_markdown(const TextTable& table) {
  check(table);
  constexpr size_t shortest_rule = 3;
  const std::vector<size_t> widths = widths_of(table, shortest_rule, markdown_cell);
  const auto line = [&](const Row& row) {
    std::string text = "|";
    for (size_t c = 0; c < widths.size(); ++c) {
      const std::string cell = markdown_cell(cell_at(row, c));
      text += fmt::format(" {} |", padded(cell, display_width(cell), widths[c], table.columns[c].align));
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
