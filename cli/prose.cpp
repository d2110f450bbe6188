#include "cli/prose.h"

#include <algorithm>
#include <cmath>

#include "cli/output.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/report/page.h"

namespace kedge {

std::string rough(double value) { return fmt::format("{:.2g}", value); }

std::string r_squared_words(double value) {
  if (!std::isfinite(value)) return "";
  return ", R² " + (value < 1 && rough(value) == "1" ? "over 0.99" : rough(value));
}

std::string code(const std::string& text) {
  std::string line = one_line(text);
  // A ` would end the code.
  std::replace(line.begin(), line.end(), '`', '\'');
  return "`" + line + "`";
}

std::string listed(const std::vector<std::string>& items, size_t most) {
  const size_t shown = items.size() > most ? most - 1 : items.size();
  std::string text;
  for (size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  return shown == items.size() ? text : fmt::format("{} and {} more", text, items.size() - shown);
}

std::string counted(size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string item_lines(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    std::string lines = "- " + wrapped(plain_prose(item), 78);
    for (size_t at = lines.find('\n'); at != lines.npos; at = lines.find('\n', at + 1))
      lines.insert(at + 1, "  ");
    text += lines + "\n";
  }
  return text;
}

}  // namespace kedge
