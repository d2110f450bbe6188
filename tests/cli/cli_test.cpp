// What works: fit, predict, info, sample, list, and a fit that is interrupted.

#include <nlohmann/json.hpp>

#include "kedge/core/format.h"
#include "kedge/jobs/numerics.h"
#include "kedge/kernels/kernels.h"
#include "kedge/predictor/predictor.h"
#include "kedge/table/csv.h"
#include "kedge/table/npy.h"
#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

using nlohmann::json;

class Cli : public RunKedge {
 protected:
  void sample_and_fit(const std::string& flags = "") {
    done("sample sawtooth -n 100 --seed 3 -o train.csv");
    done("sample sawtooth -n 90 --split oos -o queries.csv");
    done("fit train.csv --target y --steps 60 --keep-partial --quiet " + flags + " -o model.kedge");
  }
};

TEST_F(Cli, fit_predict_and_info_go_from_a_table_to_answers) {
  sample_and_fit();
  done("predict model.kedge queries.csv -o answers.csv");
  const Table answers =
      read_csv(path("answers.csv"),
               {.text = {"verdict", "outside", "outputs_outside", "note"}, .only = {}, .skip = {}});
  ASSERT_EQ(answers.rows(), 90u);
  ASSERT_EQ(lines_of(read("answers.csv"))[0],
            "y,verdict,expected_error,expected_error_beyond,spread,support_distance,delta_distance,delta_"
            "percentile,"
            "admissible_anchors,anchor,analog_query,analog_anchor,outside,outputs_outside,note");
  const Predictor predictor = Predictor::load(path("model.kedge"));
  const Predictions expected = predictor.predict(read_csv(path("queries.csv")));
  for (size_t r = 0; r < answers.rows(); ++r) {
    EXPECT_EQ(answers.column("y").values[r], expected.y(r, 0));
    EXPECT_EQ(answers.column("anchor").values[r], static_cast<double>(expected.anchor[r]));
    EXPECT_EQ(answers.column("delta_distance").values[r], expected.delta_distance[r]);
    EXPECT_EQ(answers.column("expected_error").values[r], expected.expected_error[r]);
    const Column& verdict = answers.column("verdict");
    EXPECT_EQ(verdict.words[static_cast<size_t>(verdict.values[r])], to_text(expected.verdict[r]));
  }
  const json info = json::parse(done("info model.kedge --json"));
  EXPECT_EQ(info.at("inputs"), json({"x"}));
  EXPECT_EQ(info.at("rows"), 100);
  EXPECT_EQ(info.at("kedge"), version());
  EXPECT_EQ(info.at("bytes"), std::filesystem::file_size(path("model.kedge")));
  EXPECT_EQ(info.at("options").at("training").at("steps"), 60);
  const std::string text = done("info model.kedge");
  const double scale = info.at("coverage").at("errors").at("output_scale");
  for (const std::string& words :
       {std::string("60 steps of 32 pairs"), fmt::format("the outputs' deviation is {:.4g}", scale)})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
}

