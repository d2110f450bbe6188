#include "kedge/table/csv.h"

#include "kedge/core/input_stream.h"
#include "kedge/table/csv_rows.h"

namespace kedge {

Table read_csv(const std::string& path, const CsvOptions& options) {
  InputStream input(path, "csv");
  return parse_csv(input.read_rest(), input.source(), options);
}

Table parse_csv(std::string_view text, const std::string& source, const CsvOptions& options) {
  CsvScanner scanner(text, source, options.format);
  const std::vector<std::string> names = read_names(scanner, source);
  CsvRows rows = read_rows(scanner, names, source, {.columns = options});
  require_rows(rows.table);
  return std::move(rows.table);
}

}  // namespace kedge
