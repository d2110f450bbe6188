// Any text is the options of a fit or of a policy, which are written as they are read, or an Error.

#include "kedge/imitation/options.h"
#include "kedge/predictor/options.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace kedge;
  require_round_trip([](const std::string& text) { return options_from_json(text); },
                     [](const FitOptions& options) { return to_json(options); }, text_of(bytes, size));
  return require_round_trip([](const std::string& text) { return policy_options_from_json(text); },
                            [](const PolicyOptions& options) { return to_json(options); },
                            text_of(bytes, size));
}
