#pragma once

// Build: which program a number comes from, for people to see. What decides whether results may be mixed are
// its numerics (kedge/jobs/numerics.h).

#include <string>

namespace kedge {

struct Build {
  std::string sources;   ///< hash of every source that can change a result: kedge/ but for pages and tables
  std::string compiler;  ///< "GNU 12.2.0"; its flags and the libraries' versions are part of the hash
  /// The kernels' instruction set, "x86-64-v4"; "x86-64 on x86-64-v3" where a newer processor takes the
  /// oldest one: its C library rounds in another way.
  std::string instructions;
};

const Build& build();

/// "1f0c9a52e4b7, GNU 12.2.0, x86-64-v4"
std::string to_text(const Build& build);

}  // namespace kedge
