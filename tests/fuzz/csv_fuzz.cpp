// Any text is a table that is written and read to itself, numbers or words, or an Error.

#include <bit>
#include <cmath>
#include <sstream>
#include <vector>

#include "kedge/table/csv.h"
#include "tests/fuzz/fuzz.h"

namespace kedge {
namespace {

bool same(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

bool same(const Column& a, const Column& b) {
  if (a.name != b.name || a.words != b.words || a.values.size() != b.values.size()) return false;
  for (size_t r = 0; r < a.values.size(); ++r)
    if (!same(a.values[r], b.values[r])) return false;
  return true;
}

/// Reads the text with these columns as words.
void require_law(std::string_view text, const std::vector<std::string>& words) {
  Table table;
  if (!reads([&] { return parse_csv(text, "input", {.text = words, .only = {}, .skip = {}}); }, table))
    return;
  std::ostringstream out;
  write_csv(out, table);
  const Table again = parse_csv(out.str(), "again", {.text = words, .only = {}, .skip = {}});
  require(again.columns().size() == table.columns().size());
  for (size_t c = 0; c < table.columns().size(); ++c) require(same(table.columns()[c], again.columns()[c]));
}

/// Any text has a format or an Error, and is a table of that format or an Error.
void require_format(std::string_view text) {
  CsvFormat format;
  Table table;
  if (reads([&] { return recognise_csv(text, "input"); }, format))
    reads([&] { return parse_csv(text, "input", {.text = {}, .only = {}, .skip = {}, .format = format}); },
          table);
}

/// Names of the first columns, as they stand in a header without quotes.
std::vector<std::string> names_of(std::string_view text) {
  std::string header(text.substr(0, text.find('\n')));
  std::vector<std::string> names;
  for (size_t at = 0; at != std::string::npos && names.size() < 8;) {
    const size_t end = header.find(',', at);
    names.push_back(header.substr(at, end == std::string::npos ? end : end - at));
    at = end == std::string::npos ? end : end + 1;
  }
  return names;
}

}  // namespace
}  // namespace kedge

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace kedge;
  const std::string_view text = text_of(bytes, size);
  require_format(text);
  require_law(text, {});
  const std::vector<std::string> names = names_of(text);
  require_law(text, names);
  require_law(text, {names.front()});
  return 0;
}