TEST_F(Cli, info_says_what_the_theorem_says_of_a_product_and_nothing_of_other_models) {
  sample_and_fit();
  const json info = json::parse(done("info model.kedge --theorem --json")).at("theorem");
  const TheoremQuantities expected = Predictor::load(path("model.kedge")).theorem().value();
  EXPECT_EQ(info.at("pairs"), expected.pairs);
  EXPECT_EQ(info.at("kappa"), expected.kappa);
  ASSERT_EQ(info.at("outputs").size(), 1u);
  const json& output = info.at("outputs")[0];
  EXPECT_EQ(output.at("output"), "y");
  EXPECT_EQ(output.at("rank"), expected.outputs[0].rank);
  EXPECT_EQ(output.at("singular_values"), expected.outputs[0].singular_values);
  for (const char* reading : {"full", "effective"}) EXPECT_TRUE(output.at(reading).contains("premise"));
  EXPECT_EQ(output.at("supremum"), expected.outputs[0].supremum);
  EXPECT_EQ(output.at("in_support"), expected.outputs[0].in_support);
  EXPECT_EQ(output.at("clipped").at("limit"), expected.outputs[0].clipped.limit);
  EXPECT_EQ(output.at("clipped").at("changed"), expected.outputs[0].clipped.changed);
  EXPECT_EQ(output.at("clipped").at("test_risk"), expected.outputs[0].clipped.test_risk);
  EXPECT_EQ(info.at("in_support").at("kappa"), expected.in_support.kappa);
  EXPECT_EQ(info.at("in_support").at("covered"), expected.in_support.covered);
  EXPECT_EQ(info.at("printed").at("m"), expected.printed.m);
  EXPECT_EQ(info.at("printed").at("premise"), expected.printed.premise);
  EXPECT_EQ(info.at("printed_follows"), expected.printed_follows);
  // Lines are broken to fit 80 columns otherwise.
  const std::string text = done("info model.kedge --theorem", "COLUMNS=400");
  for (const std::string& words :
       {" " + std::to_string(expected.outputs[0].rank) + " of 64, counting",
        std::string("never seen together (kappa "), std::string("the bound says nothing here"),
        fmt::format("risk at most {:.2g} in the ", expected.outputs[0].in_support),
        fmt::format("risk at most {:.2g} with the product clipped at",
                    expected.outputs[0].clipped.test_risk)})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;

  EXPECT_EQ(done("info model.kedge").find("theorem"), std::string::npos) << "its premise does not hold";
  EXPECT_TRUE(json::parse(done("info model.kedge --json")).at("theorem").is_null());
  EXPECT_FALSE(json::parse(done("info model.kedge --json")).contains("why_no_theorem"));

  done("fit train.csv --target y --model mlp --steps 10 --keep-partial --quiet -o mlp.kedge");
  const json none = json::parse(done("info mlp.kedge --theorem --json"));
  EXPECT_TRUE(none.at("theorem").is_null());
  EXPECT_NE(none.at("why_no_theorem").get<std::string>().find("mlp"), std::string::npos);
  EXPECT_NE(done("info mlp.kedge --theorem").find("not computed: model mlp"), std::string::npos);
  EXPECT_EQ(done("info mlp.kedge").find("theorem"), std::string::npos);
}

