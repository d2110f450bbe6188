#pragma once

// NameIndex: the places of names in a list, found without going through the list.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kedge {

class NameIndex {
 public:
  NameIndex() = default;
  /// Of a name that is there twice, the first place counts.
  explicit NameIndex(const std::vector<std::string>& names) {
    places_.reserve(names.size());
    for (size_t i = 0; i < names.size(); ++i) places_.emplace(names[i], i);
  }

  /// Gives a name its place. False when the name is taken.
  bool add(std::string_view name, size_t place) { return places_.emplace(name, place).second; }

  std::optional<size_t> find(std::string_view name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) return std::nullopt;
    return found->second;
  }
  bool has(std::string_view name) const { return places_.contains(name); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };
  std::unordered_map<std::string, size_t, Hash, std::equal_to<>> places_;
};

}  // namespace kedge
