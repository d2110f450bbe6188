// The model file: whatever its bytes are, loading gives a predictor that predicts, or one line that says why
// not.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "kedge/core/safetensors.h"
#include "tests/core/unsealed.h"
#include "tests/predictor/fitted.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

using nlohmann::json;

constexpr int mutations = 10000;

// A small file: the work of a test grows with its bytes.
std::string sealed_bytes() {
  FitOptions options = quick_options("bilinear");
  options.architecture = {.layers = 2, .width = 3, .embedding = 1};
  options.training.steps = 1;
  options.pool = 20;
  return fit({training_table(8), options}, {.threads = 1}).predictor.to_bytes();
}

// The same without a checksum, which would hide the other checks.
std::string model_bytes() { return encode_safetensors(unsealed(sealed_bytes())); }

std::string load_error(std::string_view bytes) {
  const std::string error = error_text([&] { Predictor::from_bytes(bytes, "m.kedge"); });
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  return error;
}

// The file with its head, a JSON text in the metadata, changed by `edit`.
template <class Edit>
std::string with_head(Edit edit) {
  TensorFile file = decode_safetensors(model_bytes(), "m");
  json head = json::parse(file.metadata.at("head"));
  edit(head);
  file.metadata["head"] = head.dump();
  return encode_safetensors(file);
}

template <class Edit>
std::string with_file(Edit edit) {
  TensorFile file = decode_safetensors(model_bytes(), "m");
  edit(file);
  return encode_safetensors(file);
}

TEST(ModelFile, is_written_to_and_read_from_a_path) {
  const std::string path = testing::TempDir() + "kedge_model_file_test.kedge";
  FitOptions options = quick_options("bilinear");
  const Predictor before = fit({training_table(), options}, {.threads = 1}).predictor;
  before.save(path);
  const Predictor after = Predictor::load(path);
  EXPECT_TRUE(same(before.predict(query_rows()), after.predict(query_rows())));
  std::filesystem::remove(path);
  EXPECT_NE(error_text([&] { Predictor::load(path); }).find(path), std::string::npos);
}

TEST(ModelFile, cut_anywhere_is_refused) {
  const std::string bytes = model_bytes();
  for (size_t size = 0; size < bytes.size(); size += 97)
    EXPECT_NE(load_error(std::string_view(bytes).substr(0, size)), "") << size;
}

