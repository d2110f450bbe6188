#pragma once

// The whole content of a file, read once.

#include <string>

namespace kedge {

/// "-" is standard input. Throws Error, with this verb, when there is no such file, it may not be read, or it
/// is a directory.
std::string file_bytes(const std::string& path, const std::string& verb);

}  // namespace kedge
