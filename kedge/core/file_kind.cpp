#include "kedge/core/file_kind.h"

#include <algorithm>
#include <array>

namespace kedge {
namespace {

constexpr std::array<FileKind, 3> other_kinds{{
    {"\x89HDF\r\n\x1a\n", "an HDF5 file", "kedge imitate learns a policy from one of demonstrations"},
    {"\x93NUMPY", "an NPY file", "kedge fit makes a model of one"},
    {"PK\x03\x04", "a ZIP or NPZ file", "unpack it first"},
}};
constexpr FileKind text_kind{"", "a text, such as a CSV table", "kedge fit makes a model of a table"};

/// Whether bytes begin like a text. Four bytes that do are no length of a header: it would be too long.
bool begins_as_text(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, 64);
  return start.size() >= 4 && std::all_of(start.begin(), start.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return (byte >= ' ' && byte < 0xF8) || c == '\t' || c == '\n' || c == '\r';
         });
}

}  // namespace

const FileKind* other_kind(std::string_view bytes) {
  for (const FileKind& kind : other_kinds)
    if (bytes.starts_with(kind.magic)) return &kind;
  return begins_as_text(bytes) ? &text_kind : nullptr;
}

}  // namespace kedge
