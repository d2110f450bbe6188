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

/// Any number; whether it may be this one is for others to say.
std::string number(const std::string& text);

/// The names of the things of a list.
template <class Things>
std::vector<std::string> names_in(const Things& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.push_back(thing.name);
  return names;
}

/// One of these words.
Check one_of(const std::vector<std::string>& words);

}  // namespace kedge
