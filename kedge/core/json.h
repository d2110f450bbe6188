#pragma once

// Json: a value as JSON has it, to be written or as it was read. Built by naming its parts,
//
//   Json json{{"rows", rows}, {"inputs", names}, {"range", Json::array({low, high})}};
//   json["loss"] = number_or_null(loss);
//
// and read strictly: `exactly<int>(json.at("rows"), "rows")` is what the text says, or an error. Nothing is
// converted: 4.7 is no int, 2^32 + 4 no int32_t, an unknown name no value of an enum.
//
// Laws: an object keeps the order in which its names came, and has each once; Json::parse(j.dump()) == j for
// every j of finite numbers and UTF-8 text. Numbers that are not finite are written as null.

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "kedge/core/error.h"
#include "kedge/core/names.h"

namespace kedge {

/// What ends the fault of a value that an older version would not know.
inline constexpr std::string_view newer_hint = "; a newer kedge may know it";

/// Text that is not JSON, or JSON that is not what was asked for.
class JsonError : public Error {
 public:
  explicit JsonError(const std::string& fault) : Error("json", fault), fault_(fault) {}
  /// The message without the verb, for an error that says what the JSON was to be.
  const std::string& fault() const { return fault_; }

 private:
  std::string fault_;
};

/// What kedge writes is never deeper. Values are written and freed by recursion, so that a deep text would
/// overflow the stack.
inline constexpr int deepest_json = 16;

enum class RepeatedNames {
  keep_last,  ///< an object's later value stands in the place of the earlier
  refuse,
};

struct JsonRules {
  int deepest = deepest_json;
  RepeatedNames repeated = RepeatedNames::keep_last;
  std::string called = "text";  ///< in errors
};

enum class JsonText {
  line,      ///< one line; throws JsonError on text that is not UTF-8
  lines,     ///< a value a line, indented by one; throws like `line`
  replaced,  ///< one line; bytes that are not UTF-8 become U+FFFD
  ascii,     ///< `replaced`, all beyond ASCII escaped
};

class Json;
struct JsonMember;

template <class T>
concept JsonList = !std::convertible_to<const T&, std::string_view> && requires(const T& list) {
  list.begin();
  list.end();
  requires !std::same_as<typename T::value_type, T>;
};

class Json {
 public:
  using List = std::vector<Json>;
  using Object = std::vector<JsonMember>;

  // Special members are defined out of line: the files that use this are many.
  Json();  ///< null
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  Json(std::nullptr_t);
  Json(const char* text);
  Json(std::string text);
  Json(std::string_view text);
  /// A template, so that no pointer becomes a bool.
  template <std::same_as<bool> T>
  Json(T value) : Json(Value(value)) {}
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) Json(T value) : Json(Value(static_cast<uint64_t>(value))) {}
  template <std::signed_integral T>
  Json(T value) : Json(value < 0 ? Value(int64_t{value}) : Value(static_cast<uint64_t>(value))) {}
  template <std::floating_point T>
  Json(T value) : Json(Value(static_cast<double>(value))) {}
  template <HasNames E>
  Json(E value) : Json(name_of(value)) {}
  /// Of a vector or array the list; of a map the object.
  template <JsonList T>
  Json(const T& values);
  /// An object.
  Json(std::initializer_list<JsonMember> members);

  static Json array(std::initializer_list<Json> items = {});
  static Json object();

  /// Throws JsonError on text that is not JSON or breaks the rules.
  static Json parse(std::string_view text, const JsonRules& rules = {});
  std::string dump(JsonText form = JsonText::line) const;

  bool is_null() const;
  bool is_string() const;
  bool is_array() const;
  bool is_object() const;
  bool is_unsigned() const;  ///< a whole number from 0 to 2^64 - 1

  /// Items or members; 0 of null, 1 of what is no list.
  size_t size() const;
  bool empty() const { return size() == 0; }

  /// The member of that name. These throw JsonError on what is no object; `at` also where there is no such
  /// member, for which `find` has nullptr.
  const Json& at(std::string_view name) const;
  const Json* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }

  /// The member of that name, null where it was missing. For objects that are built, and null, which becomes
  /// one.
  Json& operator[](std::string_view name);
  /// For lists that are built, and null, which becomes one.
  void push_back(Json item);

  /// These throw JsonError, which calls the value `name`, on a value of another kind.
  bool as_bool(const std::string& name) const;
  double as_number(const std::string& name) const;
  const std::string& as_string(const std::string& name) const;
  const List& as_list(const std::string& name) const;
  const Object& as_object(const std::string& name) const;
  uint64_t as_unsigned(const std::string& name, uint64_t most) const;
  int64_t as_signed(const std::string& name, int64_t least, int64_t most) const;

  /// Throws JsonError: `name` needs what is `needed`; found this value.
  [[noreturn]] void refuse(const std::string& name, const std::string& needed) const;

  bool operator==(const Json& other) const;

 private:
  using Value = std::variant<std::nullptr_t, bool, int64_t, uint64_t, double, std::string, List, Object>;

  struct Inside;  // reading and writing, in json.cpp

  explicit Json(Value value);

  Value value_;
};

struct JsonMember {
  std::string name;
  Json value;
};

template <JsonList T>
Json::Json(const T& values) {
  if constexpr (requires { typename T::mapped_type; }) {
    Object object;
    for (const auto& [name, value] : values) object.push_back({name, value});
    value_ = std::move(object);
  } else {
    List list;
    list.reserve(values.size());
    for (const auto& value : values) list.emplace_back(value);
    value_ = std::move(list);
  }
}

/// Null for what is not finite, which JSON cannot say.
Json number_or_null(double value);

/// The value as a T (a bool, number, text, enum that has names, or vector of these), or a JsonError that
/// calls it `name`.
template <class T>
T exactly(const Json& value, const std::string& name) {
  using Limits = std::numeric_limits<T>;
  if constexpr (HasNames<T>) {
    const auto known = value.is_string() ? value_named<T>(value.as_string(name)) : std::nullopt;
    if (!known) value.refuse(name, "a known value");
    return *known;
  } else if constexpr (std::is_same_v<T, bool>) {
    return value.as_bool(name);
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(value.as_unsigned(name, Limits::max()));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value.as_signed(name, Limits::min(), Limits::max()));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value.as_number(name));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.as_string(name);
  } else {
    T list;
    for (const Json& item : value.as_list(name)) list.push_back(exactly<typename T::value_type>(item, name));
    return list;
  }
}

}  // namespace kedge
