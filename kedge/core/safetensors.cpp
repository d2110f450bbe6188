#include "kedge/core/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <optional>
#include <tuple>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/file_kind.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/shown.h"
#include "kedge/core/tensor_types.h"

namespace kedge {
namespace {

static_assert(std::endian::native == std::endian::little, "the format's numbers are copied as they are");
static_assert(sizeof(size_t) == sizeof(uint64_t));

constexpr size_t length_bytes = 8;
constexpr size_t alignment = 8;
constexpr size_t longest_header = 100'000'000;
constexpr int deepest_header = 3;  // the file, a tensor, its shape
const std::string metadata_key = "__metadata__";

/// Nothing when the number of bytes does not fit 64 bits.
std::optional<size_t> byte_count(const std::vector<size_t>& shape, size_t element) {
  size_t count = element;
  for (size_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

/// A tensor as the header describes it, before any of its bytes were touched.
struct Entry {
  std::string name;
  TensorType type;
  std::vector<size_t> shape;
  size_t begin, end;
};

class Decoder {
 public:
  Decoder(std::string_view bytes, const std::string& source) : bytes_(bytes), source_(source) {}

  TensorFile run() {
    const std::string_view header = read_header();
    const Json root = parse(header);
    TensorFile file;
    file.source = source_;
    std::vector<Entry> entries;
    for (const auto& [name, value] : root.as_object("header")) {
      if (name == metadata_key)
        file.metadata = read_metadata(value);
      else
        entries.push_back(read_entry(name, value));
    }
    const std::string_view data = bytes_.substr(length_bytes + header.size());
    check_layout(entries, data.size());
    for (Entry& entry : entries) {
      const auto part = std::as_bytes(std::span(data.substr(entry.begin, entry.end - entry.begin)));
      file.tensors[entry.name] = {entry.type, std::move(entry.shape), {part.begin(), part.end()}};
    }
    return file;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("load", fmt::format("{}: {}", one_line(source_), what));
  }

  void require_bytes(size_t needed) const {
    if (needed <= bytes_.size()) return;
    fail(fmt::format("file is cut: needs {} bytes, has {}; copy it again", needed, bytes_.size()));
  }

  std::string_view read_header() const {
    if (const FileKind* other = other_kind(bytes_))
      fail(fmt::format("needs a file that kedge fit or kedge imitate wrote; found {}; {}", other->name,
                       other->no_model));
    require_bytes(length_bytes);
    uint64_t length = 0;
    std::memcpy(&length, bytes_.data(), length_bytes);
    if (length > longest_header) {
      fail(fmt::format("header of {} bytes is too long, at most {} are allowed; is it a safetensors file?",
                       length, longest_header));
    }
    require_bytes(length_bytes + length);
    const std::string_view header = bytes_.substr(length_bytes, length);
    // The JSON parser would skip a byte order mark, and stop at a zero byte as if the text ended there.
    if (!header.starts_with('{')) fail("header does not begin with {; is it a safetensors file?");
    if (const size_t zero = header.find('\0'); zero != std::string_view::npos) {
      fail(fmt::format("header is not JSON: byte {} is zero", zero));
    }
    return header;
  }

  /// Of two tensors of one name, which is meant cannot be told.
  Json parse(std::string_view header) const {
    try {
      return Json::parse(header,
                         {.deepest = deepest_header, .repeated = RepeatedNames::refuse, .called = "header"});
    } catch (const JsonError& error) {
      fail(error.fault());
    }
  }

  std::map<std::string, std::string> read_metadata(const Json& value) const {
    if (!value.is_object()) fail("__metadata__ is not an object");
    std::map<std::string, std::string> metadata;
    for (const auto& [key, text] : value.as_object("__metadata__")) {
      if (!text.is_string()) fail(fmt::format("__metadata__ of {} is not text", shown(key)));
      metadata[key] = text.as_string(key);
    }
    return metadata;
  }

  std::vector<size_t> read_sizes(const std::string& name, const char* key, const Json& value) const {
    if (!value.is_array()) fail(fmt::format("tensor {}: {} is not a list", shown(name), key));
    std::vector<size_t> sizes;
    for (const Json& size : value.as_list(key)) {
      if (!size.is_unsigned()) {
        fail(fmt::format("tensor {}: {} holds something other than whole numbers from 0 to 2^64 - 1",
                         shown(name), key));
      }
      sizes.push_back(exactly<size_t>(size, key));
    }
    return sizes;
  }

  TensorType read_type(const std::string& name, const Json& value) const {
    if (!value.is_string()) fail(fmt::format("tensor {}: dtype is not text", shown(name)));
    const std::string& text = value.as_string("dtype");
    for (const TypeName& type : type_names) {
      if (text == type.name) return type.type;
    }
    fail(fmt::format("tensor {}: dtype {} is not known; F32, F64, I32, I64 are", shown(name), shown(text)));
  }

  Entry read_entry(const std::string& name, const Json& value) const {
    const std::array keys{"dtype", "shape", "data_offsets"};
    const auto has = [&](const char* key) { return value.contains(key); };
    if (!value.is_object() || value.size() != keys.size() || !std::all_of(keys.begin(), keys.end(), has)) {
      fail(fmt::format("tensor {}: needs exactly dtype, shape, data_offsets", shown(name)));
    }
    const TensorType type = read_type(name, value.at("dtype"));
    std::vector<size_t> shape = read_sizes(name, "shape", value.at("shape"));
    const std::vector<size_t> offsets = read_sizes(name, "data_offsets", value.at("data_offsets"));
    if (offsets.size() != 2)
      fail(fmt::format("tensor {}: data_offsets needs 2 numbers, has {}", shown(name), offsets.size()));
    if (offsets[0] > offsets[1]) {
      fail(fmt::format("tensor {}: data_offsets end at {}, before they begin at {}", shown(name), offsets[1],
                       offsets[0]));
    }
    const std::optional<size_t> needed = byte_count(shape, described(type).size);
    if (!needed) fail(fmt::format("tensor {}: shape is too large", shown(name)));
    if (*needed != offsets[1] - offsets[0]) {
      fail(fmt::format("tensor {}: shape needs {} bytes, data_offsets hold {}", shown(name), *needed,
                       offsets[1] - offsets[0]));
    }
    return {name, type, std::move(shape), offsets[0], offsets[1]};
  }

  /// Sorts the entries by their place and requires that they fill the data exactly.
  void check_layout(std::vector<Entry>& entries, size_t data_bytes) const {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    size_t filled = 0;
    for (const Entry& entry : entries) {
      if (entry.begin != filled) {
        fail(fmt::format("tensor {}: begins at byte {}; the data before it end at {}, so there is {}",
                         shown(entry.name), entry.begin, filled,
                         entry.begin < filled ? "an overlap" : "a gap"));
      }
      filled = entry.end;
    }
    const size_t head = bytes_.size() - data_bytes;
    size_t whole = 0;
    if (__builtin_add_overflow(head, filled, &whole)) fail("tensors are larger than any file");
    require_bytes(whole);
    if (whole != bytes_.size()) {
      fail(fmt::format("file ends {} bytes late: needs {} bytes, has {}; copy it again",
                       bytes_.size() - whole, whole, bytes_.size()));
    }
  }

  std::string_view bytes_;
  const std::string& source_;
};

void check_law(const Tensor& tensor, const std::string& what) {
  const std::optional<size_t> needed = byte_count(tensor.shape, described(tensor.type).size);
  if (needed == tensor.bytes.size()) return;
  throw Error("save",
              fmt::format("{} of shape [{}] and type {} holds {} bytes, which do not fill it", what,
                          fmt::join(tensor.shape, ", "), described(tensor.type).name, tensor.bytes.size()));
}

}  // namespace

Tensor make_tensor(TensorType type, std::vector<size_t> shape, std::span<const std::byte> bytes) {
  Tensor tensor{type, std::move(shape), {bytes.begin(), bytes.end()}};
  check_law(tensor, "tensor");
  return tensor;
}

void require_type(const Tensor& tensor, TensorType type, const std::string& what) {
  if (tensor.type == type) return;
  throw Error("load", fmt::format("{} needs type {}; it holds {}", one_line(what), described(type).name,
                                  described(tensor.type).name));
}

const Tensor& TensorFile::at(const std::string& name) const {
  const auto found = tensors.find(name);
  if (found != tensors.end()) return found->second;
  throw Error("load", fmt::format("{}: tensor {} is missing; the file holds {} others", one_line(source),
                                  shown(name), tensors.size()));
}

std::string encode_safetensors(const TensorFile& file) {
  std::map<std::string, Json> root;  // written in the order of its names
  if (!file.metadata.empty()) root[metadata_key] = file.metadata;
  size_t end = 0;
  for (const auto& [name, tensor] : file.tensors) {
    if (name == metadata_key)
      throw Error("save", "no tensor may be called __metadata__; choose another name");
    check_law(tensor, "tensor " + shown(name));
    const size_t begin = std::exchange(end, end + tensor.bytes.size());
    root[name] = {{"data_offsets", Json::array({begin, end})},
                  {"dtype", described(tensor.type).name},
                  {"shape", tensor.shape}};
  }
  std::string header;
  try {
    header = Json(root).dump();
  } catch (const JsonError&) {
    throw Error("save", "tensor names and metadata need UTF-8 text; other bytes were found");
  }
  header.resize((header.size() + alignment - 1) / alignment * alignment, ' ');
  if (header.size() > longest_header) {
    throw Error("save",
                fmt::format("header needs {} bytes; the format allows {}", header.size(), longest_header));
  }
  const uint64_t length = header.size();
  std::string bytes(length_bytes, '\0');
  std::memcpy(bytes.data(), &length, length_bytes);
  bytes.reserve(length_bytes + header.size() + end);
  bytes += header;
  for (const auto& [name, tensor] : file.tensors) {
    bytes.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  }
  return bytes;
}

TensorFile decode_safetensors(std::string_view bytes, const std::string& source) {
  return Decoder(bytes, source).run();
}

}  // namespace kedge