TEST_F(Cli, the_summary_of_a_fit_is_one_json_object_or_a_few_lines) {
  done("sample sawtooth -n 50 -o train.csv");
  const json summary =
      json::parse(done("fit train.csv --target y --steps 40 --keep-partial --json -o m.kedge"));
  EXPECT_EQ(summary.at("status"), "finished");
  EXPECT_EQ(summary.at("file"), "m.kedge");
  EXPECT_EQ(summary.at("rows"), 50);
  EXPECT_EQ(summary.at("steps"), 40);
  EXPECT_TRUE(summary.at("final_loss").is_number());
  const std::string text = done("fit train.csv --target y --steps 40 --keep-partial -o m.kedge");
  for (const std::string word : {"bilinear", "50 of train.csv", "40", "final loss", "m.kedge"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
  EXPECT_EQ(done("fit train.csv --target y --steps 40 --keep-partial --quiet -o m.kedge"), "");
}

TEST_F(Cli, unreachable_queries_are_kept_left_empty_or_refused_as_asked) {
  sample_and_fit();
  write("far.csv", "x\n30\n45\n500\n");
  const std::vector<std::string> kept = lines_of(done("predict model.kedge far.csv"));
  EXPECT_NE(kept[1].find(",interpolation,"), std::string::npos);
  EXPECT_NE(kept[2].find(",reachable,"), std::string::npos);
  EXPECT_NE(kept[3].find(",unreachable,"), std::string::npos);
  const std::vector<std::string> empty = lines_of(done("predict model.kedge far.csv --on-unreachable nan"));
  EXPECT_EQ(empty[2], kept[2]);
  EXPECT_EQ(empty[3].substr(0, 2), ",u");
  const Ran refused = kedge("predict model.kedge far.csv --on-unreachable error -o out.csv");
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(
      refused.err.find(
          "of the first 3 there are 1 that are not, or it cannot be told, the first is far.csv, line 4"),
      std::string::npos)
      << refused.err;
  EXPECT_FALSE(std::filesystem::exists(path("out.csv")));
  const json answers = json::parse(done("predict model.kedge far.csv --json"));
  EXPECT_EQ(answers.at("verdicts").at("unreachable"), 1);
  EXPECT_EQ(answers.at("predictions")[2].at("verdict"), "unreachable");
}

TEST_F(Cli, the_thresholds_of_a_verdict_can_be_moved) {
  sample_and_fit();
  write("far.csv", "x\n70\n");
  const auto verdict = [&](const std::string& flags) {
    return json::parse(done("predict model.kedge far.csv --json " + flags))
        .at("predictions")[0]
        .at("verdict");
  };
  EXPECT_EQ(verdict(""), "unreachable");
  EXPECT_EQ(verdict("--delta-radius 5"), "edge");
  EXPECT_EQ(verdict("--edge-factor 1e6"), "edge");
  const Ran wrong = kedge("predict model.kedge far.csv --edge-factor 0.5");
  EXPECT_NE(wrong.code, 0);
  EXPECT_NE(wrong.err.find("at least 1; found 0.5"), std::string::npos) << wrong.err;
}

TEST_F(Cli, a_query_too_far_for_arithmetic_is_named_by_its_line_and_has_no_answer) {
  sample_and_fit();
  write("far.csv", "x\n30\n1e308\n30\n1e307\n");
  const Ran ran = kedge("predict model.kedge far.csv");
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.err.find("far.csv, line 3"), std::string::npos) << ran.err;
  const std::vector<std::string> lines = lines_of(ran.out);
  EXPECT_EQ(lines[1], lines[3]);
  EXPECT_EQ(lines[2].substr(0, 2), ",u") << lines[2];
}

TEST_F(Cli, names_cannot_turn_the_text_of_a_terminal_nor_become_formulas) {
  const std::string turned = "x\u202e", name = "'=y\u009b";
  std::string rows = turned + "," + name + "\n";
  for (int r = 0; r < 12; ++r) rows += fmt::format("{},{}\n", r, r * r % 7);
  write("t.csv", rows);
  const std::string fitted = done("fit t.csv --target '=y\u009b' --model linear -o m.kedge");
  for (const std::string& text : {fitted, done("info m.kedge"), kedge("predict m.kedge m.kedge").err,
                                  kedge("fit t.csv --target z -o n.kedge").err}) {
    EXPECT_EQ(text.find("\u202e"), std::string::npos) << text;
    EXPECT_EQ(text.find("\u009b"), std::string::npos) << text;
  }
  EXPECT_TRUE(done("predict m.kedge t.csv").starts_with(name + ",verdict"));
}

TEST_F(Cli, the_same_seed_gives_the_same_file_for_any_number_of_threads) {
  done("sample sawtooth -n 100 -o train.csv");
  const std::string fit = "fit train.csv --target y --steps 100 --keep-partial --replicas 3 --quiet --seed ";
  done(fit + "5 --threads 1 -o a");
  done(fit + "5 --threads 2 -o b");
  done(fit + "5 -o c");
  done(fit + "6 -o d");
  EXPECT_EQ(read("a"), read("b"));
  EXPECT_EQ(read("a"), read("c"));
  EXPECT_NE(read("a"), read("d"));
}

TEST_F(Cli, an_answer_does_not_depend_on_the_other_queries_nor_on_their_order) {
  sample_and_fit();
  const std::vector<std::string> queries = lines_of(read("queries.csv"));
  const std::vector<std::string> bulk = lines_of(done("predict model.kedge queries.csv --threads 2"));
  std::string reversed = queries[0] + "\n";
  for (size_t q = queries.size() - 1; q > 0; --q) reversed += queries[q] + "\n";
  write("reversed.csv", reversed);
  const std::vector<std::string> back = lines_of(done("predict model.kedge reversed.csv --threads 1"));
  ASSERT_EQ(bulk.size(), back.size());
  for (size_t q = 1; q < bulk.size(); ++q) EXPECT_EQ(bulk[q], back[bulk.size() - q]);
  for (size_t q : {1, 42, 90}) {
    write("one.csv", queries[0] + "\n" + queries[q] + "\n");
    EXPECT_EQ(lines_of(done("predict model.kedge one.csv"))[1], bulk[q]);
  }
  EXPECT_EQ(lines_of(done("predict model.kedge - < queries.csv")), bulk);
}

TEST_F(Cli, predict_as_json_says_the_same_as_the_csv) {
  sample_and_fit();
  const Table answers =
      parse_csv(done("predict model.kedge queries.csv"), "csv",
                {.text = {"verdict", "outside", "outputs_outside", "note"}, .only = {}, .skip = {}});
  const json object = json::parse(done("predict model.kedge queries.csv --json"));
  ASSERT_EQ(object.at("predictions").size(), 90u);
  EXPECT_EQ(object.at("predictions")[7].at("y"), answers.column("y").values[7]);
  EXPECT_EQ(object.at("predictions")[7].at("anchor"), answers.column("anchor").values[7]);
}

TEST_F(Cli, a_model_without_an_anchor_leaves_its_cells_empty_and_text_columns_do_no_harm) {
  write("train.csv", "x,name,y\n1,a,2\n2,b,4\n3,c,6\n");
  done("fit train.csv --target y --ignore name --model linear --quiet -o m");
  write("queries.csv", "note,x\nfar out,10\n");
  const std::vector<std::string> lines = lines_of(done("predict m queries.csv"));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[1].find(",undetermined,,,0,7,,,,,,,x +7,y +14,"), std::string::npos) << lines[1];
  const json answer = json::parse(done("predict m queries.csv --json")).at("predictions")[0];
  EXPECT_TRUE(answer.at("anchor").is_null());
  EXPECT_EQ(answer.at("outside"), json::parse(R"([{"column": "x", "amount": 7.0, "relative": 3.5}])"));
}

