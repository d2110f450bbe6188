#pragma once

// Output: where results go, a file that is there whole or not at all, or standard output.

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kedge {

/// Thrown when nobody reads standard output any more, as after `| head`: nobody is left to be told, so the
/// program ends without a word.
struct ReaderGone {};

/// Writes to standard output. Throws Error when it cannot be written, ReaderGone when its reader has left.
void print(std::string_view text);

/// To the file `path`, or to standard output when it is empty or "-", where a result of more than a megabyte
/// comes in pieces.
void write_result(const std::string& path, const std::function<void(std::ostream&)>& write);

/// Throws Error when two of the files to write, each named by its flag, are the same.
void check_distinct(const std::vector<std::pair<std::string, std::string>>& flags_and_paths);

/// Throws Error unless a result can be written to `path` and it is none of the files that are read. To be
/// called before long work. Empty and "-" are standard output.
void check_output(const std::string& path, const std::vector<std::string>& read);

/// The words of a text in lines of at most `columns` columns of a terminal (a longer word has a line of its
/// own); no line break at the end.
std::string wrapped(const std::string& text, size_t columns = 80);

/// A command in lines of at most `columns` columns, broken before flags as a shell takes it.
std::string wrapped_command(const std::string& command, size_t columns = 80);

/// A word of a command as a shell reads it back.
std::string quoted(const std::string& text);

/// Lines "name   value", the values in one column and broken to fit the terminal.
std::string fact_lines(const std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace kedge
