#include "cli/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <map>
#include <sstream>
#include <streambuf>
#include <system_error>

#include "cli/terminal.h"
#include "kedge/core/code_points.h"
#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/report/text.h"

namespace kedge {
namespace {

bool is_standard_output(const std::string& path) { return path.empty() || path == "-"; }

std::string lines_without_controls(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines += without_controls(text.substr(0, end), "?");
    if (end < text.size()) lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Collects what is written and prints it piece by piece, each of whole lines. So a short result is printed
/// when it is whole, and a long one needs little memory.
class PrintBuffer : public std::streambuf {
 public:
  void print_rest() {
    print_text(text_);
    text_.clear();
  }
  /// Throws again what went wrong while printing: a stream only says that something did.
  void rethrow() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    text_.append(text, static_cast<size_t>(count));
    return print_lines() ? count : 0;
  }
  int overflow(int c) override {
    if (c != traits_type::eof()) text_ += static_cast<char>(c);
    return print_lines() ? 0 : traits_type::eof();
  }

 private:
  static void print_text(std::string_view text) {
    if (isatty(STDOUT_FILENO) == 1)
      print(lines_without_controls(text));
    else
      print(text);
  }
  bool print_lines() {
    constexpr size_t piece_bytes = 1 << 20;
    const size_t end = text_.size() < piece_bytes ? text_.npos : text_.rfind('\n');
    if (fault_ || end == text_.npos) return !fault_;
    try {
      print_text(std::string_view(text_).substr(0, end + 1));
      text_.erase(0, end + 1);
    } catch (...) {
      fault_ = std::current_exception();
    }
    return !fault_;
  }

  std::string text_;
  std::exception_ptr fault_;
};

}  // namespace

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EPIPE) {
      throw ReaderGone();
    } else if (errno != EINTR) {
      throw Error("write", fmt::format("standard output cannot be written: {}",
                                       std::generic_category().message(errno)));
    }
  }
}

void write_result(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (!is_standard_output(path)) return write_atomically(path, write);
  PrintBuffer buffer;
  std::ostream out(&buffer);
  try {
    write(out);
  } catch (const Error&) {
    buffer.rethrow();
    throw;
  }
  buffer.rethrow();
  buffer.print_rest();
}

void check_distinct(const std::vector<std::pair<std::string, std::string>>& flags_and_paths) {
  std::map<std::filesystem::path, std::string> seen;
  for (const auto& [flag, path] : flags_and_paths) {
    if (path.empty()) continue;
    std::error_code unknown;
    const std::filesystem::path place =
        path == "-" ? std::filesystem::path(path)
                    : std::filesystem::weakly_canonical(std::filesystem::absolute(path), unknown);
    const auto [first, is_new] = seen.emplace(place, flag);
    if (!is_new)
      throw Error("write",
                  fmt::format("{} and {} need a file each; found {} for both; name another for one of them",
                              first->second, flag, one_line(path)));
  }
}

void check_output(const std::string& path, const std::vector<std::string>& read) {
  if (is_standard_output(path)) return;
  require_writable(path);
  for (const std::string& name : read) {
    std::error_code unknown;
    if (name != "-" && std::filesystem::is_regular_file(path, unknown) &&
        std::filesystem::equivalent(path, name, unknown))
      throw Error("write", fmt::format("{} would be overwritten, but it is read here; name another file",
                                       one_line(path)));
  }
}

std::string wrapped(const std::string& text, size_t columns) {
  std::istringstream words(text);
  std::string result;
  size_t used = 0;
  for (std::string word; words >> word; used += display_width(word) + 1) {
    const bool fits = used + display_width(word) <= columns;
    if (!fits) used = 0;
    result += (result.empty() ? "" : fits ? " " : "\n") + word;
  }
  return result;
}

std::string wrapped_command(const std::string& command, size_t columns) {
  std::vector<std::string> parts(1);
  bool is_quoted = false;
  for (size_t i = 0; i < command.size(); ++i) {
    if (command[i] == '\'') is_quoted = !is_quoted;
    if (!is_quoted && command[i] == ' ' && command.substr(i + 1, 1) == "-")
      parts.emplace_back();
    else
      parts.back() += command[i];
  }
  constexpr std::string_view breaks = " \\\n    ";
  std::string result = parts[0];
  size_t used = display_width(parts[0]);
  for (size_t p = 1; p < parts.size(); ++p) {
    const size_t more = display_width(parts[p]) + 1;
    // Room is left for the backslash that ends a line.
    const bool fits = used + more + (p + 1 < parts.size() ? 2 : 0) <= columns;
    result.append(fits ? " " : breaks).append(parts[p]);
    used = (fits ? used : 3) + more;
  }
  return result;
}

std::string quoted(const std::string& text) {
  const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!text.empty() && text.find_first_not_of(plain) == text.npos) return text;
  std::string result = "'";
  for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string fact_lines(const std::vector<std::pair<std::string, std::string>>& facts) {
  constexpr size_t gap = 2;
  size_t width = 0;
  for (const auto& fact : facts) width = std::max(width, display_width(one_line(fact.first)));
  const size_t indent = gap + width + gap, columns = output_columns();
  std::string lines;
  for (const auto& [written, value] : facts) {
    const std::string name = one_line(written), blanks(width - display_width(name) + gap, ' ');
    std::istringstream parts(wrapped(one_line(value), columns - std::min(columns - 1, indent)));
    std::string part;
    std::getline(parts, part);
    lines += std::string(gap, ' ') + name + blanks + part + "\n";
    while (std::getline(parts, part)) lines += std::string(indent, ' ') + part + "\n";
  }
  return lines;
}

}  // namespace kedge
