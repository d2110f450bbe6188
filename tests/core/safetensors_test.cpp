#include "kedge/core/safetensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kedge/core/checksum.h"
#include "kedge/core/error.h"
#include "kedge/core/rng.h"

namespace kedge {
namespace {

TensorFile sample() {
  TensorFile file;
  file.metadata = {{"format", "kedge"}, {"head", R"({"columns": ["a", "\u00e4"]})"}};
  file.tensors["weights"] = make_tensor<float>({2, 3}, std::vector<float>{1, -2.5f, 3, 1e-40f, INFINITY, 0});
  file.tensors["mean"] =
      make_tensor<double>({2}, std::vector<double>{0.1, std::numeric_limits<double>::max()});
  file.tensors["rows"] = make_tensor<int32_t>({3, 1}, std::vector<int32_t>{-1, 0, 2147483647});
  file.tensors["seed"] = make_tensor<int64_t>({}, std::vector<int64_t>{std::numeric_limits<int64_t>::min()});
  file.tensors["none"] = make_tensor<double>({0, 7}, std::vector<double>{});
  return file;
}

/// A file made by hand: what the length says, the header, the data.
std::string raw(const std::string& header, size_t data_bytes) {
  std::string bytes;
  for (size_t i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> 8 * i);
  return bytes + header + std::string(data_bytes, 'd');
}

std::string entry(const std::string& type, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + type + R"(","shape":[)" + shape + R"(],"data_offsets":[)" + offsets + "]}";
}

std::string load_error(const std::string& bytes) {
  try {
    decode_safetensors(bytes, "m.kedge");
  } catch (const Error& error) {
    return error.what();
  }
  return "no Error";
}

/// The text behind "[load] m.kedge: ".
void expect_error(const std::string& bytes, const std::string& text) {
  EXPECT_EQ(load_error(bytes), "[load] m.kedge: " + text);
}

TEST(Safetensors, what_is_encoded_decodes_to_the_same) {
  const TensorFile file = sample();
  const TensorFile again = decode_safetensors(encode_safetensors(file), "m.kedge");
  EXPECT_EQ(again.metadata, file.metadata);
  EXPECT_EQ(again.tensors, file.tensors);
  EXPECT_EQ(again.values<float>("weights"), (std::vector<float>{1, -2.5f, 3, 1e-40f, INFINITY, 0}));
  EXPECT_EQ(again.values<int64_t>("seed"), std::vector<int64_t>{std::numeric_limits<int64_t>::min()});
  EXPECT_EQ(again.at("none").shape, (std::vector<size_t>{0, 7}));
  EXPECT_TRUE(decode_safetensors(encode_safetensors({}), "m.kedge").tensors.empty());
}

TEST(Safetensors, the_encoding_is_the_published_format_byte_for_byte) {
  TensorFile file;
  file.tensors["b"] = make_tensor<int32_t>({1}, std::vector<int32_t>{0x04030201});
  file.tensors["a"] = make_tensor<float>({}, std::vector<float>{1});
  file.metadata["k"] = "v";
  std::string header = R"({"__metadata__":{"k":"v"},"a":{"data_offsets":[0,4],"dtype":"F32","shape":[]},)"
                       R"("b":{"data_offsets":[4,8],"dtype":"I32","shape":[1]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string expected = raw(header, 0);
  expected += std::string("\x00\x00\x80\x3f", 4) + "\x01\x02\x03\x04";
  EXPECT_EQ(encode_safetensors(file), expected);
  EXPECT_EQ((expected.size() - 8) % 8, 0u);
}

TEST(Safetensors, a_header_in_another_order_with_padding_and_white_space_decodes) {
  const TensorFile file = decode_safetensors(
      raw("{ \"a\" : " + entry("F32", "2", "4, 12") + ",\n\"z\":" + entry("I32", "", "0,4") +
              ",\"e\":" + entry("F64", "0", "4,4") + "}   ",
          12),
      "m.kedge");
  EXPECT_EQ(file.tensors.size(), 3u);
  EXPECT_EQ(file.values<int32_t>("z"), std::vector<int32_t>{0x64646464});
}

