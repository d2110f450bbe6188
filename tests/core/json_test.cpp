#include "kedge/core/json.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

namespace kedge {

enum class Fruit { apple, red_plum };
constexpr auto names_of(Fruit) {
  return std::to_array<Named<Fruit>>({{Fruit::apple, "apple"}, {Fruit::red_plum, "red-plum"}});
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string fault_of(const auto& action) {
  try {
    action();
  } catch (const JsonError& error) {
    EXPECT_EQ(error.what(), "[json] " + error.fault());
    EXPECT_EQ(error.fault().find('\n'), std::string::npos);
    return error.fault();
  }
  return "nothing was thrown";
}

std::string parse_fault(const std::string& text) {
  return fault_of([&] { Json::parse(text); });
}

Json sample() {
  Json json{{"zeta", nullptr},
            {"flag", true},
            {"whole", -7},
            {"large", std::numeric_limits<uint64_t>::max()},
            {"least", std::numeric_limits<int64_t>::min()},
            {"tenth", 0.1},
            {"one", 1.0},
            {"small", 1e-300},
            {"text", "tab\t quote\" umlaut \xc3\xbc"},
            {"fruit", Fruit::red_plum},
            {"empty", {{"list", Json::array()}, {"object", Json::object()}}},
            {"mixed", Json::array({1, "two", nullptr, Json::array({2.5, -0.0})})}};
  json["alpha"] = std::vector<float>{0.1f, 3};
  return json;
}

nlohmann::ordered_json same_sample() {
  using Other = nlohmann::ordered_json;
  Other json{{"zeta", nullptr},
             {"flag", true},
             {"whole", -7},
             {"large", std::numeric_limits<uint64_t>::max()},
             {"least", std::numeric_limits<int64_t>::min()},
             {"tenth", 0.1},
             {"one", 1.0},
             {"small", 1e-300},
             {"text", "tab\t quote\" umlaut \xc3\xbc"},
             {"fruit", "red-plum"},
             {"empty", {{"list", Other::array()}, {"object", Other::object()}}},
             {"mixed", {1, "two", nullptr, {2.5, -0.0}}}};
  json["alpha"] = std::vector<float>{0.1f, 3};
  return json;
}

std::string nested(int levels, const std::string& inner = "") {
  const auto count = static_cast<size_t>(levels);
  return std::string(count, '[') + inner + std::string(count, ']');
}

TEST(Json, is_written_byte_for_byte_as_nlohmann_would) {
  EXPECT_EQ(sample().dump(), same_sample().dump());
  EXPECT_EQ(sample().dump(JsonText::lines), same_sample().dump(1));
  using Handler = nlohmann::json::error_handler_t;
  Json damaged = sample();
  auto same_damaged = same_sample();
  damaged["bytes"] = "cut \xc3";
  same_damaged["bytes"] = "cut \xc3";
  EXPECT_EQ(damaged.dump(JsonText::replaced), same_damaged.dump(-1, ' ', false, Handler::replace));
  EXPECT_EQ(damaged.dump(JsonText::ascii), same_damaged.dump(-1, ' ', true, Handler::replace));
  EXPECT_EQ(fault_of([&] { damaged.dump(); }), "texts need UTF-8; found other bytes");
}

TEST(Json, survives_its_own_text) {
  EXPECT_EQ(Json::parse(sample().dump()), sample());
  EXPECT_EQ(Json::parse(sample().dump(JsonText::lines)), sample());
  for (const char* text : {"null", "true", "0", "-3", "2.0", "1e+300", "\"\"", "[]", "{}", "[[],{}]"})
    EXPECT_EQ(Json::parse(text).dump(), text);
}

TEST(Json, keeps_the_order_of_names) {
  const std::string text = R"({"z":1,"a":2,"m":{"y":3,"b":4}})";
  EXPECT_EQ(Json::parse(text).dump(), text);
  Json built;
  for (const char* name : {"q", "c", "x"}) built[name] = name;
  built["q"] = 1;
  EXPECT_EQ(built.dump(), R"({"q":1,"c":"c","x":"x"})");
  EXPECT_NE(Json::parse(R"({"a":1,"b":2})"), Json::parse(R"({"b":2,"a":1})"));
}

TEST(Json, of_a_repeated_name_has_the_last_value_in_the_first_place) {
  const std::string text = R"({"a":1,"b":2,"a":{"c":3}})";
  EXPECT_EQ(Json::parse(text).dump(), R"({"a":{"c":3},"b":2})");
  EXPECT_EQ(Json::parse(text).dump(), nlohmann::ordered_json::parse(text).dump());
  EXPECT_EQ(fault_of([&] { Json::parse(text, {.repeated = RepeatedNames::refuse}); }),
            "name \"a\" appears twice in the text");
  // The same name in two objects is no repetition.
  Json::parse(R"({"a":{"a":1},"b":[{"a":1},{"a":2}]})", {.repeated = RepeatedNames::refuse});
}

TEST(Json, is_read_to_a_depth_and_no_deeper) {
  EXPECT_EQ(Json::parse(nested(deepest_json, "1")).dump(), nested(deepest_json, "1"));
  EXPECT_EQ(parse_fault(nested(deepest_json + 1)), "text is nested deeper than 16 levels");
  EXPECT_EQ(parse_fault(std::string(1'000'000, '[')), "text is nested deeper than 16 levels");
  EXPECT_EQ(fault_of([] { Json::parse("[[]]", {.deepest = 1, .called = "head"}); }),
            "head is nested deeper than 1 levels");
}

TEST(Json, says_where_a_text_is_wrong) {
  EXPECT_EQ(parse_fault(""), "text is not JSON: wrong at its byte 1");
  EXPECT_EQ(parse_fault("{\"a\":}"), "text is not JSON: wrong at its byte 6");
  EXPECT_EQ(parse_fault("[1] 2"), "text is not JSON: wrong at its byte 5");
  EXPECT_EQ(parse_fault("[NaN]"), "text is not JSON: wrong at its byte 2");
  EXPECT_EQ(parse_fault("\"\xff\""), "text is not JSON: wrong at its byte 2");
  EXPECT_EQ(parse_fault("[1e999]"), "text is not JSON: a number is out of range");
}

TEST(Json, writes_null_for_numbers_that_are_not_finite) {
  EXPECT_EQ(Json(std::vector<double>{1, std::nan(""), infinity, -infinity}).dump(), "[1.0,null,null,null]");
  EXPECT_TRUE(number_or_null(std::nan("")).is_null());
  EXPECT_TRUE(number_or_null(-infinity).is_null());
  EXPECT_EQ(number_or_null(0.5), Json(0.5));
}

TEST(Json, is_made_of_lists_and_maps) {
  EXPECT_EQ(Json(std::array<double, 2>{0.5, 2}).dump(), "[0.5,2.0]");
  EXPECT_EQ(Json(std::vector<std::string>{"a", "b"}).dump(), R"(["a","b"])");
  EXPECT_EQ(Json(std::vector<Fruit>{Fruit::apple}).dump(), R"(["apple"])");
  EXPECT_EQ(Json(std::map<std::string, int>{{"b", 1}, {"a", 2}}).dump(), R"({"a":2,"b":1})");
  Json list;
  list.push_back({{"name", "one"}, {"about", "two"}});
  EXPECT_EQ(list.dump(), R"([{"name":"one","about":"two"}])");
}

TEST(Json, counts_items_and_members) {
  EXPECT_EQ(Json().size(), 0u);
  EXPECT_EQ(Json(5).size(), 1u);
  EXPECT_EQ(Json::array({1, 2}).size(), 2u);
  EXPECT_TRUE(Json::object().empty());
}

TEST(Json, is_found_by_name) {
  const Json json = Json::parse(R"({"a":null})");
  EXPECT_TRUE(json.contains("a"));
  EXPECT_TRUE(json.at("a").is_null());
  EXPECT_EQ(json.find("b"), nullptr);
  EXPECT_EQ(fault_of([&] { json.at("b"); }), "\"b\" is missing");
  EXPECT_EQ(fault_of([&] { json.at("a").find("b"); }),
            "\"b\" needs an object around it; found null; a newer kedge may know it");
}

TEST(Json, is_a_whole_number_only_where_the_text_says_so) {
  EXPECT_EQ(exactly<int>(Json::parse("4"), "n"), 4);
  EXPECT_EQ(exactly<int8_t>(Json::parse("-128"), "n"), -128);
  EXPECT_EQ(exactly<int64_t>(Json(std::numeric_limits<int64_t>::min()), "n"),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(exactly<uint64_t>(Json::parse("18446744073709551615"), "n"), ~uint64_t{0});
  for (const char* text : {"4.7", "4.0", "4294967300", "2147483648", "-2147483649", "\"4\"", "null", "true",
                           "[4]", "18446744073709551615"})
    EXPECT_EQ(
        fault_of([&] { exactly<int32_t>(Json::parse(text), "n"); }).find("n needs a whole number in range"),
        0u)
        << text;
  for (const char* text : {"-1", "-0", "4294967296", "0.0"})
    EXPECT_THROW(exactly<uint32_t>(Json::parse(text), "n"), JsonError) << text;
  EXPECT_EQ(fault_of([] { exactly<int>(Json::parse("4.7"), "layers"); }),
            "layers needs a whole number in range; found 4.7; a newer kedge may know it");
}

TEST(Json, is_never_converted) {
  EXPECT_EQ(exactly<double>(Json::parse("4"), "x"), 4.0);
  EXPECT_TRUE(exactly<bool>(Json::parse("true"), "x"));
  EXPECT_THROW(exactly<bool>(Json::parse("1"), "x"), JsonError);
  EXPECT_THROW(exactly<double>(Json::parse("\"4\""), "x"), JsonError);
  EXPECT_THROW(exactly<double>(Json::parse("null"), "x"), JsonError);
  EXPECT_THROW(exactly<std::string>(Json::parse("4"), "x"), JsonError);
  EXPECT_EQ(exactly<std::vector<int>>(Json::parse("[1,2]"), "x"), (std::vector<int>{1, 2}));
  EXPECT_THROW(exactly<std::vector<int>>(Json::parse("[1,2.5]"), "x"), JsonError);
  EXPECT_THROW(exactly<std::vector<int>>(Json::parse("1"), "x"), JsonError);
  EXPECT_THROW(exactly<std::vector<int>>(Json::parse("{\"a\":1}"), "x"), JsonError);
}

TEST(Json, knows_names_of_enums_exactly) {
  EXPECT_EQ(exactly<Fruit>(Json::parse("\"red-plum\""), "fruit"), Fruit::red_plum);
  for (const char* text : {"\"pear\"", "\"Apple\"", "\"apple \"", "\"\"", "0", "null", "[\"apple\"]"})
    EXPECT_EQ(fault_of([&] { exactly<Fruit>(Json::parse(text), "fruit"); }).find("fruit needs a known value"),
              0u)
        << text;
}

TEST(Json, shows_a_short_line_of_what_it_refuses) {
  const std::string fault = fault_of([] { exactly<int>(Json(std::string(1000, '\n') + "\xff"), "x"); });
  EXPECT_LT(fault.size(), 150u);
  EXPECT_NE(fault.find("...; a newer kedge"), std::string::npos);
}

TEST(Names, go_both_ways_and_can_be_listed) {
  EXPECT_EQ(name_of(Fruit::apple), "apple");
  EXPECT_EQ(value_named<Fruit>("red-plum"), Fruit::red_plum);
  EXPECT_EQ(value_named<Fruit>("pear"), std::nullopt);
  EXPECT_EQ(all_names<Fruit>(), "apple, red-plum");
}

}  // namespace
}  // namespace kedge
