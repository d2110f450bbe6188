// The one file that includes nlohmann/json.hpp, which takes longer to compile than most files of ours.

#include "kedge/core/json.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "kedge/core/format.h"

namespace kedge {
namespace {

/// As errors show a text that came from outside.
std::string quoted(std::string_view text) { return Json(text).dump(JsonText::ascii); }

}  // namespace

struct Json::Inside {
  using Written = nlohmann::ordered_json;

  static Written written(const Json& json) { return std::visit(Inside(), json.value_); }

  Written operator()(const List& list) const {
    Written::array_t items;
    items.reserve(list.size());
    for (const Json& item : list) items.push_back(written(item));
    return items;
  }
  Written operator()(const Object& object) const {
    Written::object_t members;
    // Not by emplace, which looks through all the names before.
    for (const JsonMember& member : object) members.push_back({member.name, written(member.value)});
    return members;
  }
  Written operator()(const auto& value) const { return value; }

  class Reader;
};

/// Takes what the parser finds, value by value, so that rules are kept before anything is built on it.
class Json::Inside::Reader {
 public:
  explicit Reader(const JsonRules& rules) : rules_(rules) {}

  Json result() { return std::move(root_); }

  bool null() { return put(Value(nullptr)); }
  bool boolean(bool value) { return put(Value(value)); }
  bool number_integer(int64_t value) { return put(Value(value)); }
  bool number_unsigned(uint64_t value) { return put(Value(value)); }
  bool number_float(double value, const std::string&) { return put(Value(value)); }
  bool string(std::string& value) { return put(Value(std::move(value))); }
  bool binary(std::vector<uint8_t>&) { return false; }  // not in texts

  bool start_object(size_t) { return open(Value(Object())); }
  bool start_array(size_t) { return open(Value(List())); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Level& level = open_.back();
    auto& members = std::get<Object>(level.json->value_);
    const auto [found, is_new] = level.places.try_emplace(name, members.size());
    if (is_new)
      members.push_back({std::move(name), {}});
    else if (rules_.repeated == RepeatedNames::refuse)
      throw JsonError(fmt::format("name {} appears twice in the {}", shortened(name), rules_.called));
    level.next = &members[found->second].value;
    return true;
  }

  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception& error) {
    if (dynamic_cast<const nlohmann::json::out_of_range*>(&error))
      throw JsonError(fmt::format("{} is not JSON: a number is out of range", rules_.called));
    throw JsonError(fmt::format("{} is not JSON: wrong at its byte {}", rules_.called, position));
  }

 private:
  struct Level {
    Json* json;
    Json* next = nullptr;                            // where the value of the last name goes
    std::unordered_map<std::string, size_t> places;  // of the names
  };

  static std::string shortened(std::string_view name) {
    constexpr size_t longest = 60;
    return quoted(name.substr(0, longest)) + (name.size() > longest ? "..." : "");
  }

  Json& place() {
    if (open_.empty()) return root_;
    const Level& level = open_.back();
    if (level.next) return *level.next;
    return std::get<List>(level.json->value_).emplace_back();
  }

  bool put(Value value) {
    place().value_ = std::move(value);
    return true;
  }

