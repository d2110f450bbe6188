#pragma once

// Safetensors: named arrays of numbers and a dictionary of text in one file that can hold nothing else.
//
//   8 bytes   length of the header, little-endian
//   header    JSON: {name: {"dtype", "shape", "data_offsets": [begin, end]}, "__metadata__": {text: text}}
//   data      the arrays, row-major, little-endian, one behind the other without gaps
//
// Laws: decode(encode(f)) = f; equal files have equal bytes, whatever order they were built in; decoding
// never reads outside its input and allocates nothing larger than it, however the input was made. Types other
// than those below, which the format knows, are errors.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kedge {

enum class TensorType { f32, f64, i32, i64 };

template <class T>
struct TensorTypeOf;
template <>
struct TensorTypeOf<float> : std::integral_constant<TensorType, TensorType::f32> {};
template <>
struct TensorTypeOf<double> : std::integral_constant<TensorType, TensorType::f64> {};
template <>
struct TensorTypeOf<int32_t> : std::integral_constant<TensorType, TensorType::i32> {};
template <>
struct TensorTypeOf<int64_t> : std::integral_constant<TensorType, TensorType::i64> {};

/// Law: bytes.size() is the product of the shape times the size of the type. An empty shape is one number.
struct Tensor {
  TensorType type = TensorType::f32;
  std::vector<size_t> shape;
  std::vector<std::byte> bytes;
  bool operator==(const Tensor&) const = default;
};

/// Throws Error when the shape does not call for exactly these bytes.
Tensor make_tensor(TensorType type, std::vector<size_t> shape, std::span<const std::byte> bytes);

template <class T>
Tensor make_tensor(std::vector<size_t> shape, std::span<const T> numbers) {
  return make_tensor(TensorTypeOf<T>::value, std::move(shape), std::as_bytes(numbers));
}

/// Throws Error when the tensor, which the text calls `what`, is of another type.
void require_type(const Tensor& tensor, TensorType type, const std::string& what);

/// The numbers of a tensor, row-major. Throws Error when T is not its type.
template <class T>
std::vector<T> values(const Tensor& tensor, const std::string& what = "tensor") {
  require_type(tensor, TensorTypeOf<T>::value, what);
  std::vector<T> numbers(tensor.bytes.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), tensor.bytes.data(), numbers.size() * sizeof(T));
  return numbers;
}

struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
  std::string source = "memory";  ///< what errors call the file; not part of it

  /// Throws Error naming file and tensor when it is missing.
  const Tensor& at(const std::string& name) const;

  /// The numbers of the named tensor. Throws Error when it is missing or of another type.
  template <class T>
  std::vector<T> values(const std::string& name) const {
    return kedge::values<T>(at(name), source + ": tensor " + name);
  }
};

/// The bytes of the file: names in order, data on a multiple of eight bytes. Throws Error ("save") on a
/// tensor that breaks its law, a tensor named __metadata__, and text that is not UTF-8.
std::string encode_safetensors(const TensorFile& file);

/// Of everything that the file says but `checksum_key`: the number of metadata; key and value of each in the
/// order of their keys; the number of tensors; name, type, dimensions and bytes of each in the order of their
/// names. docs/file-format.md has it byte by byte.
uint64_t content_checksum(const TensorFile& file);

/// The entry of the metadata that holds the checksum: sixteen hexadecimal digits.
inline constexpr const char* checksum_key = "checksum";
/// Gives the file the checksum of its content.
void seal(TensorFile& file);
/// Throws Error ("load") when the file has a checksum that is not that of its content.
void require_intact(const TensorFile& file);

/// Reads what encode_safetensors and other writers of the format make. Throws Error ("load"), one line that
/// names `source`, on anything else.
TensorFile decode_safetensors(std::string_view bytes, const std::string& source);

}  // namespace kedge
