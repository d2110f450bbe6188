#pragma once

// Numerics: which bits a program finds. Programs of one numerics version, one compiler and one instruction
// set find the same, whatever else of their sources differs. So the files of jobs are named by numerics,
// results carry them, and results of different numerics are never mixed.
//
// tests/numerics holds the program to committed lists of bits. A change that alters one of them raises a
// version here and makes the lists anew (CONTRIBUTING.md).

#include <string>
#include <string_view>

namespace kedge {

/// What each version changed:
///   1  the first that has a number
inline constexpr int numerics_version = 1;

/// Of what a CUDA device trains. It counts for results of devices only. What each version changed:
///   1  the first that has a number
inline constexpr int cuda_numerics_version = 1;

/// "numerics 1, GNU 12.2.0, x86-64-v4"; of another device than "cpu" also ", cuda numerics 1".
std::string numerics_of(std::string_view device);

/// Whether a result with these numerics holds for this program: its versions are those of today. Compiler and
/// instruction set say where the same bits are found again. Results of programs before version 1 have an
/// empty text, and hold for none.
bool holds_today(std::string_view numerics);

}  // namespace kedge
