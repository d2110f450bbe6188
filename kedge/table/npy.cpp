#include "kedge/table/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"

namespace kedge {
namespace {

static_assert(std::endian::native == std::endian::little, "NPY values are copied as they lie in the file");

constexpr std::string_view magic = "\x93NUMPY";

enum class Order { c, fortran };

struct Header {
  std::string type;
  Order order = Order::c;
  std::vector<uint64_t> shape;
};

/// The header is a Python dictionary of three keys; this reads that much of Python's grammar.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  Header parse() {
    std::optional<std::string> type;
    std::optional<Order> order;
    std::optional<std::vector<uint64_t>> shape;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !type) {
        type = string();
      } else if (key == "fortran_order" && !order) {
        order = truth() ? Order::fortran : Order::c;
      } else if (key == "shape" && !shape) {
        shape = tuple();
      } else {
        refuse("the keys descr, fortran_order and shape, once each", shown(key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!text_.empty()) refuse("nothing after the dictionary", shown(text_));
    if (!type || !order || !shape) refuse("the keys descr, fortran_order and shape", "fewer");
    return {.type = *type, .order = *order, .shape = *shape};
  }

 private:
  void skip_space() {
    const size_t first = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(std::min(first, text_.size()));
  }

  bool accept(char c) {
    skip_space();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) refuse(fmt::format("'{}'", c), shown(text_));
  }

  std::string string() {
    skip_space();
    if (!text_.starts_with('\'') && !text_.starts_with('"'))
      refuse("a string (one plain type)", shown(text_));
    const size_t close = text_.find(text_.front(), 1);
    if (close == text_.npos) refuse("a closing quote", shown(text_));
    std::string result(text_.substr(1, close - 1));
    text_.remove_prefix(close + 1);
    return result;
  }

  bool truth() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return word == "True";
    }
    refuse("True or False", shown(text_));
  }

  std::vector<uint64_t> tuple() {
    std::vector<uint64_t> result;
    expect('(');
    while (!accept(')')) {
      skip_space();
      uint64_t value = 0;
      const auto [stop, fault] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (fault != std::errc{}) refuse("a size below 2^64", shown(text_));
      text_.remove_prefix(static_cast<size_t>(stop - text_.data()));
      result.push_back(value);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return result;
  }

  [[noreturn]] void refuse(const std::string& needed, const std::string& found) const {
    throw Error("npy",
                fmt::format("{}: needed {} in the header; found {}; write the file again with numpy.save",
                            source_, needed, found));
  }

  std::string_view text_;
  const std::string& source_;
};

size_t little_endian(std::string_view bytes) {
  size_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Takes the header off the front of `bytes`.
Header take_header(std::string_view& bytes, const std::string& source) {
  if (!bytes.starts_with(magic) || bytes.size() < magic.size() + 2) {
    throw Error("npy", fmt::format("{}: needed a NumPy array file; found {}; write it with numpy.save",
                                   source, bytes.empty() ? "an empty file" : "other bytes at its start"));
  }
  const int version = static_cast<unsigned char>(bytes[magic.size()]);
  if (version < 1 || version > 3) {
    throw Error("npy",
                fmt::format("{}: needed format version 1, 2 or 3; found {}; write it again with numpy.save",
                            source, version));
  }
  bytes.remove_prefix(magic.size() + 2);
  const size_t length_bytes = version == 1 ? 2 : 4;
  if (bytes.size() < length_bytes ||
      bytes.size() - length_bytes < little_endian(bytes.substr(0, length_bytes))) {
    throw Error(
        "npy",
        fmt::format("{}: needed a whole header; found the end of the file; copy the file again", source));
  }
  const size_t length = little_endian(bytes.substr(0, length_bytes));
  const std::string_view text = bytes.substr(length_bytes, length);
  bytes.remove_prefix(length_bytes + length);
  return HeaderParser(text, source).parse();
}

template <class T>
void copy_values(std::string_view bytes, Order order, Matrix<double>& matrix) {
  for (size_t r = 0; r < matrix.rows(); ++r) {
    for (size_t c = 0; c < matrix.cols(); ++c) {
      const size_t place = order == Order::fortran ? c * matrix.rows() + r : r * matrix.cols() + c;
      T value;
      std::memcpy(&value, bytes.data() + place * sizeof(T), sizeof(T));
      matrix(r, c) = static_cast<double>(value);
    }
  }
}

struct ValueType {
  std::string_view name;
  size_t size;
  void (*copy)(std::string_view, Order, Matrix<double>&);
};

constexpr std::array<ValueType, 6> value_types{{{"<f8", 8, copy_values<double>},
                                                {"<f4", 4, copy_values<float>},
                                                {"<i8", 8, copy_values<int64_t>},
                                                {"<i4", 4, copy_values<int32_t>},
                                                {"|u1", 1, copy_values<uint8_t>},
                                                {"<u1", 1, copy_values<uint8_t>}}};

const ValueType& value_type(const std::string& name, const std::string& source) {
  for (const ValueType& type : value_types) {
    if (type.name == name) return type;
  }
  throw Error("npy",
              fmt::format("{}: needed numbers of type <f8, <f4, <i8, <i4 or |u1; found {}; convert them with "
                          "astype('<f8')",
                          source, shown(name)));
}

}  // namespace

Matrix<double> read_npy(const std::string& path) {
  return parse_npy(read_file(path, "npy"), path == "-" ? "standard input" : path);
}

Matrix<double> parse_npy(std::string_view bytes, const std::string& source) {
  const Header header = take_header(bytes, source);
  const ValueType& type = value_type(header.type, source);
  if (header.shape.size() != 1 && header.shape.size() != 2) {
    throw Error(
        "npy",
        fmt::format("{}: needed an array of 1 or 2 dimensions; found {}; reshape it to rows and columns",
                    source, header.shape.size()));
  }
  const uint64_t rows = header.shape[0];
  const uint64_t cols = header.shape.size() == 2 ? header.shape[1] : 1;
  if (rows == 0 || cols == 0) {
    throw Error("npy",
                fmt::format("{}: needed at least one row and one column; found {} x {}; check what wrote it",
                            source, rows, cols));
  }
  // Division, since the product of sizes that a damaged header asks for may overflow.
  const size_t values = bytes.size() / type.size;
  if (bytes.size() % type.size != 0 || values % cols != 0 || values / cols != rows) {
    throw Error(
        "npy",
        fmt::format("{}: needed {} x {} values of {} bytes; found {} bytes of data; copy the file again",
                    source, rows, cols, type.size, bytes.size()));
  }
  Matrix<double> matrix(rows, cols);
  type.copy(bytes, header.order, matrix);
  return matrix;
}

void write_npy(std::ostream& out, MatrixView<const double> matrix) {
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}",
                                   matrix.rows(), matrix.cols());
  // Values start at a multiple of 64 bytes, so that readers may map the file; a line feed ends the header.
  constexpr size_t alignment = 64;
  const size_t prefix = magic.size() + 4;
  const size_t padding = (alignment - (prefix + header.size() + 1) % alignment) % alignment;
  header.append(padding, ' ');
  header += '\n';
  out << magic << '\x01' << '\x00' << static_cast<char>(header.size() & 0xFF)
      << static_cast<char>(header.size() >> 8) << header;
  out.write(reinterpret_cast<const char*>(matrix.data()),
            static_cast<std::streamsize>(matrix.rows() * matrix.cols() * sizeof(double)));
  if (!out.flush())
    throw Error("npy", "needed to write an array; found that the stream failed; check the disk");
}

}  // namespace kedge
