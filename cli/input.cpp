#include "cli/input.h"

#include <fstream>
#include <string_view>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/file_kind.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/name_index.h"
#include "kedge/core/shown.h"
#include "kedge/table/column_text.h"
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
    std::string start(200, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(start.data(), static_cast<std::streamsize>(start.size()));
    return is_kedge_file(std::string_view(start).substr(0, static_cast<size_t>(file.gcount())));
  };
  if (!is_written_by_kedge(model) && is_written_by_kedge(queries))
    throw Error("read", fmt::format("the model comes first, then the queries; found the model {} behind {}; "
                                    "swap the two",
                                    one_line(queries), one_line(model)));
}

Table read_table(const std::string& path, const CsvOptions& options,
                 const std::vector<std::string>& unnamed) {
  const std::string bytes = read_file(path, "read");
  const std::string source = path == "-" ? "standard input" : path;
  require_table(bytes, source);
  if (!std::string_view(bytes).starts_with(npy_magic)) return parse_csv(bytes, source, options);
  Table table = table_from_matrix(parse_npy(bytes, source), source);
  if (table.columns().size() == unnamed.size()) table = with_names(table, unnamed);
  return chosen(table, options);
}

}  // namespace kedge
