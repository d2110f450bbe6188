#pragma once

// A small reader of tags: enough to find unbalanced elements, bare & and <, unquoted or repeated attributes
// and repeated ids in what the report writes.

#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kedge {

/// Empty when the text is balanced and escaped, else the first fault. A leading <!DOCTYPE> is allowed.
inline std::string fault_in(std::string_view text) {
  std::vector<std::string> open;
  std::set<std::string> ids;
  const auto entity_fault = [](std::string_view part) {
    for (size_t at = part.find('&'); at != std::string_view::npos; at = part.find('&', at + 1)) {
      const std::string_view rest = part.substr(at);
      bool known = false;
      for (std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
        known = known || rest.starts_with(entity);
      }
      if (!known) return true;
    }
    return false;
  };
  for (size_t at = 0; at < text.size();) {
    const size_t begin = text.find('<', at);
    if (entity_fault(text.substr(at, begin - at))) return "a bare & in text";
    if (begin == std::string_view::npos) break;
    size_t i = begin + 1;
    if (text.substr(i).starts_with("!DOCTYPE")) {
      at = text.find('>', i) + 1;
      continue;
    }
    const bool closing = i < text.size() && text[i] == '/';
    if (closing) ++i;
    std::string name;
    while (i < text.size() && std::isalnum(static_cast<unsigned char>(text[i]))) name += text[i++];
    if (name.empty()) return "a bare < in text";
    std::set<std::string> attributes;
    bool empty_element = false;
    while (i < text.size() && text[i] != '>') {
      if (text[i] == '/') {
        empty_element = true;
        ++i;
      } else if (text[i] == ' ') {
        ++i;
      } else {
        const size_t equals = text.find("=\"", i);
        if (equals == std::string_view::npos) return "an attribute without a quoted value in " + name;
        const std::string key(text.substr(i, equals - i));
        const size_t end = text.find('"', equals + 2);
        if (end == std::string_view::npos) return "an open quote in " + name;
        const std::string_view value = text.substr(equals + 2, end - equals - 2);
        if (key.find_first_of(" <>/") != std::string::npos) return "a broken attribute in " + name;
        if (value.find('<') != std::string_view::npos || entity_fault(value))
          return "a bare & or < in " + key;
        if (!attributes.insert(key).second) return "attribute " + key + " twice";
        if (key == "id" && !ids.insert(std::string(value)).second)
          return "id " + std::string(value) + " twice";
        i = end + 1;
      }
    }
    if (i >= text.size()) return "an open tag " + name;
    at = i + 1;
    if (closing) {
      if (open.empty() || open.back() != name) return "</" + name + "> closes nothing";
      open.pop_back();
    } else if (!empty_element) {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is never closed";
}

}  // namespace kedge
