#pragma once

// What is wrong with the words of a command, in our words and not those of the parser: one line that says
// what was needed, what was found and what to do.

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace kedge {

/// `first` is the first word after the program's name; null when there is none.
std::string usage_fault(const CLI::App& app, const CLI::ParseError& error, const char* first);

}  // namespace kedge
