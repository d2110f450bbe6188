#include "kedge/table/formula.h"

#include "kedge/table/number.h"

namespace kedge {
namespace {

/// Whether the text is apostrophes, at least `least`, and then the beginning of a formula.
bool is_formula_after(std::string_view text, size_t least) {
  const size_t first = text.find_first_not_of('\'');
  return first != text.npos && first >= least && std::string_view("=+-@\t\r").find(text[first]) != text.npos;
}

}  // namespace

std::string guarded_formula(std::string_view text) {
  double ignored = 0;
  const bool is_computed =
      is_formula_after(text, 0) && parse_number(text, ignored) == NumberFault::not_a_number;
  std::string guarded(is_computed ? 1 : 0, '\'');
  guarded += text;
  return guarded;
}

std::string_view without_guard(std::string_view text) {
  return is_formula_after(text, 1) ? text.substr(1) : text;
}

}  // namespace kedge
