#pragma once

// Checks: what a flag's value must look like; a wrong one is wrong usage, told before anything is read.

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.h"

namespace kedge {

/// A whole number, digits only (CLI11 alone would let -1 and numbers that do not fit pass).
Check whole_number(uint64_t low = 0, uint64_t high = UINT64_MAX);

/// The same, or this word.
Check whole_number_or(const std::string& word, uint64_t low = 0);

/// One of these words.
Check one_of(const std::vector<std::string>& words);

}  // namespace kedge