TEST(Safetensors, a_cut_file_is_an_error_at_every_byte) {
  const std::string whole = encode_safetensors(sample());
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string text = load_error(whole.substr(0, size));
    EXPECT_NE(text.find("file is cut: needs "), std::string::npos) << size << ": " << text;
  }
  expect_error(whole.substr(0, whole.size() - 1), "file is cut: needs " + std::to_string(whole.size()) +
                                                      " bytes, has " + std::to_string(whole.size() - 1) +
                                                      "; copy it again");
}

TEST(Safetensors, bytes_behind_the_data_are_an_error) {
  expect_error(raw("{}", 3), "file ends 3 bytes late: needs 10 bytes, has 13; copy it again");
}

TEST(Safetensors, a_header_longer_than_allowed_is_an_error_before_it_is_read) {
  expect_error(
      std::string("\x01\xe1\xf5\x05\x00\x00\x00\x00{}", 10),
      "header of 100000001 bytes is too long, at most 100000000 are allowed; is it a safetensors file?");
  expect_error(std::string(8, '\xff') + "{}",
               "header of 18446744073709551615 bytes is too long, at most 100000000 are allowed; is it a "
               "safetensors file?");
}

TEST(Safetensors, a_header_that_is_not_json_is_an_error) {
  expect_error(raw("", 0), "header does not begin with {; is it a safetensors file?");
  expect_error(raw("[]", 0), "header does not begin with {; is it a safetensors file?");
  expect_error(raw("\xef\xbb\xbf{}", 0), "header does not begin with {; is it a safetensors file?");
  expect_error(raw("{\"a\":}", 0), "header is not JSON: wrong at its byte 6");
  expect_error(raw("{} {}", 0), "header is not JSON: wrong at its byte 4");
  expect_error(raw("{\"\xff\":1}", 0), "header is not JSON: wrong at its byte 3");
  expect_error(raw("{\"a\":1e999}", 0), "header is not JSON: a number is out of range");
  expect_error(raw(std::string("{}\0{}", 5), 0), "header is not JSON: byte 2 is zero");
}

TEST(Safetensors, a_header_nested_too_deeply_is_an_error) {
  expect_error(raw("{\"a\":" + std::string(1'000'000, '['), 0), "header is nested deeper than 3 levels");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  expect_error(raw(objects, 0), "header is nested deeper than 3 levels");
}

TEST(Safetensors, a_name_that_appears_twice_is_an_error) {
  const std::string tensor = entry("F32", "0", "0,0");
  expect_error(raw("{\"a\":" + tensor + ",\"a\":" + tensor + "}", 0),
               "name \"a\" appears twice in the header");
  expect_error(raw(R"({"__metadata__":{"k":"1","k":"2"}})", 0), "name \"k\" appears twice in the header");
  expect_error(raw(R"({"a":{"dtype":"F32","dtype":"F64","shape":[],"data_offsets":[0,8]}})", 8),
               "name \"dtype\" appears twice in the header");
}

TEST(Safetensors, metadata_that_is_not_text_is_an_error) {
  expect_error(raw(R"({"__metadata__":["k"]})", 0), "__metadata__ is not an object");
  expect_error(raw(R"({"__metadata__":{"k":1}})", 0), "__metadata__ of \"k\" is not text");
}

TEST(Safetensors, a_tensor_that_is_not_described_in_full_is_an_error) {
  const std::string text = "tensor \"a\": needs exactly dtype, shape, data_offsets";
  for (const std::string description : {"1", "null", "[]", "{}", R"({"dtype":"F32","shape":[]})",
                                        R"({"dtype":"F32","shape":[],"offsets":[0,4]})",
                                        R"({"dtype":"F32","shape":[],"data_offsets":[0,4],"more":1})"}) {
    expect_error(raw("{\"a\":" + description + "}", 4), text);
  }
}

