// Any text is a program that is written as it is read, or an Error.

#include "kedge/nn/program.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace kedge;
  return require_round_trip([](const std::string& text) { return Program::from_json(text); },
                            [](const Program& program) { return program.to_json(); }, text_of(bytes, size));
}