TEST_F(Cli, a_target_may_have_the_name_of_a_column_of_ours) {
  write("train.csv", "x,spread\n1,2\n2,4\n3,7\n");
  done("fit train.csv --target spread --steps 10 --keep-partial --quiet -o m");
  EXPECT_EQ(
      lines_of(done("predict m train.csv"))[0],
      "spread,verdict,expected_error,expected_error_beyond,kedge_spread,support_distance,delta_distance,"
      "delta_percentile,admissible_anchors,anchor,analog_query,analog_anchor,outside,outputs_outside,note");
}

TEST_F(Cli, labels_pair_rows_that_share_a_word) {
  write("train.csv", "x,y,kind\n1,1,a\n2,2,a\n3,-3,b\n4,-4,b\n");
  done("fit train.csv --target y --label kind --steps 10 --keep-partial --quiet -o m");
  EXPECT_EQ(json::parse(done("info m --json")).at("options").at("pairs").at("rule"), "same-label");
  done("fit train.csv --target y --label kind --pairs any --steps 10 --keep-partial --quiet -o m");
  EXPECT_EQ(json::parse(done("info m --json")).at("options").at("pairs").at("rule"), "any");
}

TEST_F(Cli, arrays_are_tables_too_and_their_columns_are_matched_by_name_or_by_place) {
  const Matrix<double> train(4, 3, std::vector<double>{1, 5, 3, 2, 4, 5, 3, 6, 1, 7, 8, 2});
  std::ofstream out(path("train.npy"), std::ios::binary);
  write_npy(out, train.view());
  out.close();
  done("fit train.npy --target x1 --steps 10 --keep-partial --quiet -o m");
  EXPECT_EQ(json::parse(done("info m --json")).at("inputs"), json({"x0", "x2"}));
  write("queries.csv", "x0,x2\n1,3\n2,5\n3,1\n7,2\n");
  const std::string expected = done("predict m queries.csv");
  EXPECT_EQ(done("predict m train.npy"), expected);
  std::ofstream narrow(path("narrow.npy"), std::ios::binary);
  write_npy(narrow, Matrix<double>(4, 2, std::vector<double>{1, 3, 2, 5, 3, 1, 7, 2}).view());
  narrow.close();
  EXPECT_EQ(done("predict m narrow.npy"), expected);
}

