#pragma once

// Where figures were measured: part of every result that is kept.

#include <string>

namespace kedge {

/// The processor's name as the system has it; "unknown processor" where it does not say.
std::string processor();

/// Processor and cores, "AMD EPYC, 2 cores".
std::string machine();

}  // namespace kedge
