// Any text is the result of an experiment, which is written as it is read and makes a page, or an Error.

#include "cli/result_page.h"
#include "kedge/experiments/result.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace kedge;
  const std::string_view text = text_of(bytes, size);
  const auto read = [](const std::string& from) { return result_from_json(from, "input"); };
  require_round_trip(
      read, [](const Result& result) { return to_json(result); }, text);
  Result result;
  if (!reads([&] { return read(std::string(text)); }, result)) return 0;
  std::string page;
  reads([&] { return to_html(page_of({result}, "kedge report")); }, page);
  // Of the size of what it shows: a hostile file of a megabyte may not fill a disk.
  require(page.size() < 1'000'000 + 200 * size);
  return 0;
}