TEST(Safetensors, an_unknown_type_is_an_error) {
  expect_error(raw("{\"a\":" + entry("BF16", "2", "0,4") + "}", 4),
               "tensor \"a\": dtype \"BF16\" is not known; F32, F64, I32, I64 are");
  expect_error(raw(R"({"a":{"dtype":32,"shape":[],"data_offsets":[0,4]}})", 4),
               "tensor \"a\": dtype is not text");
}

TEST(Safetensors, sizes_that_are_not_whole_numbers_are_an_error) {
  const std::string tail = " holds something other than whole numbers from 0 to 2^64 - 1";
  for (const std::string size :
       {"-1", "-0", "1.0", "1e0", "18446744073709551616", "\"1\"", "null", "[1]", "true"}) {
    const bool nested = size == "[1]";
    expect_error(raw("{\"a\":" + entry("F32", size, "0,4") + "}", 4),
                 nested ? "header is nested deeper than 3 levels" : "tensor \"a\": shape" + tail);
    expect_error(raw("{\"a\":" + entry("F32", "1", "0," + size) + "}", 4),
                 nested ? "header is nested deeper than 3 levels" : "tensor \"a\": data_offsets" + tail);
  }
  expect_error(raw(R"({"a":{"dtype":"F32","shape":1,"data_offsets":[0,4]}})", 4),
               "tensor \"a\": shape is not a list");
}

TEST(Safetensors, a_shape_that_needs_other_bytes_than_its_offsets_hold_is_an_error) {
  expect_error(raw("{\"a\":" + entry("F64", "2,3", "0,24") + "}", 24),
               "tensor \"a\": shape needs 48 bytes, data_offsets hold 24");
  // 2^62 + 1 numbers of four bytes are four bytes modulo 2^64.
  expect_error(raw("{\"a\":" + entry("F32", "4611686018427387905", "0,4") + "}", 4),
               "tensor \"a\": shape is too large");
  expect_error(raw("{\"a\":" + entry("F32", "4294967296,4294967296", "0,0") + "}", 0),
               "tensor \"a\": shape is too large");
}

TEST(Safetensors, offsets_that_do_not_tile_the_data_are_an_error) {
  const auto two = [](const std::string& first, const std::string& second) {
    return raw("{\"a\":" + entry("F32", "1", first) + ",\"b\":" + entry("F32", "1", second) + "}", 8);
  };
  ASSERT_EQ(load_error(two("0,4", "4,8")), "no Error");
  expect_error(two("0,4", "0,4"),
               "tensor \"b\": begins at byte 0; the data before it end at 4, so there is an overlap");
  expect_error(two("0,4", "2,6"),
               "tensor \"b\": begins at byte 2; the data before it end at 4, so there is an overlap");
  expect_error(two("0,4", "5,9"),
               "tensor \"b\": begins at byte 5; the data before it end at 4, so there is a gap");
  expect_error(two("4,0", "4,8"), "tensor \"a\": data_offsets end at 0, before they begin at 4");
  expect_error(two("0,4,8", "4,8"), "tensor \"a\": data_offsets needs 2 numbers, has 3");
  expect_error(raw("{\"a\":" + entry("F32", "1", "1,5") + "}", 5),
               "tensor \"a\": begins at byte 1; the data before it end at 0, so there is a gap");
}

TEST(Safetensors, sizes_near_the_end_of_the_number_range_are_errors_and_allocate_nothing) {
  expect_error(raw("{\"a\":" + entry("F32", "4611686018427387903", "0,18446744073709551612") + "}", 4),
               "tensors are larger than any file");
  EXPECT_NE(load_error(raw("{\"a\":" + entry("F32", "250000000000", "0,1000000000000") + "}", 4))
                .find("file is cut"),
            std::string::npos);
}

