#pragma once

// Error: the one exception of the library, for faults of the caller or of the world (a bad file, an
// impossible option). Faults of our own are asserts; outcomes such as "diverged" are values.
//
// The text is one line: `[verb] what was needed; what was found; what to do`.

#include <stdexcept>
#include <string>
#include <utility>

namespace kedge {

class Error : public std::runtime_error {
 public:
  /// `verb` names the operation that failed ("csv", "fit", "load"); `message` is one line. `option` names the
  /// option that mends the fault, where there is one: a command line makes a flag of it, Python a parameter.
  Error(const std::string& verb, const std::string& message, std::string option = "")
      : std::runtime_error("[" + verb + "] " + message), option_(std::move(option)) {}

  const std::string& option() const { return option_; }

 private:
  std::string option_;
};

}  // namespace kedge
