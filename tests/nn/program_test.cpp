#include "kedge/nn/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "kedge/models/models.h"
#include "kedge/nn/plan.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

int query() { return Program::input(Input::query); }
int anchor() { return Program::input(Input::anchor); }

// Every op once: 3 features, 2 outputs.
Program every_op() {
  Program p(3, 2);
  const int a = p.dense(query(), 4, Activation::relu, Init::orthogonal, 0.5);
  const int b = p.dense(anchor(), 4, Activation::sin_pi, Init::uniform, 2);
  const int sum = p.add(a, b);
  const int some = p.select(Program::input(Input::delta), {2, 0, 2});
  const int d = p.quadratic(p.concat(sum, some));
  const int e = p.add(p.dense(d, 2, Activation::none), Program::input(Input::anchor_output));
  p.add(p.bilinear(a, b, 2), e);
  return p;
}

TEST(Program, knows_the_widths_of_its_values_and_counts_weights_and_biases) {
  const Program p = every_op();
  p.check();
  const std::vector<int> widths = {3, 3, 3, 2, 4, 4, 4, 3, 7, 35, 2, 2, 2, 2};
  for (size_t v = 0; v < widths.size(); ++v) EXPECT_EQ(p.width(static_cast<int>(v)), widths[v]);
  EXPECT_EQ(p.parameters(), 4u * 4 + 4 * 4 + 2 * 36);
}

TEST(Program, another_program_can_be_embedded_and_embedded_again_with_the_same_parameters) {
  Program inner(3, 2);
  inner.dense(inner.quadratic(query()), 2, Activation::none);
  Program p(3, 2);
  const int first = p.embed(inner, {0, 1, 2, 3});
  const int again = p.embed(inner, {1, 1, 2, 3}, 0);
  p.subtract(first, again);
  p.check();
  EXPECT_EQ(p.parameters(), inner.parameters());
  EXPECT_EQ(p.ops()[0].from, std::vector{query()});
  EXPECT_EQ(p.ops()[2].from, std::vector{anchor()});
  EXPECT_EQ(p.ops()[3].shares, 1);
  EXPECT_EQ(Program::from_json(p.to_json()), p);
}

TEST(Program, knows_which_inputs_it_reads) {
  Program p(3, 2);
  p.dense(query(), 2, Activation::none);
  EXPECT_TRUE(p.reads(Input::query));
  EXPECT_FALSE(p.reads(Input::anchor));
  EXPECT_FALSE(p.uses_anchor());
  for (Input i : {Input::anchor, Input::delta, Input::anchor_output}) {
    Program q(2, 2);
    q.dense(Program::input(i), 2, Activation::none);
    EXPECT_TRUE(q.uses_anchor());
  }
}

TEST(Program, comes_back_from_its_json_unchanged) {
  EXPECT_EQ(Program::from_json(every_op().to_json()), every_op());
}

TEST(Program, a_prefix_is_lawful_and_ends_in_the_value_it_was_asked_for) {
  const Program p = every_op();
  const int first_sum_with_anchor_output = input_count + 7;
  for (int value = input_count; value < input_count + static_cast<int>(p.ops().size()); ++value) {
    const Program part = p.prefix(value);
    part.check();
    EXPECT_EQ(part.outputs(), p.width(value));
    EXPECT_EQ(part.features(), p.features());
    ASSERT_EQ(part.ops().size(), static_cast<size_t>(value - input_count + 1));
    EXPECT_TRUE(std::equal(part.ops().begin(), part.ops().end(), p.ops().begin()));
    EXPECT_EQ(part.reads(Input::anchor_output), value >= first_sum_with_anchor_output);
  }
  EXPECT_EQ(p.prefix(input_count + static_cast<int>(p.ops().size()) - 1), p);
}

TEST(Program, a_prefix_is_refused_where_there_is_no_such_program) {
  const Program p = every_op();
  for (int value : {-1, 0, input_count - 1, input_count + static_cast<int>(p.ops().size())})
    EXPECT_NE(error_text([&] { p.prefix(value); }).find("needs the value of an op, 4 to 13"),
              std::string::npos);
  Program wide(3, 2);
  const int v = wide.concat(Program::input(Input::anchor_output), Program::input(Input::anchor_output));
  wide.dense(v, 2, Activation::none);
  EXPECT_NE(error_text([&] { wide.prefix(v); }).find("value 4 has 4"), std::string::npos);
}

