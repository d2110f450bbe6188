#pragma once

// What kind of file bytes come from, for errors that name what was found.

#include <cstddef>
#include <string>
#include <string_view>

namespace kedge {

struct FileKind {
  std::string_view magic;     ///< its first bytes; empty where several begin one
  std::string_view name;      ///< with its article
  std::string_view no_model;  ///< what to do with one in place of a model file
  std::string_view no_table;  ///< what to do with one in place of a table; empty where it is one
};

/// What a file is that is no safetensors file, where its first bytes tell; null where they do not.
const FileKind* other_kind(std::string_view bytes);

/// Whether the first bytes are those of a file that kedge fit or kedge imitate wrote.
bool is_kedge_file(std::string_view bytes);

/// How many of the first bytes tell.
inline constexpr size_t kind_bytes = 200;

/// Throws Error where the first bytes tell that a file is no table.
void require_table(std::string_view bytes, const std::string& source);

}  // namespace kedge
