// The checksum of a safetensors file.

#include "kedge/core/checksum.h"
#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/safetensors.h"
#include "kedge/core/shown.h"
#include "kedge/core/tensor_types.h"

namespace kedge {

uint64_t content_checksum(const TensorFile& file) {
  Checksum sum;
  sum.add(file.metadata.size() - file.metadata.count(checksum_key));
  for (const auto& [key, text] : file.metadata) {
    if (key == checksum_key) continue;
    sum.add(key);
    sum.add(text);
  }
  sum.add(file.tensors.size());
  for (const auto& [name, tensor] : file.tensors) {
    sum.add(name);
    sum.add(std::string_view(described(tensor.type).name));
    sum.add(tensor.shape.size());
    for (size_t extent : tensor.shape) sum.add(extent);
    sum.add(tensor.bytes.size());
    sum.add(tensor.bytes);
  }
  return sum.value();
}

void seal(TensorFile& file) { file.metadata[checksum_key] = fmt::format("{:016x}", content_checksum(file)); }

void require_intact(const TensorFile& file) {
  const auto stored = file.metadata.find(checksum_key);
  if (stored == file.metadata.end()) return;
  const std::string found = fmt::format("{:016x}", content_checksum(file));
  if (stored->second != found)
    throw Error("load", fmt::format("{} is damaged: its checksum is {}, its content gives {}; copy it again",
                                    one_line(file.source), shown(stored->second), found));
}

}  // namespace kedge