TEST(Program, is_refused_with_one_line_that_says_why) {
  struct Fault {
    const char* words;
    std::function<Program()> program;
  };
  const std::vector<Fault> faults = {
      {"131072 outputs; found 0 and 1", [] { return Program(0, 1); }},
      {"131072 outputs; found 1 and 0", [] { return Program(1, 0); }},
      {"131072 outputs; found -1", [] { return Program(-1, 1); }},
      {"ops; found 0", [] { return Program(1, 1); }},
      {"ops; found 1001",
       [] {
         Program p(1, 1);
         for (int i = 0; i <= 1000; ++i) p.dense(query(), 1, Activation::none);
         return p;
       }},
      {"op 0 reads value 4, which is not computed",
       [] {
         Program p(1, 1);
         p.dense(4, 1, Activation::none);
         return p;
       }},
      {"op 0 reads value -1",
       [] {
         Program p(1, 1);
         p.dense(-1, 1, Activation::none);
         return p;
       }},
      {"has width 0",
       [] {
         Program p(1, 1);
         p.dense(query(), 0, Activation::none);
         return p;
       }},
      {"adds widths 2 and 3",
       [] {
         Program p(2, 3);
         p.add(query(), Program::input(Input::anchor_output));
         return p;
       }},
      {"selects feature 2 of 2",
       [] {
         Program p(2, 1);
         p.select(query(), {2});
         return p;
       }},
      {"selects feature -1",
       [] {
         Program p(2, 1);
         p.select(query(), {-1});
         return p;
       }},
      {"has width 0",
       [] {
         Program p(2, 1);
         p.select(query(), {});
         return p;
       }},
      {"multiplies widths 3 and 3 into 2",
       [] {
         Program p(3, 2);
         p.bilinear(query(), anchor(), 2);
         return p;
       }},
      {"multiplies widths 2 and 1",
       [] {
         Program p(2, 1);
         p.bilinear(query(), Program::input(Input::anchor_output), 1);
         return p;
       }},
      {"needs 2 outputs; its last op gives 3",
       [] {
         Program p(1, 2);
         p.dense(query(), 3, Activation::none);
         return p;
       }},
  };
  for (const Fault& fault : faults) {
    const std::string error = error_text([&] { fault.program().check(); });
    EXPECT_NE(error.find(fault.words), std::string::npos) << fault.words << "\n" << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(Program, refuses_a_quadratic_over_more_features_than_it_can_hold) {
  Program p(100000, 1);
  p.dense(p.quadratic(query()), 1, Activation::none);
  EXPECT_NE(error_text([&] { p.check(); }), "");
}

TEST(Program, refuses_values_that_together_need_gigabytes) {
  Program p(1 << 18, 1);
  int v = p.add(query(), query());
  for (int i = 0; i < 900; ++i) v = p.add(v, v);
  p.dense(v, 1, Activation::none);
  EXPECT_NE(error_text([&] { p.check(); }), "");
}

// The JSON of every_op() with one part replaced.
std::string with(const std::string& pointer, const nlohmann::json& value) {
  auto json = nlohmann::json::parse(every_op().to_json());
  json[nlohmann::json::json_pointer(pointer)] = value;
  return json.dump();
}

TEST(Program, refuses_json_whose_names_and_numbers_it_does_not_know_rather_than_misread_it) {
  const double huge = 1e300;
  const std::vector<std::pair<std::string, nlohmann::json>> faults = {
      {"/ops/0/kind", "convolution"},
      {"/ops/0/kind", 3},
      {"/ops/0/activation", "gelu"},
      {"/ops/0/activation", nullptr},
      {"/ops/0/init", "xavier"},
      {"/ops/0/init", 1},
      {"/ops/0/init_scale", "1"},
      {"/ops/0/width", 4.5},
      {"/ops/0/width", (int64_t{1} << 32) + 4},
      {"/ops/0/width", huge},
      {"/ops/0/width", -4},
      {"/ops/0/width", true},
      {"/ops/0/from", nlohmann::json::array({0.5})},
      {"/ops/0/from", nlohmann::json::array({int64_t{1} << 32})},
      {"/ops/0/from", 0},
      {"/ops/0/from", nlohmann::json::array()},
      {"/ops/0/from", nlohmann::json::array({0, 1})},
      {"/ops/3/columns", nlohmann::json::array({2, 0})},
      {"/ops/3/columns", nlohmann::json::array({2, 0, 0.25})},
      {"/ops/5/width", 36},
      {"/features", 3.5},
      {"/features", huge},
      {"/outputs", (int64_t{1} << 32) + 2},
      {"/outputs", 3},
      {"/ops", nlohmann::json::object()},
      {"/ops", 7},
  };
  for (const auto& [pointer, value] : faults) {
    const std::string error = error_text([&] { Program::from_json(with(pointer, value)); });
    EXPECT_NE(error, "") << pointer << " " << value;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
  for (const char* text : {"", "[]", "{", "null", "3", "{\"features\":3}"})
    EXPECT_NE(error_text([&] { Program::from_json(text); }), "") << text;
}

TEST(Program, json_broken_at_random_is_refused_or_a_lawful_program) {
  Rng rng(1, Stream::noise);
  const std::string good = every_op().to_json();
  for (int i = 0; i < 3000; ++i) {
    const std::vector<char> bytes = mutated(good, "{}[],:\"0123456789.-e", rng);
    try {
      Program::from_json({bytes.begin(), bytes.end()}).check();
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
}

// What a file can make a thread allocate for the values of 64 rows.
size_t scratch_bytes(const Program& program) {
  const Plan plan(program, 64);
  return (plan.value_floats + plan.transposed_floats) * sizeof(float);
}

TEST(ProgramLimits, let_everything_pass_that_a_fit_can_make) {
  constexpr int widest = 100'000;  // what kedge/predictor/requirements.cpp lets a layer have
  const auto expect_lawful = [&](const Model& model, const Shape& shape, const Architecture& a) {
    const Program program = model.program(shape, a);
    for (const Op& op : program.ops())
      if (op.width > widest || (op.kind == OpKind::dense &&
                                int64_t{op.width} * program.width(op.from[0]) > ProgramLimits::weights))
        return;
    EXPECT_EQ(error_text([&] { program.check(); }), "") << model.name << " of " << shape.features;
    EXPECT_EQ(Program::from_json(program.to_json()), program);
  };
  for (const Model& model : all_models())
    for (int features : {2, 445, 50'000})
      for (int outputs : {1, 24, widest})
        for (int size : {1, 4096})
          for (int layers : {1, 20})
            for (Predicts predicts : {Predicts::value, Predicts::change})
              expect_lawful(model, {features, outputs, {0}},
                            {.layers = layers, .width = size, .embedding = size, .predicts = predicts});
}

TEST(ProgramLimits, bound_the_memory_of_programs_without_parameters) {
  const auto doubled = [](int times) {
    Program p(1, 1);
    int v = query();
    for (int i = 0; i < times; ++i) v = p.concat(v, v);
    p.select(v, {0});
    return p;
  };
  EXPECT_EQ(error_text([&] { doubled(11).check(); }), "");
  EXPECT_LT(scratch_bytes(doubled(11)), size_t{2} << 20);
  EXPECT_NE(error_text([&] { doubled(12).check(); }).find("ops without parameters to more than 4104"),
            std::string::npos);
}

TEST(ProgramLimits, bound_the_memory_of_programs_with_many_parameters) {
  const auto summed = [](int times) {
    Program p(1, 1);
    int v = p.dense(query(), 1 << 16, Activation::none);
    for (int i = 0; i < times; ++i) v = p.add(v, v);
    p.dense(v, 1, Activation::none);
    return p;
  };
  EXPECT_EQ(error_text([&] { summed(1).check(); }), "");
  EXPECT_LT(scratch_bytes(summed(1)), size_t{64} << 20);
  EXPECT_NE(error_text([&] { summed(3).check(); }).find("ops without parameters to more than 131080"),
            std::string::npos);
}

TEST(ProgramLimits, bound_how_often_parameters_are_shared) {
  const auto shared = [](int times) {
    Program p(1, 8);
    const int own = p.dense(query(), 8, Activation::none);
    int sum = own;
    for (int i = 0; i < times; ++i) sum = p.add(sum, p.dense_like(own, anchor(), Activation::none));
    return p;
  };
  EXPECT_EQ(error_text([&] { shared(16).check(); }), "");
  EXPECT_NE(error_text([&] { shared(17).check(); }).find("shares parameters more than 16 times"),
            std::string::npos);
}

TEST(Program, from_json_is_refused_where_nobody_reads_a_value) {
  Program p(2, 1);
  p.dense(query(), 3, Activation::relu);
  p.dense(query(), 1, Activation::none);
  p.check();
  EXPECT_NE(
      error_text([&] { Program::from_json(p.to_json()); }).find("op 0 computes a value that nobody reads"),
      std::string::npos);
}

}  // namespace
}  // namespace kedge