TEST_F(Cli, a_flag_overrides_the_preset) {
  done("sample sawtooth -n 20 -o train.csv");
  done(
      "fit train.csv --target y --preset paper --steps 7 --keep-partial --width 8 --anchors nearest --quiet "
      "-o m");
  const json options = json::parse(done("info m --json")).at("options");
  EXPECT_EQ(options.at("training").at("steps"), 7);
  EXPECT_EQ(options.at("architecture").at("width"), 8);
  EXPECT_EQ(options.at("anchors"), "nearest");
  EXPECT_EQ(options.at("training").at("learning_rate"), 1e-4);
}

TEST_F(Cli, every_listed_domain_can_be_sampled) {
  const json lists = json::parse(done("list domains --json"));
  for (const json& domain : lists.at("domains"))
    EXPECT_EQ(lines_of(done("sample -n 2 --split oos " + domain.at("name").get<std::string>())).size(), 3u);
}

TEST_F(Cli, sample_writes_a_cloud_for_each_row_and_the_table_only_where_told) {
  EXPECT_EQ(done("sample grasp-mug --clouds made/here"), "");
  for (const char* name :
       {"grasp-mug-train-0000.ply", "grasp-mug-train-0001.ply", "grasp-mug-train-0002.ply"})
    EXPECT_EQ(read("made/here/" + std::string(name)).rfind("ply\nformat ascii 1.0\n", 0), 0u) << name;
  EXPECT_FALSE(std::filesystem::exists(path("made/here/grasp-mug-train-0003.ply")));
  done("sample grasp --split oos --clouds . -n 2 -o rows.csv");
  EXPECT_EQ(names(),
            (std::vector<std::string>{"grasp-oos-0000.ply", "grasp-oos-0001.ply", "made", "rows.csv"}));
  EXPECT_EQ(read("rows.csv"), done("sample grasp --split oos -n 2"));
}

TEST_F(Cli, an_instruction_set_is_taken_by_name_and_refused_where_the_processor_has_none_of_it) {
  const KernelTables found = runnable_kernels();
  const std::string last = found.tables[found.count - 1]->name;
  ::setenv("KEDGE_INSTRUCTIONS", last.c_str(), 1);
  const std::string least = done("--version");
  ::setenv("KEDGE_INSTRUCTIONS", "mmx", 1);
  const Ran refused = kedge("--version");
  ::unsetenv("KEDGE_INSTRUCTIONS");
  EXPECT_NE(least.find(", " + last), std::string::npos) << least;
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(lines_of(refused.err).size(), 1u) << refused.err;
  EXPECT_NE(refused.err.find("needs an instruction set that this processor has; found \"mmx\"; take one of "),
            std::string::npos)
      << refused.err;
}

