#pragma once

// Manual pages, made of the same texts as the help: one of the program and one of each command.

#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"

namespace kedge {

/// File names, as "kedge-fit.1", with the pages in the language of groff's macros `man`.
std::vector<std::pair<std::string, std::string>> manual_pages(const CommandText& program);

}  // namespace kedge
