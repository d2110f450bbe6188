// Any text is JSON that is written as it is read, or an Error.

#include "kedge/core/json.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace kedge;
  return require_round_trip([](const std::string& text) { return Json::parse(text); },
                            [](const Json& json) { return json.dump(); }, text_of(bytes, size));
}