TEST(ModelFile, broken_at_random_is_refused_or_predicts_without_a_crash) {
  const std::string bytes = model_bytes();
  const Matrix<double> rows = query_rows(3);
  Rng rng(1, Stream::noise);
  int loaded = 0;
  for (int i = 0; i < mutations; ++i) {
    const std::vector<char> broken = mutated(bytes, "{}[],:\"0123456789.-e\\", rng);
    try {
      Predictor::from_bytes({broken.data(), broken.size()}, "m.kedge").predict(rows, {.threads = 1});
      ++loaded;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(loaded, 0) << "numbers may change without harm; if nothing loads, nothing was tested";
  EXPECT_LT(loaded, mutations);
}

TEST(ModelFile, with_one_byte_of_its_numbers_changed_is_refused_or_predicts_without_a_crash) {
  const std::string bytes = model_bytes();
  uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof header);
  const Matrix<double> rows = query_rows(2);
  Rng rng(2, Stream::noise);
  for (size_t at = 8 + header; at < bytes.size(); ++at) {
    std::string broken = bytes;
    broken[at] = static_cast<char>(static_cast<unsigned char>(rng.below(256)));
    try {
      Predictor::from_bytes(broken, "m.kedge").predict(rows, {.threads = 1});
    } catch (const Error&) {
    }
  }
}

TEST(ModelFile, with_any_bit_flipped_is_refused_or_predicts_the_same) {
  const std::string bytes = sealed_bytes();
  const Matrix<double> rows = query_rows(3);
  const Predictions right = Predictor::from_bytes(bytes, "m.kedge").predict(rows, {.threads = 1});
  size_t refused = 0, harmless = 0;
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    try {
      const Predictor loaded = Predictor::from_bytes(flipped, "m.kedge");
      ASSERT_TRUE(same(loaded.predict(rows, {.threads = 1}), right)) << bit;
      ++harmless;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100 * harmless);  // the name of the checksum itself, and blanks that pad the header
}

TEST(ModelFile, without_a_checksum_loads_as_before) {
  const Matrix<double> rows = query_rows(3);
  EXPECT_EQ(decode_safetensors(model_bytes(), "m").metadata.count(checksum_key), 0u);
  EXPECT_TRUE(same(Predictor::from_bytes(model_bytes(), "m").predict(rows),
                   Predictor::from_bytes(sealed_bytes(), "m").predict(rows)));
}

TEST(ModelFile, with_numbers_that_changed_says_that_it_is_damaged) {
  std::string bytes = sealed_bytes();
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_NE(load_error(bytes).find("m.kedge is damaged: its checksum is "), std::string::npos);
}

TEST(ModelFile, of_another_format_or_a_later_version_is_refused_with_advice) {
  const std::string later = load_error(with_file([](TensorFile& f) { f.metadata["version"] = "2"; }));
  EXPECT_NE(later.find("version 1; found version '2'; load it with a newer kedge"), std::string::npos);
  EXPECT_NE(load_error(with_file([](TensorFile& f) { f.metadata["format"] = "pt"; })).find("kedge-model"),
            std::string::npos);
  EXPECT_NE(load_error(with_file([](TensorFile& f) { f.metadata.clear(); })), "");
  EXPECT_NE(load_error(with_file([](TensorFile& f) { f.metadata.erase("head"); })), "");
}

TEST(ModelFile, without_one_of_its_tensors_or_with_another_shape_or_type_is_refused) {
  const TensorFile good = decode_safetensors(model_bytes(), "m");
  for (const auto& [name, tensor] : good.tensors) {
    EXPECT_NE(load_error(with_file([&](TensorFile& f) { f.tensors.erase(name); })).find(name),
              std::string::npos);
    const size_t count = tensor.bytes.size() / 4;
    EXPECT_NE(load_error(with_file([&](TensorFile& f) {
                f.tensors[name] = make_tensor<int64_t>({1}, std::vector<int64_t>{1});
              })),
              "");
    EXPECT_NE(load_error(with_file([&](TensorFile& f) { f.tensors[name] = {tensor.type, {0, 2}, {}}; })), "");
    ASSERT_GT(count, 0u);
  }
}

TEST(ModelFile, with_numbers_that_cannot_be_is_refused) {
  const auto with_number = [](const std::string& name, auto number) {
    return load_error(with_file(
        [&](TensorFile& f) { std::memcpy(f.tensors.at(name).bytes.data(), &number, sizeof number); }));
  };
  EXPECT_NE(with_number("pool", int32_t{8}).find("row 8 of 8"), std::string::npos);
  EXPECT_NE(with_number("pool", int32_t{-1}).find("row -1"), std::string::npos);
  EXPECT_NE(with_number("parameters", std::nanf("")), "");
  for (const char* name : {"training.points", "training.outputs", "scaling.point.mean"})
    EXPECT_NE(with_number(name, HUGE_VAL), "") << name;
  for (const char* name :
       {"scaling.point.scale", "scaling.delta.scale", "scaling.output.scale", "scaling.metric"})
    for (double number : {0.0, -1.0, std::nan("")}) EXPECT_NE(with_number(name, number), "") << name;
}

TEST(ModelFile, with_a_head_of_unknown_or_swapped_values_is_refused_and_not_misread) {
  const std::vector<std::pair<std::string, json>> faults = {
      {"/inputs", json::array()},
      {"/inputs", json::array({"x", "angle"})},
      {"/inputs", json::array({"x", "angle", "angle"})},
      {"/inputs", json::array({"x", "size", "angle", "more"})},
      {"/inputs", json::array({1, 2, 3})},
      {"/inputs", "x"},
      {"/outputs", json::array({"y"})},
      {"/outputs", json::array()},
      {"/options/model", "tree"},
      {"/options/space", "angle=spiral"},
      {"/options/space", ""},
      {"/options/replicas", 2},
      {"/options/replicas", 0},
      {"/options/anchors", "closest"},
      {"/options/training/loss", "huber"},
      {"/options/scaling/inputs", "robust"},
      {"/options/pairs/rule", "none"},
      {"/program/ops/0/activation", "gelu"},
      {"/program/ops/0/init", "xavier"},
      {"/program/ops/0/width", 4},
      {"/program/features", 5},
      {"/program/outputs", 1},
      {"/program", nullptr},
      {"/options", nullptr},
      {"/final_loss", "low"},
      {"/trained_steps", "all"},
      {"/trained_steps", 1000000},
      {"/coverage", "good"},
      {"/coverage/thresholds/delta_radius", -1},
  };
  for (const auto& [pointer, value] : faults)
    EXPECT_NE(load_error(with_head([&](json& head) { head[json::json_pointer(pointer)] = value; })), "")
        << pointer << " " << value;
  for (const char* key : {"inputs", "outputs", "options", "program", "final_loss"})
    EXPECT_NE(load_error(with_head([&](json& head) { head.erase(key); })), "") << key;
}

// The file with another program, and as many parameters as it needs.
std::string with_program(const Program& program) {
  return with_file([&](TensorFile& file) {
    json head = json::parse(file.metadata.at("head"));
    head["program"] = json::parse(program.to_json());
    file.metadata["head"] = head.dump();
    const std::vector<float> zero(program.parameters());
    file.tensors["parameters"] = make_tensor<float>({1, zero.size()}, zero);
  });
}

TEST(ModelFile, with_a_program_of_huge_widths_is_refused_before_anything_is_allocated) {
  const auto doubled = [](int times, int sums) {
    Program program(4, 2);
    int v = program.dense(Program::input(Input::delta), 2, Activation::none);
    for (int i = 0; i < times; ++i) v = program.concat(v, v);
    for (int i = 0; i < sums; ++i) v = program.add(v, v);
    program.select(v, {0, 1});
    return program;
  };
  EXPECT_EQ(load_error(with_program(doubled(3, 5))), "");
  EXPECT_NE(load_error(with_program(doubled(9, 900))).find("widths"), std::string::npos);
  EXPECT_NE(load_error(with_program(doubled(24, 0))).find("width"), std::string::npos);
  EXPECT_NE(load_error(with_head([](json& head) { head["program"]["ops"][0]["width"] = 1 << 20; })), "");
  EXPECT_NE(load_error(with_head([](json& head) { head["options"]["replicas"] = 1000; })), "");
}

TEST(ModelFile, with_a_head_nested_without_end_is_refused) {
  constexpr size_t depth = 1000000;
  for (const char* key : {"options", "program", "inputs", "final_loss", "unknown"}) {
    const std::string bytes = with_file([&](TensorFile& file) {
      json head = json::parse(file.metadata.at("head"));
      head[key] = "HERE";
      std::string text = head.dump();
      text.replace(text.find("\"HERE\""), 6, std::string(depth, '[') + std::string(depth, ']'));
      file.metadata["head"] = text;
    });
    EXPECT_NE(load_error(bytes), "") << key;
  }
}

TEST(ModelFile, keeps_the_steps_that_were_trained) {
  const Predictor stopped = Predictor::from_bytes(with_head([](json& head) {
                                                    head["options"]["training"]["steps"] = 100;
                                                    head["trained_steps"] = 2;
                                                  }),
                                                  "stopped");
  EXPECT_EQ(stopped.trained_steps(), 2u);
  EXPECT_EQ(Predictor::from_bytes(stopped.to_bytes(), "again").trained_steps(), 2u);
}

TEST(ModelFile, from_before_trained_steps_were_stored_was_trained_for_all) {
  const Predictor old =
      Predictor::from_bytes(with_head([](json& head) { ASSERT_EQ(head.erase("trained_steps"), 1u); }), "old");
  EXPECT_EQ(old.trained_steps(), old.options().training.steps);
}

TEST(ModelFile, from_before_coverage_was_stored_loads_and_says_that_nothing_is_known) {
  const Predictor old = Predictor::from_bytes(with_head([](json& head) { head.erase("coverage"); }), "old");
  const Predictions predictions = old.predict(query_rows(5));
  for (size_t r = 0; r < 5; ++r) {
    EXPECT_EQ(predictions.verdict[r], Verdict::undetermined);
    EXPECT_TRUE(std::isnan(predictions.expected_error[r]));
  }
}

TEST(ModelFile, with_line_breaks_in_its_texts_is_refused_in_one_line) {
  EXPECT_NE(load_error(with_head([](json& head) { head["options"]["model"] = "a\nb"; })), "");
  EXPECT_NE(load_error(with_head([](json& head) { head["options"]["space"] = "a\nb=log"; })), "");
  EXPECT_NE(load_error(with_head([](json& head) { head["options"]["anchors"] = "a\nb"; })), "");
  EXPECT_NE(load_error(with_head([](json& head) { head["program"]["ops"][0]["kind"] = "a\nb"; })), "");
  EXPECT_NE(load_error(with_file([](TensorFile& f) { f.metadata["version"] = "2\n"; })), "");
}

}  // namespace
}  // namespace kedge
