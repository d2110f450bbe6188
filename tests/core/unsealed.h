#pragma once

// A model or policy file without its checksum, for tests that damage one and want the other checks to speak.

#include <string_view>

#include "kedge/core/safetensors.h"

namespace kedge {

inline TensorFile unsealed(std::string_view bytes) {
  TensorFile file = decode_safetensors(bytes, "m.kedge");
  file.metadata.erase(checksum_key);
  return file;
}

}  // namespace kedge
