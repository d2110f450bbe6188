// Any bytes decode to a file that encodes and decodes to itself, or are an Error.

#include "kedge/core/safetensors.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace kedge;
  TensorFile file;
  if (!reads([&] { return decode_safetensors(text_of(bytes, size), "input"); }, file)) return 0;
  const TensorFile again = decode_safetensors(encode_safetensors(file), "again");
  require(again.tensors == file.tensors && again.metadata == file.metadata);
  return 0;
}
