#include "kedge/models/models.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/table/broken_files.h"

namespace kedge {
namespace {

const Shape shape{5, 2, {3, 4}};
const Architecture architecture{.layers = 3, .width = 16, .embedding = 4};

// Parameters of a network of three linear layers.
size_t net(size_t in, size_t out) { return 16 * (in + 1) + 16 * 17 + out * 17; }
size_t fourier_net(size_t in, size_t out) { return 40 * in * (in + 1) + net(40 * in, out); }

TEST(Models, every_program_is_lawful_and_has_the_parameters_of_its_formula) {
  const std::map<std::string, size_t> counts = {
      {"bilinear", net(5, 8) + net(5, 8)},
      {"concat", net(10, 2)},
      {"equivariant", net(5, 2)},
      {"bilinear-direct", net(3, 8) + net(2, 8)},
      {"deepsets", net(3, 16) + net(2, 16) + 16 * 17 + 2 * 17},
      {"mlp", net(5, 2)},
      {"linear", 2 * 6},
      {"ridge", 2 * 6},
      {"quadratic", 2 * (5 + 15 + 1)},
      {"bilinear-ridge", 2 * (5 + 15 + 35) * (5 + 15 + 1)},
      {"nearest", 0},
      {"extreme", 2 * 6},
  };
  for (const Model& model : all_models()) {
    SCOPED_TRACE(model.name);
    ASSERT_TRUE(counts.contains(model.name)) << "a new model needs its number here";
    const Program program = model.program(shape, architecture);
    program.check();
    EXPECT_EQ(program.parameters(), counts.at(model.name));
    EXPECT_EQ(Program::from_json(program.to_json()), program);
    EXPECT_FALSE(model.title.empty());
  }
  EXPECT_EQ(all_models().size(), counts.size());
}

TEST(Models, every_program_is_lawful_for_every_architecture) {
  for (const Model& model : all_models())
    for (int layers : {1, 2, 7})
      for (Fourier fourier : {Fourier::off, Fourier::on})
        for (Predicts predicts : {Predicts::value, Predicts::change})
          for (Init init : {Init::uniform, Init::orthogonal})
            for (const Shape& s : {Shape{2, 1, {0}}, Shape{9, 7, {8, 1, 4}}})
              model
                  .program(s, {.layers = layers,
                               .width = 3,
                               .embedding = 2,
                               .fourier = fourier,
                               .predicts = predicts,
                               .init = init})
                  .check();
}

TEST(Models, the_fourier_layer_has_forty_features_for_each_input) {
  Architecture with = architecture;
  with.fourier = Fourier::on;
  EXPECT_EQ(find_model("mlp").program(shape, with).parameters(), fourier_net(5, 2));
  EXPECT_EQ(find_model("bilinear").program(shape, with).parameters(), 2 * fourier_net(5, 8));
  EXPECT_EQ(find_model("deepsets").program(shape, with).parameters(),
            fourier_net(3, 16) + fourier_net(2, 16) + 16 * 17 + 2 * 17);
}

TEST(Models, only_transduction_and_the_nearest_row_read_the_anchor) {
  const std::set<std::string> transductive = {"bilinear", "bilinear-ridge", "concat", "equivariant",
                                              "nearest"};
  for (const Model& model : all_models())
    EXPECT_EQ(model.program(shape, architecture).uses_anchor(), transductive.contains(model.name))
        << model.name;
}

TEST(Models, a_change_is_added_to_the_anchors_own_output) {
  Architecture change = architecture;
  change.predicts = Predicts::change;
  for (const char* name : {"bilinear", "concat"}) {
    EXPECT_FALSE(find_model(name).program(shape, architecture).reads(Input::anchor_output));
    const Program program = find_model(name).program(shape, change);
    EXPECT_EQ(program.ops().back().kind, OpKind::add);
    EXPECT_TRUE(program.reads(Input::anchor_output));
  }
}

TEST(Models, the_nearest_row_answers_with_its_own_output_and_takes_no_other_rule) {
  const Model& nearest = find_model("nearest");
  const Program program = nearest.program(shape, architecture);
  EXPECT_TRUE(program.reads(Input::anchor_output));
  for (Input input : {Input::query, Input::anchor, Input::delta}) EXPECT_FALSE(program.reads(input));
  EXPECT_EQ(nearest.anchors, AnchorRule::neighbour);
  for (const Model& model : all_models()) {
    if (model.name != "nearest") {
      EXPECT_FALSE(model.anchors.has_value()) << model.name;
    }
  }
}

TEST(Models, the_change_that_equivariant_adds_to_the_anchors_output_reads_the_delta_alone) {
  for (Predicts predicts : {Predicts::value, Predicts::change}) {
    Architecture a = architecture;
    a.predicts = predicts;
    const Program program = find_model("equivariant").program(shape, a);
    EXPECT_TRUE(program.reads(Input::delta));
    EXPECT_TRUE(program.reads(Input::anchor_output));
    EXPECT_FALSE(program.reads(Input::query));
    EXPECT_FALSE(program.reads(Input::anchor));
    EXPECT_EQ(program.ops().back().from, (std::vector<int>{input_count + architecture.layers - 1,
                                                           Program::input(Input::anchor_output)}));
  }
}

TEST(Models, those_that_need_context_embed_it_apart_from_the_rest) {
  for (const Model& model : all_models()) {
    if (!model.needs_context) continue;
    std::multiset<int> columns;
    const Program program = model.program(shape, architecture);
    for (const Op& op : program.ops()) {
      if (op.kind == OpKind::select) columns.insert(op.columns.begin(), op.columns.end());
    }
    EXPECT_EQ(columns, (std::multiset<int>{0, 1, 2, 3, 4})) << model.name;
  }
}

TEST(Models, an_unknown_name_is_refused_with_the_names_there_are) {
  EXPECT_NE(error_text([] { find_model("bilinar"); }).find("did you mean \"bilinear\"?"), std::string::npos);
  const std::string error = error_text([] { find_model("forest"); });
  EXPECT_NE(error.find("\"forest\""), std::string::npos) << error;
  for (const Model& model : all_models()) EXPECT_NE(error.find(model.name), std::string::npos);
}

}  // namespace
}  // namespace kedge