  bool open(Value value) {
    if (open_.size() >= static_cast<size_t>(rules_.deepest))
      throw JsonError(fmt::format("{} is nested deeper than {} levels", rules_.called, rules_.deepest));
    Json& json = place();
    json.value_ = std::move(value);
    open_.push_back({&json, nullptr, {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const JsonRules& rules_;
  Json root_;
  std::vector<Level> open_;
};

Json::Json() = default;
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json::Json(Value value) : value_(std::move(value)) {}
Json::Json(std::nullptr_t) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}

Json::Json(std::initializer_list<JsonMember> members) : value_(Object(members)) {}

Json Json::array(std::initializer_list<Json> items) { return Json(Value(List(items))); }
Json Json::object() { return Json(Value(Object())); }

Json Json::parse(std::string_view text, const JsonRules& rules) {
  Inside::Reader reader(rules);
  nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
  return reader.result();
}

std::string Json::dump(JsonText form) const {
  const bool lossy = form == JsonText::replaced || form == JsonText::ascii;
  using Handler = nlohmann::json::error_handler_t;
  try {
    return Inside::written(*this).dump(form == JsonText::lines ? 1 : -1, ' ', form == JsonText::ascii,
                                       lossy ? Handler::replace : Handler::strict);
  } catch (const nlohmann::json::type_error&) {
    throw JsonError("texts need UTF-8; found other bytes");
  }
}

bool Json::is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
bool Json::is_string() const { return std::holds_alternative<std::string>(value_); }
bool Json::is_array() const { return std::holds_alternative<List>(value_); }
bool Json::is_object() const { return std::holds_alternative<Object>(value_); }
bool Json::is_unsigned() const { return std::holds_alternative<uint64_t>(value_); }

size_t Json::size() const {
  if (const auto* list = std::get_if<List>(&value_)) return list->size();
  if (const auto* object = std::get_if<Object>(&value_)) return object->size();
  return is_null() ? 0 : 1;
}

const Json* Json::find(std::string_view name) const {
  const auto* object = std::get_if<Object>(&value_);
  if (!object) refuse(quoted(name), "an object around it");
  const auto found = std::find_if(object->begin(), object->end(),
                                  [&](const JsonMember& member) { return member.name == name; });
  return found == object->end() ? nullptr : &found->value;
}

const Json& Json::at(std::string_view name) const {
  if (const Json* found = find(name)) return *found;
  throw JsonError(fmt::format("{} is missing", quoted(name)));
}

Json& Json::operator[](std::string_view name) {
  if (is_null()) value_ = Object();
  if (const Json* found = find(name)) return const_cast<Json&>(*found);
  return std::get<Object>(value_).emplace_back(JsonMember{std::string(name), {}}).value;
}

void Json::push_back(Json item) {
  if (is_null()) value_ = List();
  assert(is_array());
  std::get<List>(value_).push_back(std::move(item));
}

bool Json::as_bool(const std::string& name) const {
  if (const bool* value = std::get_if<bool>(&value_)) return *value;
  refuse(name, "true or false");
}

double Json::as_number(const std::string& name) const {
  if (const double* value = std::get_if<double>(&value_)) return *value;
  if (const int64_t* value = std::get_if<int64_t>(&value_)) return static_cast<double>(*value);
  if (const uint64_t* value = std::get_if<uint64_t>(&value_)) return static_cast<double>(*value);
  refuse(name, "a number");
}

const std::string& Json::as_string(const std::string& name) const {
  if (const auto* value = std::get_if<std::string>(&value_)) return *value;
  refuse(name, "a text");
}

const Json::List& Json::as_list(const std::string& name) const {
  if (const auto* value = std::get_if<List>(&value_)) return *value;
  refuse(name, "a list");
}

const Json::Object& Json::as_object(const std::string& name) const {
  if (const auto* value = std::get_if<Object>(&value_)) return *value;
  refuse(name, "an object");
}

uint64_t Json::as_unsigned(const std::string& name, uint64_t most) const {
  if (const auto* value = std::get_if<uint64_t>(&value_); value && *value <= most) return *value;
  refuse(name, "a whole number in range");
}

int64_t Json::as_signed(const std::string& name, int64_t least, int64_t most) const {
  if (const auto* value = std::get_if<uint64_t>(&value_); value && *value <= static_cast<uint64_t>(most))
    return static_cast<int64_t>(*value);
  if (const auto* value = std::get_if<int64_t>(&value_); value && *value >= least && *value <= most)
    return *value;
  refuse(name, "a whole number in range");
}

void Json::refuse(const std::string& name, const std::string& needed) const {
  constexpr size_t longest = 60;
  const std::string shown = dump(JsonText::ascii);
  throw JsonError(fmt::format("{} needs {}; found {}{}{}", name, needed, shown.substr(0, longest),
                              shown.size() > longest ? "..." : "", newer_hint));
}

// Written out: clang 14 does not compile the comparison of a variant that holds lists of itself.
bool Json::operator==(const Json& other) const {
  if (value_.index() != other.value_.index()) return false;
  const auto same = [&]<class T>(const T* mine) { return mine && *mine == std::get<T>(other.value_); };
  if (const List* list = std::get_if<List>(&value_)) {
    const List& theirs = std::get<List>(other.value_);
    return std::equal(list->begin(), list->end(), theirs.begin(), theirs.end());
  }
  if (const Object* object = std::get_if<Object>(&value_)) {
    const Object& theirs = std::get<Object>(other.value_);
    return std::equal(
        object->begin(), object->end(), theirs.begin(), theirs.end(),
        [](const JsonMember& a, const JsonMember& b) { return a.name == b.name && a.value == b.value; });
  }
  return is_null() || same(std::get_if<bool>(&value_)) || same(std::get_if<int64_t>(&value_)) ||
         same(std::get_if<uint64_t>(&value_)) || same(std::get_if<double>(&value_)) ||
         same(std::get_if<std::string>(&value_));
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace kedge
