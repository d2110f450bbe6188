// Files that ask for more work or memory than their size is worth, and files that break what the library
// assumes. Each is refused in one line, or answered within bounds. The files in tests/predictor/hostile are
// of a few kilobytes; what one of them once cost is said beside it.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "kedge/core/files.h"
#include "kedge/nn/plan.h"
#include "kedge/predictor/row_predictor.h"
#include "tests/core/unsealed.h"
#include "tests/predictor/fitted.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

using nlohmann::json;

std::string hostile(const std::string& name) {
  return read_file(KEDGE_SOURCE_DIR "/tests/predictor/hostile/" + name, "test");
}

void expect_refused(const std::string& bytes, const std::string& said) {
  const std::string error = error_text([&] { Predictor::from_bytes(bytes, "m.kedge"); });
  EXPECT_NE(error.find(said), std::string::npos) << said << ": " << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

TEST(HostileFile, of_concatenations_without_parameters_is_refused) {
  expect_refused(hostile("bomb1.kedge"), "has width 262144");     // 531 MB for each thread of a prediction
  expect_refused(hostile("bomb1000.kedge"), "has width 262144");  // a minute for one query
  expect_refused(hostile("theo64.kedge"), "without parameters");  // 26 seconds of kedge info
}

TEST(HostileFile, whose_rotation_has_unequal_scales_is_refused) {
  expect_refused(hostile("rotation-metric.kedge"), "scaling.metric needs one scale for a rotation");
}

// A small table with a rotation; the fit takes a blink.
TensorFile rotation_file() {
  Rng rng(4, Stream::domain);
  Table table("turns.csv");
  for (const char* name : {"w", "x", "y", "z", "out"}) {
    std::vector<double> values;
    for (size_t r = 0; r < 12; ++r) values.push_back(rng.uniform(0.1, 1));
    table.add(column(name, name == std::string("out") ? Role::output : Role::input, values));
  }
  FitOptions options;
  options.model = "nearest";
  options.space = "w+x+y+z=rotation";
  return fit({table, options}, {.threads = 1}).predictor.to_tensors();
}

TEST(HostileFile, whose_rotations_are_no_unit_quaternions_is_refused) {
  TensorFile file = rotation_file();
  Predictor::from_tensors(file);
  Tensor& points = file.tensors.at("training.points");
  std::vector<double> numbers = values<double>(points);
  numbers[4] *= 2;
  points = make_tensor<double>(points.shape, numbers);
  expect_refused(encode_safetensors(file), "needs unit quaternions; row 1");
}

// One plain column in, `outputs` out, by a program that adds the first difference to the anchor's outputs.
TensorFile plain_file(size_t rows, size_t outputs, const std::string& anchors) {
  Program program(1, static_cast<int>(outputs));
  const int change = program.select(Program::input(Input::delta), std::vector<int>(outputs, 0));
  program.add(Program::input(Input::anchor_output), change);
  FitOptions options;
  options.model = "bilinear";
  json head{{"inputs", {"x"}},
            {"outputs", json::array()},
            {"options", json::parse(to_json(options))},
            {"program", json::parse(program.to_json())},
            {"final_loss", nullptr}};
  head["options"]["anchors"] = anchors;
  for (size_t k = 0; k < outputs; ++k) head["outputs"].push_back("y" + std::to_string(k));
  TensorFile file;
  file.metadata = {{"format", "kedge-model"}, {"version", "1"}, {"kedge", "0.1.0"}, {"head", head.dump()}};
  const auto add = [&](const std::string& name, std::vector<size_t> shape, auto value_at) {
    size_t count = 1;
    for (size_t extent : shape) count *= extent;
    std::vector<double> numbers(count);
    for (size_t i = 0; i < count; ++i) numbers[i] = value_at(i);
    file.tensors[name] = make_tensor<double>(std::move(shape), numbers);
  };
  const auto constant = [](double value) { return [value](size_t) { return value; }; };
  const auto rising = [](size_t i) { return std::sin(static_cast<double>(i)); };
  add("training.points", {rows, 1}, rising);
  add("training.outputs", {rows, outputs}, rising);
  for (const char* part : {"point", "delta", "output"}) {
    const size_t size = part == std::string("output") ? outputs : 1;
    add("scaling." + std::string(part) + ".mean", {size}, constant(0));
    add("scaling." + std::string(part) + ".scale", {size}, constant(1));
  }
  add("scaling.metric", {1}, constant(1));
  file.tensors["pool"] = make_tensor<int32_t>({2, 2}, std::vector<int32_t>{0, 1, 1, 0});
  file.tensors["parameters"] = make_tensor<float>({1, 0}, std::vector<float>{});
  return file;
}

template <class Edit>
TensorFile with_head(TensorFile file, Edit edit) {
  json head = json::parse(file.metadata.at("head"));
  edit(head);
  file.metadata["head"] = head.dump();
  return file;
}

TEST(HostileFile, with_equal_or_missing_names_of_columns_is_refused) {
  const TensorFile good = plain_file(5, 2000, "nearest");
  Predictor::from_tensors(good);
  const auto refuses = [&](const std::string& said, auto edit) {
    expect_refused(encode_safetensors(with_head(good, edit)), said);
  };
  // Once cubic in the number of names.
  refuses("two columns are named \"y\"",
          [](json& head) { head["outputs"] = std::vector<std::string>(2000, "y"); });
  refuses("two columns are named \"x\"", [](json& head) { head["outputs"][7] = "x"; });
  refuses("a column has no name", [](json& head) { head["outputs"][7] = ""; });
  refuses("a column has no name", [](json& head) { head["inputs"][0] = ""; });
}

TEST(HostileFile, with_replicas_of_a_program_without_parameters_is_refused) {
  TensorFile file = plain_file(5, 1, "nearest");
  file = with_head(file, [](json& head) { head["options"]["replicas"] = 1000; });
  file.tensors["parameters"] = make_tensor<float>({1000, 0}, std::vector<float>{});
  expect_refused(encode_safetensors(file), "a program without parameters needs one replica; found 1000");
}

TEST(HostileFile, that_asks_for_too_many_anchors_is_refused_and_else_gets_all_rows) {
  expect_refused(encode_safetensors(plain_file(5, 1, "many=1000000000")), "M from 1 to 1000000");
  const Predictor predictor = Predictor::from_tensors(plain_file(5, 1, "many=1000000"));
  const Predictions all = predictor.predict(Matrix<double>(1, 1));
  EXPECT_TRUE(same(all, predictor.predict(Matrix<double>(1, 1), {.anchors = parse_anchors("many=5")})));
}

// Rotations, angles, logarithms and weights of pairs: the file that has most to break.
TEST(HostileFile, of_all_kinds_of_columns_broken_at_random_is_refused_or_answers) {
  const std::string good = read_file(KEDGE_SOURCE_DIR "/tests/golden/model-v1-unsealed.kedge", "test");
  uint64_t header = 0;
  std::memcpy(&header, good.data(), sizeof header);
  Matrix<double> queries(3, 7);
  Rng rng(8, Stream::noise);
  for (size_t r = 0; r < queries.rows(); ++r)
    for (double& number : queries.row(r)) number = rng.uniform(0.1, 2);
  int answered = 0;
  for (int round = 0; round < 1500; ++round) {
    std::vector<char> bytes(good.begin(), good.end());
    if (round % 3 == 0) {
      bytes = mutated(good, "{}[],:\"0123456789.-e\\", rng);
    } else {
      for (uint64_t flips = 1 + rng.below(3); flips > 0; --flips) {
        char& byte = bytes[8 + header + rng.below(good.size() - 8 - header)];
        byte = static_cast<char>(byte ^ 1 << rng.below(8));
      }
    }
    try {
      const Predictor predictor = Predictor::from_bytes({bytes.data(), bytes.size()}, "m.kedge");
      ++answered;
      predictor.predict(queries, {.threads = 1});
      predictor.predict(queries, {.anchors = parse_anchors("radius"), .threads = 1});
      if (round % 10 == 1) predictor.theorem();
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(answered, 100);
}

TEST(PredictInParts, gives_the_same_bits_whatever_a_thread_may_keep) {
  FitOptions options = quick_options("bilinear");
  options.replicas = 3;
  options.training.steps = 5;
  for (const char* model : {"bilinear", "mlp"}) {
    options.model = model;
    const Predictor predictor = fit({training_table(), options}, {.threads = 1}).predictor;
    for (const char* rule : {"many=60", "many=7", "nearest"}) {
      PredictOptions ways{.anchors = parse_anchors(rule), .threads = 1};
      const Predictions whole = predictor.predict(query_rows(), ways);
      for (size_t kept : {0, 1, 100, 1000, 5000}) {
        ways.kept_numbers = kept;
        EXPECT_TRUE(same(predictor.predict(query_rows(), ways), whole))
            << model << " " << rule << " " << kept;
      }
    }
  }
}

TEST(RowPredictorLimits, refuse_more_answers_than_can_be_kept_before_anything_is_allocated) {
  const Predictor predictor = Predictor::from_tensors(plain_file(5, 8, "nearest"));
  EXPECT_NO_THROW(RowPredictor(predictor, 5));
  EXPECT_NE(error_text([&] { RowPredictor(predictor, size_t{1} << 40); }).find("take fewer anchors"),
            std::string::npos);
}

TEST(TheoremLimits, leave_out_wide_embeddings_and_say_so) {
  Table table = training_table(12);
  for (int k = 0; k < 20; ++k)
    table.add(column("more" + std::to_string(k), Role::output, table.column("y").values));
  FitOptions options = quick_options("bilinear");
  options.training.steps = 1;
  options.architecture.embedding = 512;
  const Predictor wide = fit({table, options}, {.threads = 1}).predictor;
  EXPECT_FALSE(wide.theorem());
  EXPECT_EQ(wide.why_no_theorem(), "embeddings of 512 are wider than 218, the most for 22 outputs");
  options.architecture.embedding = 4;
  const Predictor narrow = fit({table, options}, {.threads = 1}).predictor;
  EXPECT_TRUE(narrow.theorem());
  EXPECT_EQ(narrow.why_no_theorem(), "");
  options.model = "mlp";
  EXPECT_EQ(fit({table, options}, {.threads = 1}).predictor.why_no_theorem(), "");
}

}  // namespace
}  // namespace kedge