TEST(Safetensors, an_error_stays_one_short_line_whatever_the_names_hold) {
  const std::string text = load_error(raw("{\"\\n" + std::string(5000, 'n') + "\":1}", 0));
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_LT(text.size(), 200u);
  try {
    decode_safetensors("", "two\nlines");
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(Safetensors, a_missing_tensor_and_a_wrong_type_are_errors_that_name_file_and_tensor) {
  const TensorFile file = decode_safetensors(encode_safetensors(sample()), "m.kedge");
  const auto text_of = [](auto action) -> std::string {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no Error";
  };
  EXPECT_EQ(text_of([&] { file.at("bias"); }),
            "[load] m.kedge: tensor \"bias\" is missing; the file holds 5 others");
  EXPECT_EQ(text_of([&] { file.values<double>("weights"); }),
            "[load] m.kedge: tensor weights needs type F64; it holds F32");
  EXPECT_EQ(text_of([&] { values<int32_t>(file.at("seed")); }), "[load] tensor needs type I32; it holds I64");
}

TEST(Safetensors, a_tensor_whose_numbers_do_not_fill_its_shape_is_an_error) {
  const std::vector<float> five(5);
  EXPECT_THROW(make_tensor<float>({2, 3}, five), Error);
  EXPECT_THROW(make_tensor<float>({size_t{1} << 62, 5}, five), Error);
  TensorFile file = sample();
  file.tensors["mean"].bytes.pop_back();
  EXPECT_THROW(encode_safetensors(file), Error);
}

TEST(Safetensors, names_that_the_format_cannot_hold_are_errors) {
  for (const std::string name : {"__metadata__", "\xff"}) {
    TensorFile file;
    file.tensors[name] = make_tensor<float>({0}, std::vector<float>{});
    EXPECT_THROW(encode_safetensors(file), Error) << name;
  }
  TensorFile file;
  file.metadata["k"] = "\xc3";
  EXPECT_THROW(encode_safetensors(file), Error);
}

TEST(Safetensors, a_sealed_file_tells_whether_anything_in_it_has_changed) {
  TensorFile sealed = sample();
  require_intact(sealed);
  seal(sealed);
  EXPECT_EQ(sealed.metadata.at(checksum_key).size(), 16u);
  require_intact(decode_safetensors(encode_safetensors(sealed), "m.kedge"));
  TensorFile twice = sealed;
  seal(twice);
  EXPECT_EQ(twice.metadata, sealed.metadata);
  const auto expect_damaged = [&](auto edit) {
    TensorFile file = sealed;
    edit(file);
    EXPECT_THROW(require_intact(file), Error);
  };
  expect_damaged([](TensorFile& f) { f.metadata["format"] += ' '; });
  expect_damaged([](TensorFile& f) { f.metadata["more"]; });
  expect_damaged([](TensorFile& f) { f.metadata.erase("format"); });
  expect_damaged([](TensorFile& f) { f.metadata[checksum_key] = "0"; });
  expect_damaged([](TensorFile& f) { f.tensors.erase("none"); });
  expect_damaged([](TensorFile& f) { f.tensors["none"].shape = {7, 0}; });
  expect_damaged([](TensorFile& f) { f.tensors["none"].type = TensorType::f32; });
  expect_damaged([](TensorFile& f) { f.tensors["rows"].shape = {1, 3}; });
  expect_damaged([](TensorFile& f) { f.tensors["rows"].bytes[5] ^= std::byte{1}; });
  expect_damaged([](TensorFile& f) { std::swap(f.tensors["rows"], f.tensors["mean"]); });
}

TEST(Safetensors, the_checksum_is_that_of_the_documented_bytes) {
  TensorFile file;
  file.metadata["k"] = "v";
  file.tensors["b"] = make_tensor<int32_t>({1}, std::vector<int32_t>{7});
  const auto number = [](char low) { return std::string(1, low) + std::string(7, '\0'); };
  const std::string bytes = number(1) + number(1) + "k" + number(1) + "v" + number(1) + number(1) + "b" +
                            number(3) + "I32" + number(1) + number(1) + number(4) +
                            std::string("\x07\0\0\0", 4);
  Checksum sum;
  sum.add(std::as_bytes(std::span(bytes)));
  EXPECT_EQ(content_checksum(file), sum.value());
}

TEST(Safetensors, a_damaged_file_says_both_checksums_and_what_to_do) {
  TensorFile file;
  file.source = "m.kedge";
  file.metadata[checksum_key] = "00000000000000ff";
  try {
    require_intact(file);
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what())
                  .find("[load] m.kedge is damaged: its checksum is "
                        "\"00000000000000ff\", its content gives "),
              0u)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("; copy it again"), std::string::npos);
  }
}

