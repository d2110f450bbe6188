// Any bytes decode to a file that encodes and decodes to itself, or are an Error.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kedge/core/error.h"
#include "kedge/core/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  kedge::TensorFile file;
  try {
    file = kedge::decode_safetensors({reinterpret_cast<const char*>(bytes), size}, "input");
  } catch (const kedge::Error&) {
    return 0;
  }
  // An Error from here on is a finding: it escapes and ends the fuzzer.
  const kedge::TensorFile again = kedge::decode_safetensors(kedge::encode_safetensors(file), "again");
  if (again.tensors != file.tensors || again.metadata != file.metadata) std::abort();
  return 0;
}
