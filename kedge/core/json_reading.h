#pragma once

// Reading JSON that came from outside. nlohmann converts without a word: an unknown name of an enum becomes
// its first entry, 4.7 becomes 4 and 2^32 + 4 becomes 4. Here a value is what the text says, or an Error.
// Included by sources alone, never by public headers.

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "kedge/core/error.h"

#include "kedge/core/format.h"

namespace kedge {

/// What kedge writes is never deeper; nlohmann writes by recursion, so that a deep text would overflow the
/// stack.
inline constexpr int deepest_json = 16;

/// Throws Error on text that is nested deeper, nlohmann's parse_error on text that is not JSON.
inline nlohmann::json parse_json(const std::string& text) {
  return nlohmann::json::parse(text, [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth > deepest_json)
      throw Error("json", fmt::format("needs at most {} levels; found more", deepest_json));
    return true;
  });
}

[[noreturn]] inline void refuse_json(const nlohmann::json& value, const std::string& name,
                                     const std::string& needed) {
  constexpr size_t longest = 60;
  const std::string shown = value.dump(-1, ' ', true);
  throw Error("json", fmt::format("{} needs {}; found {}{}; a newer kedge may know it", name, needed,
                                  shown.substr(0, longest), shown.size() > longest ? "..." : ""));
}

/// The value as a T, or an Error that calls it `name`.
template <class T>
T exactly(const nlohmann::json& value, const std::string& name) {
  if constexpr (std::is_enum_v<T>) {
    const T known = value.get<T>();
    if (nlohmann::json(known) != value) refuse_json(value, name, "a known value");
    return known;
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    const bool fits = value.is_number_unsigned()
                          ? value.get<uint64_t>() <= static_cast<uint64_t>(Limits::max())
                          : std::is_signed_v<T> && value.is_number_integer() &&
                                value.get<int64_t>() >= static_cast<int64_t>(Limits::min());
    if (!fits) refuse_json(value, name, "a whole number in range");
    return value.get<T>();
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!value.is_number()) refuse_json(value, name, "a number");
    return value.get<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!value.is_string()) refuse_json(value, name, "a text");
    return value.get<T>();
  } else {
    if (!value.is_array()) refuse_json(value, name, "a list");
    T list;
    for (const nlohmann::json& item : value) list.push_back(exactly<typename T::value_type>(item, name));
    return list;
  }
}

}  // namespace kedge
