#include "kedge/core/nearest_name.h"

#include <algorithm>
#include <cstdlib>

#include "kedge/core/shown.h"

namespace kedge {
namespace {

constexpr size_t longest = 60;  // bytes; a longer name is no slip of the hand

std::string folded(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_' || c == ' ') c = '-';
  }
  return result;
}

size_t most_slips(size_t letters) { return letters <= 2 ? 0 : letters <= 5 ? 1 : 2; }

/// The edit distance in which two neighbours that changed places are one slip.
size_t slips_between(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& names) {
  if (name.empty() || name.size() > longest) return "";
  const std::string wanted = folded(name);
  const size_t most = most_slips(name.size());
  size_t least = most + 1;
  std::string nearest;
  for (const std::string& other : names) {
    const size_t longer = std::max(other.size(), name.size()), shorter = std::min(other.size(), name.size());
    if (longer - shorter > most) continue;
    const size_t slips = slips_between(wanted, folded(other));
    if (slips > least || slips > most) continue;
    nearest = slips == least ? "" : other;
    least = slips;
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& names,
                         const std::string& otherwise) {
  const std::string nearest = nearest_name(name, names);
  return nearest.empty() ? otherwise : "did you mean " + shown(nearest) + "?";
}

}  // namespace kedge
