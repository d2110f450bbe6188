#pragma once

// Names of an enum's values, as files and command lines write them. An enum has names where its namespace
// holds a table of them, which is found by the enum's type:
//
//   constexpr auto names_of(Loss) {
//     return std::to_array<Named<Loss>>({{Loss::mse, "mse"}, {Loss::l2, "l2"}});
//   }
//
// Laws: a name is of one value, a value has one name. Names stay for ever: files hold them.

#include <array>
#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace kedge {

template <class E>
struct Named {
  E value;
  std::string_view name;
};

template <class E>
concept HasNames = std::is_enum_v<E> && requires {
  names_of(E{});
};

template <HasNames E>
constexpr std::string_view name_of(E value) {
  for (const auto& [known, name] : names_of(E{}))
    if (known == value) return name;
  assert(false && "a value without a name");
  return {};
}

/// Nothing for a name that the table does not have.
template <HasNames E>
constexpr std::optional<E> value_named(std::string_view text) {
  for (const auto& [value, name] : names_of(E{}))
    if (name == text) return value;
  return std::nullopt;
}

/// All names, in the table's order: "mse, l2".
template <HasNames E>
std::string all_names() {
  std::string names;
  for (const auto& [value, name] : names_of(E{})) names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

}  // namespace kedge
