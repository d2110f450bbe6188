// Changes of safetensors files that keep them files: a mutation of bytes alone would break the length in
// front of the header, or the escaped JSON in it, almost always. One text of the metadata, one tensor's
// numbers or its shape is mutated, and the file is encoded again without its checksum.

#include <algorithm>
#include <cstring>
#include <random>

#include "kedge/core/safetensors.h"
#include "tests/fuzz/fuzz.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* bytes, size_t size, size_t most);

namespace kedge {
namespace {

constexpr size_t room = 1 << 12;  // that a part may grow by

void mutate(std::string& text) {
  const size_t before = text.size();
  text.resize(before + room);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(text.data()), before, text.size()));
}

template <class Map>
auto any_of(Map& map, std::minstd_rand& random) {
  auto found = map.begin();
  std::advance(found, static_cast<std::ptrdiff_t>(random() % map.size()));
  return found;
}

void mutate(Tensor& tensor, std::minstd_rand& random) {
  const size_t element = tensor.type == TensorType::f32 || tensor.type == TensorType::i32 ? 4 : 8;
  if (!tensor.bytes.empty() && (random() % 3 != 0 || tensor.shape.empty())) {
    LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(tensor.bytes.data()), tensor.bytes.size(),
                     tensor.bytes.size());
    return;
  }
  if (tensor.shape.empty()) return;
  size_t count = element;
  tensor.shape[random() % tensor.shape.size()] = random() % 9;
  for (size_t extent : tensor.shape) count *= extent;
  tensor.bytes.resize(std::min(count, room));
  if (count > room) tensor.shape = {tensor.bytes.size() / element};
}

}  // namespace
}  // namespace kedge

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* bytes, size_t size, size_t most, unsigned seed) {
  using namespace kedge;
  std::minstd_rand random(seed);
  TensorFile file;
  const bool is_file = reads([&] { return decode_safetensors(text_of(bytes, size), "input"); }, file);
  if (!is_file || file.metadata.empty() || file.tensors.empty() || random() % 16 == 0)
    return LLVMFuzzerMutate(bytes, size, most);
  if (random() % 3 != 0)
    mutate(any_of(file.metadata, random)->second);
  else
    mutate(any_of(file.tensors, random)->second, random);
  file.metadata.erase("checksum");
  std::string encoded;
  if (!reads([&] { return encode_safetensors(file); }, encoded) || encoded.size() > most)
    return LLVMFuzzerMutate(bytes, size, most);
  std::memcpy(bytes, encoded.data(), encoded.size());
  return encoded.size();
}