TEST(Safetensors, a_file_of_another_kind_is_named) {
  const std::string needed = "needs a file that kedge fit or kedge imitate wrote; found ";
  expect_error(std::string("\x89HDF\r\n\x1a\n\0\0\0\0", 12),
               needed + "an HDF5 file; kedge imitate learns a policy from one of demonstrations");
  expect_error("\x93NUMPY\x01", needed + "an NPY file; kedge fit makes a model of one");
  expect_error("PK\x03\x04", needed + "a ZIP or NPZ file; unpack it first");
  const std::string text = needed + "a text, such as a CSV table; kedge fit makes a model of a table";
  expect_error("x,y\n", text);
  expect_error("\xef\xbb\xbfhöhe,y\r\n1,2\r\n3,4\r\n", text);
}

std::string changed(std::string bytes, Rng& rng) {
  static const std::vector<std::string> tokens{"{",
                                               "}",
                                               "[",
                                               "]",
                                               ",",
                                               ":",
                                               "\"",
                                               "-",
                                               "0",
                                               "9999999999999999999",
                                               "1e9",
                                               "null",
                                               "\"a\":",
                                               "F64",
                                               "I32",
                                               "__metadata__",
                                               std::string(1, '\0'),
                                               "\xff",
                                               " ",
                                               "\\u0000"};
  const size_t at = rng.below(bytes.size());
  const size_t span = 1 + rng.below(6);
  switch (rng.below(5)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << rng.below(8));
      break;
    case 1:
      bytes[at] = static_cast<char>(rng.below(256));
      break;
    case 2:
      bytes.erase(at, span);
      break;
    case 3:
      bytes.insert(at, tokens[rng.below(tokens.size())]);
      break;
    default:
      bytes.replace(at, span, bytes.substr(rng.below(bytes.size()), span));
      break;
  }
  return bytes;
}

TEST(Safetensors, random_changes_give_a_valid_file_or_an_error) {
  const std::string whole = encode_safetensors(sample());
  const size_t data_begin = whole.find_last_of('}') + 1;
  const std::string header = whole.substr(8, data_begin - 8),
                    data = whole.substr(whole.find_first_not_of(' ', data_begin));
  ASSERT_EQ(load_error(raw(header, 0) + data), "no Error");
  int valid = 0, wrong = 0;
  for (uint64_t round = 0; round < 60'000; ++round) {
    Rng rng(11, Stream::noise, round);
    // Every other file keeps a right header length, or the length alone would catch most changes.
    const bool keep_length = round % 2 == 0;
    std::string bytes = keep_length ? header : whole;
    for (uint64_t changes = 1 + rng.below(3); changes > 0; --changes) bytes = changed(bytes, rng);
    if (keep_length) bytes = raw(bytes, 0) + data;
    try {
      const TensorFile file = decode_safetensors(bytes, "m.kedge");
      const TensorFile again = decode_safetensors(encode_safetensors(file), "m.kedge");
      ASSERT_EQ(again.tensors, file.tensors) << round;
      ASSERT_EQ(again.metadata, file.metadata) << round;
      ++valid;
    } catch (const Error& error) {
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << round;
      ++wrong;
    }
  }
  EXPECT_GT(valid, 1000);
  EXPECT_GT(wrong, 10'000);
}

}  // namespace
}  // namespace kedge