TEST_F(Cli, list_version_and_help_print_on_standard_output) {
  EXPECT_EQ(done("--version"), "kedge " + version() + "\n" + numerics_of("cpu") + "\n");
  for (const std::string command : {"", "fit ", "cv ", "predict ", "info ", "list ", "sample ", "demo "}) {
    const std::string help = done(command + "--help");
    EXPECT_NE(help.find("Usage: kedge"), std::string::npos);
    EXPECT_NE(help.find("Example"), std::string::npos) << command;
  }
  const json lists = json::parse(done("list --json"));
  for (const char* name : {"models", "presets", "domains", "anchors", "pairs", "spaces"})
    EXPECT_FALSE(lists.at(name).empty());
  for (const char* name : {"bilinear", "nearest", "extreme", "auto"})
    EXPECT_NE(done("list models").find(name), std::string::npos) << name;
}

TEST_F(Cli, a_reader_that_leaves_is_no_failure) {
  const Ran ran = kedge("sample sawtooth -n 100000 ; echo $? >&2 ) | ( head -n 1");
  EXPECT_EQ(ran.out, "x,y\n");
  EXPECT_EQ(ran.err, "0\n");
}

/// A fit of half a minute and more, which says "fit: " at its first tenth.
std::vector<std::string> long_fit(const std::string& train, const std::string& model) {
  return {"fit",     train, "--target",  "y",   "--steps", "600000",
          "--width", "8",   "--fourier", "off", "-o",      model};
}

TEST_F(Cli, a_stopped_fit_fails_and_keeps_the_older_model) {
  done("sample sawtooth -n 100 -o train.csv");
  write("old", "an older model");
  for (int signal : {SIGTERM, SIGINT}) {
    for (const std::string name : {"old", "new"}) {
      const Ran ran = signalled(signal, long_fit(path("train.csv"), path(name)), "fit: ");
      EXPECT_EQ(ran.code, 1) << ran.err;
      EXPECT_EQ(ran.out, "");
      const std::string last = lines_of(ran.err).back();
      EXPECT_NE(last.find("stopped at step "), std::string::npos) << last;
      EXPECT_NE(last.find("of 600000; nothing was written; --keep-partial keeps"), std::string::npos) << last;
    }
  }
  EXPECT_EQ(read("old"), "an older model");
  EXPECT_EQ(names(), (std::vector<std::string>{"old", "train.csv"}));
}

TEST_F(Cli, a_stopped_fit_keeps_its_best_model_where_told_or_at_a_terminal) {
  done("sample sawtooth -n 100 -o train.csv");
  const std::string model = path("m");
  for (bool at_terminal : {true, false}) {
    std::filesystem::remove(model);
    std::vector<std::string> arguments = long_fit(path("train.csv"), model);
    if (!at_terminal) arguments.push_back("--keep-partial");
    const Ran ran =
        signalled(at_terminal ? SIGINT : SIGTERM, arguments, "fit: ", {.at_terminal = at_terminal});
    EXPECT_EQ(ran.code, 1) << ran.err;
    const std::string last = lines_of(ran.err).back();
    EXPECT_NE(last.find("stopped at step "), std::string::npos) << last;
    EXPECT_NE(last.find("of 600000; the best model so far is in " + model), std::string::npos) << last;
    const Predictor kept = Predictor::load(model);
    EXPECT_EQ(kept.training_rows(), 100u);
    EXPECT_GE(kept.trained_steps(), 60000u);
    EXPECT_LT(kept.trained_steps(), 600000u);
    const std::string steps = std::to_string(kept.trained_steps());
    EXPECT_NE(done("info m").find(steps + " of 600000 (stopped)"), std::string::npos);
    EXPECT_EQ(json::parse(done("info m --json")).at("trained_steps"), kept.trained_steps());
  }
}

