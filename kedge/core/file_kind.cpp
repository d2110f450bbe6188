#include "kedge/core/file_kind.h"

#include <algorithm>
#include <array>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"

namespace kedge {
namespace {

constexpr std::string_view pickled =
    "kedge reads no Python objects; save the rows as CSV, or as NPY with numpy.save";

constexpr std::array<FileKind, 7> other_kinds{{
    {"\x89HDF\r\n\x1a\n", "an HDF5 file", "kedge imitate learns a policy from one of demonstrations",
     "kedge imitate learns from demonstrations in HDF5; save a table as CSV"},
    {"\x93NUMPY", "an NPY file", "kedge fit makes a model of one", ""},
    {"PK\x03\x04", "a ZIP or NPZ file", "unpack it first",
     "save a spreadsheet as CSV, an array with numpy.save, and unpack an archive first"},
    {"PAR1", "a Parquet file", "save it as CSV; kedge fit makes a model of it", "save it as CSV"},
    {"\x80\x03", "a Python pickle", pickled, pickled},
    {"\x80\x04\x95", "a Python pickle", pickled, pickled},
    {"\x80\x05\x95", "a Python pickle", pickled, pickled},
}};
constexpr FileKind text_kind{"", "a text, such as a CSV table", "kedge fit makes a model of a table", ""};
constexpr FileKind model_kind{
    "kedge-model", "a model that kedge fit wrote", "",
    "kedge predict and kedge diagnose take the model first, then a table of queries"};
constexpr FileKind policy_kind{"kedge-policy", "a policy that kedge imitate wrote", "",
                               "kedge rollout lets it act"};

/// Whether bytes begin like a text. Four bytes that do are no length of a header: it would be too long.
bool begins_as_text(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, 64);
  return start.size() >= 4 && std::all_of(start.begin(), start.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return (byte >= ' ' && byte < 0xF8) || c == '\t' || c == '\n' || c == '\r';
         });
}

/// The length of a header that is not absurd, in eight bytes, and the header's first.
bool begins_as_safetensors(std::string_view bytes) {
  return bytes.size() > 8 && bytes[5] == 0 && bytes[6] == 0 && bytes[7] == 0 && bytes[8] == '{';
}

const FileKind* kedge_kind(std::string_view bytes) {
  if (!begins_as_safetensors(bytes)) return nullptr;
  // The format stands behind a checksum, among the first members of the header.
  const std::string_view start = bytes.substr(0, kind_bytes);
  for (const FileKind* kind : {&model_kind, &policy_kind})
    if (start.find(kind->magic) != start.npos) return kind;
  return nullptr;
}

}  // namespace

const FileKind* other_kind(std::string_view bytes) {
  if (begins_as_safetensors(bytes)) return nullptr;
  for (const FileKind& kind : other_kinds)
    if (bytes.starts_with(kind.magic)) return &kind;
  return begins_as_text(bytes) ? &text_kind : nullptr;
}

bool is_kedge_file(std::string_view bytes) { return kedge_kind(bytes) != nullptr; }

void require_table(std::string_view bytes, const std::string& source) {
  const FileKind* kind = kedge_kind(bytes);
  if (!kind) kind = other_kind(bytes);
  if (kind && !kind->no_table.empty())
    throw Error("read", fmt::format("{}: needs a table, CSV or NPY; found {}; {}", one_line(source),
                                    kind->name, kind->no_table));
}

}  // namespace kedge
