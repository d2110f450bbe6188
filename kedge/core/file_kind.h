#pragma once

// What kind of file bytes come from, for errors that name what was found.

#include <string_view>

namespace kedge {

struct FileKind {
  std::string_view magic;   ///< its first bytes; empty where several begin one
  std::string_view name;    ///< with its article
  std::string_view advice;  ///< what to do with one in place of a model file
};

/// What a file is that is no safetensors file, where its first bytes tell; null where they do not.
const FileKind* other_kind(std::string_view bytes);

}  // namespace kedge
