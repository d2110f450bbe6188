#pragma once

// Scripts by which a shell completes the words of a command. They are made of the same tree of options as the
// help.

#include <string>
#include <vector>

#include "cli/command.h"

namespace kedge {

/// The shells there are scripts for.
const std::vector<std::string>& completed_shells();

/// The script for one of these shells; `program` is the whole tree.
std::string completion_script(const CommandText& program, const std::string& shell);

}  // namespace kedge
