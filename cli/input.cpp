#include "cli/input.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string_view>
#include <utility>

#include "cli/checks.h"
#include "kedge/core/error.h"
#include "kedge/core/file_kind.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/name_index.h"
#include "kedge/core/shown.h"
#include "kedge/table/column_text.h"
#include "kedge/table/csv_blocks.h"
#include "kedge/table/csv_rows.h"
#include "kedge/table/npy.h"

namespace kedge {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";

Table with_names(const Table& table, const std::vector<std::string>& names) {
  Table renamed(table.source());
  for (size_t c = 0; c < names.size(); ++c) {
    Column column = table.columns()[c];
    column.name = names[c];
    renamed.add(std::move(column));
  }
  return renamed;
}

/// The columns that the options choose, as read_csv does.
Table chosen(const Table& table, const CsvOptions& options) {
  const NameIndex skip(options.skip), only(options.only);
  for (const auto* names : {&options.text, &options.only, &options.skip})
    for (const std::string& name : *names) table.column(name);
  Table result(table.source());
  for (const Column& column : table.columns()) {
    if (skip.has(column.name)) continue;
    if (options.only.empty() || only.has(column.name)) result.add(column);
  }
  return result;
}

/// As many records as a format is told by.
std::string_view first_records(std::string_view text, const CsvSigns& told) {
  constexpr size_t sample_bytes = size_t{1} << 20;
  if (text.size() <= sample_bytes) return text;
  const size_t end = end_of_records(text.substr(0, sample_bytes), told.separator);
  return end == 0 ? text : text.substr(0, end);
}

}  // namespace

std::vector<std::string> split_names(const std::string& text, const std::string& option) {
  if (text.empty()) return {};
  std::vector<std::string> names;
  for (const std::string& name : split_text(text, ',')) names.push_back(unescape_name(name));
  NameIndex seen;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty())
      throw Error("options",
                  fmt::format("{} needs names with commas between; found {}", option, shown(text)));
    if (!seen.add(names[i], i))
      throw Error("options", fmt::format("{} names {} twice; name it once", option, shown(names[i])));
  }
  return names;
}

void check_order(const std::string& model, const std::string& queries) {
  const auto is_written_by_kedge = [](const std::string& path) {
    std::string start(kind_bytes, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(start.data(), static_cast<std::streamsize>(start.size()));
    return is_kedge_file(std::string_view(start).substr(0, static_cast<size_t>(file.gcount())));
  };
  if (!is_written_by_kedge(model) && is_written_by_kedge(queries))
    throw Error("read", fmt::format("the model comes first, then the queries; found the model {} behind {}; "
                                    "swap the two",
                                    one_line(queries), one_line(model)));
}

void declare(const Command& sub, FormatFlags& flags, const std::string& group) {
  const auto add = [&](const std::string& flag, std::string& to, const std::vector<std::string>& values,
                       const std::string& text) {
    sub.add_option(flag, to, text + " (default: recognised)")
        .type_name(fmt::format("{}", fmt::join(values, "|")))
        .check(one_of(values))
        .group(group);
  };
  add("--separator", flags.separator, {"comma", "semicolon", "tab"}, "What stands between cells");
  add("--decimal", flags.decimal, {"point", "comma"}, "Decimal sign of numbers");
  add("--header", flags.header, {"yes", "no"}, "Whether the first line names the columns");
}

CsvSigns signs_of(const FormatFlags& flags) {
  return {.separator = value_named<Separator>(flags.separator),
          .decimal = value_named<Decimal>(flags.decimal),
          .header = value_named<Header>(flags.header)};
}

void say(const std::string& text) { std::fputs(fmt::format("kedge: {}\n", one_line(text)).c_str(), stderr); }

void say_format(const std::string& source, const CsvFormat& format, const CsvFormat& usual) {
  for (const std::string& sentence : differences(format, usual)) say(fmt::format("{}: {}", source, sentence));
}

bool holds_npy(InputStream& input) {
  const std::string_view start = input.peek(kind_bytes);
  require_table(start, input.source());
  return start.starts_with(npy_magic);
}

Table read_npy_table(InputStream& input, const CsvOptions& options, const std::vector<std::string>& unnamed) {
  Table table = table_from_matrix(parse_npy(input.read_rest(), input.source()), input.source());
  if (table.columns().size() == unnamed.size()) table = with_names(table, unnamed);
  return chosen(table, options);
}

Table read_table(const std::string& path, const CsvOptions& options,
                 const std::vector<std::string>& unnamed) {
  InputStream input(path, "read");
  if (holds_npy(input)) return read_npy_table(input, options, unnamed);
  const std::string text = input.read_rest();
  const CsvFormat format = recognise_csv(first_records(text, {}), input.source());
  CsvScanner scanner(text, input.source(), format);
  std::vector<std::string> names = read_names(scanner, input.source());
  if (format.header == Header::no && names.size() == unnamed.size()) names = unnamed;
  Table table = read_rows(scanner, names, input.source(), {.columns = options}).table;
  require_rows(table);
  return table;
}

OpenTable read_open_table(const std::string& path, CsvOptions options, const CsvSigns& told) {
  InputStream input(path, "read");
  if (holds_npy(input)) return {read_npy_table(input, options)};
  const std::string text = input.read_rest();
  options.format = recognise_csv(first_records(text, told), input.source(), told);
  const auto read = [&] {
    CsvScanner scanner(text, input.source(), options.format);
    const std::vector<std::string> names = read_names(scanner, input.source());
    return read_rows(scanner, names, input.source(), {.columns = options, .odd = OddCells::count});
  };
  CsvRows rows = read();
  require_rows(rows.table);
  bool has_text = false;
  for (const CellCounts& counts : rows.counts) {
    if (counts.odd == 0) continue;
    const auto first = std::find_if(rows.odd.begin(), rows.odd.end(),
                                    [&](const OddCell& cell) { return cell.column == counts.column; });
    if (counts.numbers >= counts.odd) refuse_odd(*first, input.source(), options.format);
    options.text.push_back(counts.column);
    has_text = true;
  }
  if (has_text) rows = read();
  return {std::move(rows.table), options.format};
}

}  // namespace kedge
