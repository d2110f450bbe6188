#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "cli/output.h"
#include "cli/ranks.h"

namespace kedge {
namespace {

constexpr size_t least_columns = 40, usual_columns = 80;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

TerminalStyle output_style() {
  const std::string_view term = environment("TERM");
  // Open MPI gives each rank a terminal of its own, whatever its own output goes to.
  const bool is_rank = started_by_mpi().size > 1;
  const bool is_able = !is_rank && isatty(STDOUT_FILENO) == 1 && !term.empty() && term != "dumb";
  return is_able && environment("NO_COLOR").empty() ? TerminalStyle::ansi : TerminalStyle::plain;
}

size_t output_columns() {
  const std::string_view told = environment("COLUMNS");
  size_t columns = 0;
  const auto [end, error] = std::from_chars(told.data(), told.data() + told.size(), columns);
  if (error == std::errc{} && end == told.data() + told.size() && columns > 0)
    return std::max(least_columns, columns);
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual_columns;
  return std::max(least_columns, size_t{size.ws_col});
}

void print_table(const TextTable& table) { print(to_text(table, output_style(), output_columns())); }

}  // namespace kedge