TEST_F(Cli, a_fit_that_is_stopped_while_it_learns_expected_errors_is_stopped_too) {
  done("sample sawtooth -n 100 -o train.csv");
  std::vector<std::string> arguments = {"fit",     path("train.csv"), "--model", "mlp", "--target",  "y",
                                        "--steps", "300000",          "--width", "8",   "--fourier", "off",
                                        "-o",      path("m")};
  const Ran ran = signalled(SIGTERM, arguments, ", rehearsing");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(lines_of(ran.err).back().find("before expected errors were learned; nothing was written"),
            std::string::npos)
      << ran.err;
  EXPECT_FALSE(std::filesystem::exists(path("m")));
  arguments.push_back("--keep-partial");
  EXPECT_EQ(signalled(SIGTERM, arguments, ", rehearsing").code, 1);
  const Predictor kept = Predictor::load(path("m"));
  EXPECT_EQ(kept.trained_steps(), 300000u);
  EXPECT_FALSE(kept.coverage().errors.is_known());
}

TEST_F(Cli, a_signal_that_was_ignored_from_the_start_stays_ignored) {
  done("sample sawtooth -n 100 -o train.csv");
  const std::vector<std::string> arguments = {
      "fit", path("train.csv"), "--model", "mlp",           "--target", "y",  "--steps", "30000", "--width",
      "8",   "--fourier",       "off",     "--calibration", "none",     "-o", path("m")};
  for (int signal : {SIGINT, SIGTERM}) {
    const Ran ran = signalled(signal, arguments, "fit: ", {.ignored = signal});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find("fitted"), std::string::npos);
  }
}

TEST_F(Cli, a_fit_that_explodes_fails_and_keeps_the_older_model) {
  done("sample sawtooth -n 100 -o train.csv");
  write("m", "an older model");
  const std::string fit =
      "fit train.csv --target y --steps 300 --learning-rate 30 --fourier off --calibration none --quiet -o m";
  const Ran ran = kedge(fit);
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
  EXPECT_NE(ran.err.find("worse than a constant: error "), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("smaller --learning-rate"), std::string::npos) << ran.err;
  EXPECT_EQ(read("m"), "an older model");
  const Ran kept = kedge(fit + " --keep-partial");
  EXPECT_EQ(kept.code, 0);
  EXPECT_NE(kept.err.find("worse than a constant: error "), std::string::npos) << kept.err;
  EXPECT_EQ(Predictor::load(path("m")).trained_steps(), 300u);
}

TEST_F(Cli, a_limit_of_file_sizes_is_one_clear_line) {
  done("sample sawtooth -n 100 -o train.csv");
  // The shell's own redirections are under the limit too, so they go to files that stay small.
  const auto limited = [&](const std::string& arguments) {
    return kedge("--version >/dev/null ; ulimit -f 1 ; '" KEDGE_BINARY "' " + arguments);
  };
  const Ran fit = limited("fit train.csv --target y --model ridge --quiet -o m");
  EXPECT_EQ(fit.code, 1);
  EXPECT_EQ(lines_of(fit.err).size(), 1u) << fit.err;
  EXPECT_NE(fit.err.find("m cannot be written: File too large"), std::string::npos) << fit.err;
  EXPECT_EQ(names(), (std::vector<std::string>{"train.csv"}));
  const Ran printed = limited("sample sawtooth -n 10000");
  EXPECT_EQ(printed.code, 1);
  EXPECT_NE(printed.err.find("standard output cannot be written: File too large"), std::string::npos)
      << printed.err;
}

TEST_F(Cli, a_fit_that_is_interrupted_before_its_training_writes_nothing) {
  done("sample sawtooth -n 100 -o train.csv");
  const std::string train = path("train.csv"), model = path("m");
  const Ran ran = interrupted({"fit", train, "--target", "y", "--steps", "600000", "--width", "8",
                               "--calibration", "none", "-o", model},
                              "fit: ");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(lines_of(ran.err).back().find("stopped before there was anything to keep"), std::string::npos)
      << ran.err;
  EXPECT_FALSE(std::filesystem::exists(model));
}

}  // namespace
}  // namespace kedge
