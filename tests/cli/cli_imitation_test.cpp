// Demonstrations, policies and rollouts on the command line. What needs a simulation is skipped in a build
// that has none.

#include "kedge/core/json.h"
#include "kedge/demonstrations/hdf5.h"
#include "kedge/domains/simulated_domain.h"
#include "tests/cli/run_kedge.h"
#include "tests/demonstrations/hdf5_files.h"
#include "tests/imitation/point_mass.h"

namespace kedge {
namespace {

class CliImitation : public RunKedge {
 protected:
  void SetUp() override { write_demonstrations(path("d.hdf5").string(), point_demonstrations(6)); }

  void expect_error(const std::string& arguments, const std::vector<std::string>& said, int code = 1) {
    SCOPED_TRACE(arguments);
    const std::vector<std::string> before = names();
    const Ran ran = kedge(arguments);
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
    EXPECT_TRUE(ran.err.starts_with("kedge: ")) << ran.err;
    for (const std::string& words : said) EXPECT_NE(ran.err.find(words), std::string::npos) << ran.err;
    EXPECT_EQ(names(), before);
  }
};

/// The same where there is a simulation to collect from: six episodes of reach and a policy of them.
class CliRollout : public CliImitation {
 protected:
  void SetUp() override {
    if (simulated_domains().empty()) GTEST_SKIP() << "this build has no simulations";
    CliImitation::SetUp();
    done("collect reach --episodes 6 --quiet -o r.hdf5");
    done("imitate r.hdf5 --model ridge-by-step --quiet -o r.kedge");
  }
};

const std::string imitate = "imitate d.hdf5 --steps 20 --keep-partial --width 8 --embedding 4 ";

TEST_F(CliImitation, imitate_writes_a_policy_that_info_describes) {
  const std::string summary = done(imitate + "-o p.kedge");
  for (const std::string words : {"bilinear", "6 demonstrations of 5 steps", "place, goal", "push", "20"})
    EXPECT_NE(summary.find(words), std::string::npos) << summary;
  const std::string text = done("info p.kedge");
  for (const std::string words : {"6 demonstrations of 5 steps", "place, goal", "push", "goal 1.", "many=5",
                                  "20 steps of 32 pairs", "unknown: too few", "unknown: not asked for"})
    EXPECT_NE(text.find(words), std::string::npos) << text;
  const Json json = Json::parse(done("info p.kedge --json"));
  EXPECT_EQ(json.at("kind"), Json("policy"));
  EXPECT_EQ(json.at("demonstrations"), Json(6));
  EXPECT_EQ(json.at("options").at("model"), Json("bilinear"));
  const Json told = Json::parse(done(imitate + "--quiet --json -o q.kedge"));
  EXPECT_EQ(told.at("status"), Json("finished"));
  EXPECT_EQ(told.at("episode_steps"), Json(5));
  EXPECT_EQ(told.at("steps"), Json(20));
}

TEST_F(CliImitation, the_same_seed_gives_the_same_policy_for_any_number_of_threads) {
  done(imitate + "--replicas 2 --threads 1 --quiet -o a");
  done(imitate + "--replicas 2 --threads 2 --quiet -o b");
  done(imitate + "--replicas 2 --seed 1 --quiet -o c");
  EXPECT_EQ(read("a"), read("b"));
  EXPECT_NE(read("a"), read("c"));
}

TEST_F(CliImitation, every_listed_policy_can_be_learned) {
  const Json list = Json::parse(done("list policies --json"));
  for (const Json& policy : list.at("policies").as_list("policies")) {
    const std::string name = policy.at("name").as_string("name");
    const bool has_steps = name.find("mlp") != name.npos || name.find("bilinear") != name.npos ||
                           name == "concat" || name == "equivariant" || name == "deepsets";
    done("imitate d.hdf5 --quiet --model " + name + (has_steps ? " --steps 10 --keep-partial" : "") +
         " -o p");
    EXPECT_NE(done("info p").find(name), std::string::npos);
  }
  const std::string anchors = done("list anchors");
  EXPECT_NE(anchors.find("given"), std::string::npos);
  EXPECT_EQ(done("list").find("simulations:") == std::string::npos, simulated_domains().empty());
}

TEST_F(CliImitation, a_stopped_training_fails_and_keeps_its_best_policy_only_where_told) {
  std::vector<std::string> arguments = {
      "imitate", path("d.hdf5").string(), "--steps", "600000", "--width", "8",
      "-o",      path("p.kedge").string()};
  const Ran ran = signalled(SIGTERM, arguments, "imitate: ");
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_NE(lines_of(ran.err).back().find("of 600000; nothing was written; --keep-partial keeps the policy"),
            std::string::npos)
      << ran.err;
  EXPECT_FALSE(std::filesystem::exists(path("p.kedge")));
  arguments.push_back("--keep-partial");
  const Ran kept = signalled(SIGTERM, arguments, "imitate: ");
  EXPECT_EQ(kept.code, 1) << kept.err;
  EXPECT_NE(kept.err.find("the best policy so far is in "), std::string::npos) << kept.err;
  const Json info = Json::parse(done("info p.kedge --json"));
  const auto steps = exactly<uint64_t>(info.at("trained_steps"), "trained_steps");
  EXPECT_GE(steps, 60000u);
  EXPECT_LT(steps, 600000u);
  EXPECT_NE(done("info p.kedge").find(std::to_string(steps) + " of 600000 (stopped)"), std::string::npos);
}

TEST_F(CliImitation, a_training_that_explodes_writes_no_policy) {
  const Ran ran = kedge("imitate d.hdf5 --steps 300 --learning-rate 30 --width 8 --quiet -o p");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("the policy is worse than a constant"), std::string::npos) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(path("p")));
}

TEST_F(CliImitation, stopped_simulations_name_their_command) {
  if (simulated_domains().empty()) GTEST_SKIP() << "there are no simulations";
  const Ran collect =
      interrupted({"collect", "reach", "--episodes", "1000", "-o", path("c.hdf5")}, "collect: ");
  EXPECT_EQ(collect.code, 1);
  EXPECT_NE(lines_of(collect.err).back().find("kedge: collect stopped"), std::string::npos) << collect.err;
  EXPECT_FALSE(std::filesystem::exists(path("c.hdf5")));
  const Ran expert = interrupted({"expert", "push"}, "expert: ");
  EXPECT_EQ(expert.code, 1);
  EXPECT_NE(lines_of(expert.err).back().find("kedge: expert stopped"), std::string::npos) << expert.err;
}

TEST_F(CliImitation, stopped_jobs_of_policies_say_how_to_go_on) {
  if (simulated_domains().empty()) GTEST_SKIP() << "there are no simulations";
  const Ran ran = interrupted(
      {"reproduce", "table-seeds-robots", "--quick", "--jobs", path("jobs"), "-o", path("results")},
      "table-seeds-robots: ");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(lines_of(ran.err).back().find("of 68 jobs; run it again to go on from there"), std::string::npos)
      << ran.err;
}

TEST_F(CliImitation, bad_demonstrations_are_one_line_and_leave_the_output_alone) {
  write("p", "kept");
  const std::string whole = read("d.hdf5");
  for (size_t size : {size_t{0}, size_t{8}, size_t{100}, whole.size() / 2}) {
    write("cut.hdf5", whole.substr(0, size));
    expect_error("imitate cut.hdf5 -o p", {"cut.hdf5"});
  }
  write("cut.hdf5", "a,b\n1,2\n");
  expect_error("imitate cut.hdf5 -o p", {"cut.hdf5"});
  expect_error("imitate none.hdf5 -o p", {"none.hdf5", "no such file"});

  Demonstrations uneven = point_demonstrations(3);
  Episode shorter{Matrix<double>(3, 2, 1.5), Matrix<double>(3, 1)};
  uneven.add(shorter);
  write_demonstrations(path("uneven.hdf5").string(), uneven);
  expect_error("imitate uneven.hdf5 -o p", {"uneven.hdf5", "lengths from 3 to 5", "--horizon"});
  expect_error("imitate uneven.hdf5 --horizon 4 -o p", {"episode 3", "at least 4 steps", "--horizon"});
  write_demonstrations(path("one.hdf5").string(), point_demonstrations(1));
  expect_error("imitate one.hdf5 -o p", {"one.hdf5", "two demonstrations", "found 1"});
  EXPECT_EQ(read("p"), "kept");
  done("imitate uneven.hdf5 --horizon 3 --model replay --quiet -o p");
  EXPECT_NE(read("p"), "kept");
}

TEST_F(CliImitation, columns_that_are_not_there_are_named) {
  {
    Hdf5Builder file(path("bare.hdf5").string());
    for (const std::string demo : {"/data/demo_0", "/data/demo_1"}) {
      file.dataset<double>(demo + "/obs/arm", {2, 2}, {1, 2, 3, 4});
      file.dataset<double>(demo + "/obs/target", {2, 1}, {7, 7});
      file.dataset<double>(demo + "/actions", {2, 1}, {1, 2});
    }
    Hdf5Builder wide(path("wide.hdf5").string());
    wide.dataset<double>("/data/demo_0/obs/target", {2, 1}, {7, 7});
    wide.dataset<double>("/data/demo_0/actions", {2, 1}, {1, 2});
    wide.dataset<double>("/data/demo_1/obs/target", {2, 2}, {7, 7, 7, 7});
    wide.dataset<double>("/data/demo_1/actions", {2, 1}, {1, 2});
  }
  expect_error("imitate wide.hdf5 --goal-columns target -o p", {"wide.hdf5", "demo_1", "target"});
  expect_error("imitate bare.hdf5 -o p", {"bare.hdf5", "needs goal columns", "target", "--goal-columns"});
  expect_error("imitate bare.hdf5 --goal-columns z -o p", {"\"z\"", "arm_0", "--goal-columns"});
  expect_error("imitate bare.hdf5 --goal-columns arm_0 -o p", {"arm_0", "one value over an episode"});
  expect_error("imitate bare.hdf5 --goal-columns target --obs-keys target,leg -o p",
               {"bare.hdf5", "leg", "--obs-keys"});
  expect_error("imitate bare.hdf5 --goal-columns target --obs-keys arm -o p", {"target", "--goal-columns"});
  done("imitate bare.hdf5 --goal-columns target --obs-keys target,arm --model replay --quiet -o p");
  EXPECT_NE(done("info p").find("target, arm_0, arm_1"), std::string::npos);
}

TEST_F(CliImitation, names_numbers_and_outputs_that_cannot_be_are_refused) {
  expect_error("imitate d.hdf5 --model paint -o p", {"\"paint\"", "replay"});
  expect_error("imitate d.hdf5 --preset paint -o p", {"\"paint\"", "paper"});
  expect_error("imitate d.hdf5 --anchors paint -o p", {"'paint'", "nearest"});
  expect_error("imitate d.hdf5 --anchors none -o p", {"bilinear", "needs a rule", "--anchors"});
  expect_error("imitate d.hdf5 --width 0 -o p", {"width"});
  expect_error("imitate d.hdf5 -o -", {"-o"});
  expect_error("imitate d.hdf5 -o d.hdf5", {"d.hdf5", "overwritten"});
  expect_error("imitate d.hdf5 -o none/p", {"none"});
  expect_error("imitate d.hdf5", {"--output"}, 2);
  expect_error("imitate d.hdf5 --steps 5 --epochs 2 -o p", {"--steps", "--epochs"}, 2);
  expect_error("imitate d.hdf5 --fourier auto -o p", {"--fourier"}, 2);
  expect_error("imitate d.hdf5 --horizon 0 -o p", {"--horizon"}, 2);
  expect_error("imitate d.hdf5 --model ridge-by-step --steps 5 -o p", {"--steps", "closed form"}, 2);
  expect_error("imitate d.hdf5 --model replay --width 5 -o p", {"--width", "closed form"}, 2);
}

TEST_F(CliImitation, a_policy_and_a_model_are_not_taken_for_each_other) {
  done(imitate + "--quiet -o p.kedge");
  write("t.csv", "a,y\n1,2\n2,4\n3,5\n");
  done("fit t.csv --target y --model linear --quiet -o m.kedge");
  expect_error("predict p.kedge t.csv", {"p.kedge", "found a policy", "kedge rollout"});
  expect_error("diagnose p.kedge t.csv", {"p.kedge", "found a policy"});
  if (!simulated_domains().empty())
    expect_error("rollout m.kedge reach", {"m.kedge", "found a model of a table", "kedge imitate"});
  const std::string whole = read("p.kedge");
  for (size_t size : {size_t{7}, size_t{500}, whole.size() / 2, whole.size() - 1}) {
    write("cut", whole.substr(0, size));
    expect_error("info cut", {"cut"});
  }
}

TEST_F(CliRollout, collect_writes_episodes_with_where_they_come_from) {
  const DemonstrationFacts facts = read_facts(path("r.hdf5").string());
  EXPECT_EQ(facts.domain, "reach");
  EXPECT_EQ(facts.expert, "scripted");
  EXPECT_EQ(facts.split, "train");
  EXPECT_EQ(facts.seed, 0u);
  EXPECT_EQ(facts.errors.size(), 6u);
  EXPECT_EQ(read_demonstrations(path("r.hdf5").string()).common_steps(), 100u);
  done(facts.command.substr(std::string("kedge ").size()) + " --quiet --threads 1");
  EXPECT_EQ(facts, read_facts(path("r.hdf5").string()));
  const Json json =
      Json::parse(done("collect reach --episodes 2 --goals published --split oos --quiet --json -o q"));
  EXPECT_EQ(json.at("errors").at("episodes"), Json(2));
  EXPECT_EQ(json.at("split"), Json("oos, published"));
  EXPECT_EQ(json.at("seed"), Json());
  const std::string text = done("collect reach --episodes 2 --seed 3 -o q");
  for (const std::string words : {"reach:", "scripted:", "2 of train, seed 3", "±", "episodes a second"})
    EXPECT_NE(text.find(words), std::string::npos) << text;
}

TEST_F(CliRollout, rollout_shows_errors_beside_the_expert_and_by_verdict) {
  const std::string text =
      done("rollout r.kedge reach --episodes 2 --quiet --csv e.csv --html p.html -o e.hdf5");
  EXPECT_EQ(text, "");
  const std::string tables = done("rollout r.kedge reach --episodes 2");
  for (const std::string words : {"train", "oos", "expert (scripted)", "verdict", "±"})
    EXPECT_NE(tables.find(words), std::string::npos) << tables;
  EXPECT_EQ(lines_of(read("e.csv")).size(), 5u);
  EXPECT_EQ(lines_of(read("e.csv"))[0].substr(0, 33), "goal_x,goal_y,goal_z,goals,verdic");
  EXPECT_EQ(read_demonstrations(path("e.hdf5").string()).size(), 4u);
  EXPECT_EQ(read_facts(path("e.hdf5").string()).split, "train,oos");
  const std::string page = read("p.html");
  for (const std::string words :
       {"<svg", "Paths", "Errors", "demonstrated goals", "kedge rollout r.kedge reach"})
    EXPECT_NE(page.find(words), std::string::npos) << words;
}

TEST_F(CliRollout, json_has_every_episode_and_no_expert_where_none_was_wanted) {
  const Json json =
      Json::parse(done("rollout r.kedge reach --goals oos --episodes 3 --no-expert --quiet --json"));
  const Json& set = json.at("sets").as_list("sets").at(0);
  EXPECT_EQ(set.at("goals"), Json("oos"));
  EXPECT_EQ(set.at("expert"), Json());
  size_t counted = 0;
  for (const Json& verdict : set.at("verdicts").as_list("verdicts"))
    counted += exactly<size_t>(verdict.at("errors").at("episodes"), "episodes");
  EXPECT_EQ(counted, 3u);
  double sum = 0;
  for (const Json& episode : set.at("episodes").as_list("episodes")) {
    sum += exactly<double>(episode.at("error"), "error");
    EXPECT_EQ(episode.at("goal").size(), 3u);
    EXPECT_EQ(episode.at("held"), Json());
  }
  EXPECT_NEAR(sum / 3, exactly<double>(set.at("errors").at("mean_error"), "mean"), 1e-12);
}

TEST_F(CliRollout, published_goals_fresh_ones_and_those_of_a_file_differ) {
  const auto first = [&](const std::string& flags) {
    const Json json =
        Json::parse(done("rollout r.kedge reach --no-expert --quiet --json --episodes 1 " + flags));
    return json.at("sets").as_list("sets").at(0).at("episodes").as_list("episodes").at(0).at("goal").dump();
  };
  const std::string published = first("--goals train"), fresh = first("--goals train --fresh");
  EXPECT_NE(published, fresh);
  EXPECT_EQ(fresh, first("--goals train --seed 0"));
  EXPECT_NE(fresh, first("--goals train --seed 1"));
  write("g.csv", "name,goal_z,goal_y,goal_x\noak,0.1,0.8,0.2\nash,0.2,0.8,0.1\n");
  EXPECT_EQ(first("--goals g.csv"), "{\"goal_x\":0.2,\"goal_y\":0.8,\"goal_z\":0.1}");
}

TEST_F(CliRollout, bad_goals_policies_and_names_are_one_line) {
  write("g.csv", "goal_x,goal_y\n1,2\n");
  expect_error("rollout r.kedge reach --goals g.csv", {"g.csv", "\"goal_z\""});
  expect_error("collect reach --goals g.csv -o q", {"g.csv", "\"goal_z\""});
  write("g.csv", "goal_x,goal_y,goal_z\n0,0,0\n0,nan,0\n");
  expect_error("rollout r.kedge reach --goals g.csv --html p.html", {"g.csv, line 3", "\"goal_y\"", "nan"});
  write("g.csv", "goal_x,goal_y,goal_z\n0,up,0\n");
  expect_error("rollout r.kedge reach --goals g.csv --csv e.csv", {"g.csv, line 2", "\"up\""});
  expect_error("rollout r.kedge reach --goals paint", {"paint", "No such file"});
  expect_error("rollout r.kedge push --csv e.csv", {"push needs a policy", "something else"});
  expect_error("rollout r.kedge paint", {"\"paint\"", "reach"});
  expect_error("rollout r.kedge reach --expert paint", {"\"paint\"", "scripted"});
  expect_error("rollout r.kedge reach --episodes 51", {"51 episodes", "has 50", "--episodes"});
  expect_error("rollout r.kedge reach --csv r.kedge", {"r.kedge", "overwritten"});
  expect_error("rollout r.kedge reach --csv e --html e", {"--csv", "--html", "a file each"});
  expect_error("rollout r.kedge reach -o -", {"need files"});
  expect_error("rollout d.hdf5 reach", {"d.hdf5"});
  expect_error("collect paint -o q", {"\"paint\"", "reach"});
  expect_error("collect reach --expert paint -o q", {"\"paint\"", "scripted"});
  expect_error("collect reach --expert-file r.hdf5 -o q", {"reach", "scripted"});
  expect_error("collect reach --episodes 51 --goals published -o q", {"51 episodes", "has 50"});
  expect_error("collect reach -o -", {"need a file"});
  expect_error("collect reach -o none/q", {"none"});
  expect_error("collect reach --split out -o q", {"--split"}, 2);
  expect_error("collect reach --episodes 0 -o q", {"--episodes"}, 2);
  expect_error("expert paint", {"\"paint\"", "reach"});
  expect_error("expert reach -o q", {"reach", "scripted", "leave -o out"});
}

TEST_F(CliRollout, an_expert_of_a_file_shows_what_it_shows_when_built_in) {
  const std::string numbers = KEDGE_SOURCE_DIR "/kedge/domains/slider/experts.json";
  done("collect slider --episodes 2 --quiet -o a");
  done("collect slider --episodes 2 --quiet --expert-file '" + numbers + "' -o b");
  done("collect slider --episodes 2 --quiet --expert strike -o c");
  const auto first = [&](const std::string& file) {
    return read_demonstrations(path(file).string(), {})[0].actions;
  };
  EXPECT_EQ(first("a"), first("b"));
  EXPECT_NE(first("a"), first("c"));
  write("bad.json", "{}");
  expect_error("collect slider --expert-file bad.json -o d", {"bad.json", "slider"});
  done("imitate a --model replay --quiet -o p");
  done("rollout p slider --episodes 2 --quiet --html p.html");
  for (const std::string words : {"Actions", "pusher_force", "demonstrated goals"})
    EXPECT_NE(read("p.html").find(words), std::string::npos) << words;
}

TEST_F(CliRollout, an_interrupted_collection_writes_nothing) {
  const Ran ran = interrupted(
      {"collect", "reach", "--episodes", "300", "--threads", "1", "-o", path("q").string()}, "10 %");
  EXPECT_NE(ran.code, 0);
  EXPECT_FALSE(std::filesystem::exists(path("q")));
}

TEST_F(CliRollout, expert_says_what_it_does_and_how_well) {
  const Json json = Json::parse(done("expert reach --quiet --json"));
  EXPECT_EQ(json.at("searched"), Json(false));
  const Json& expert = json.at("experts").as_list("experts").at(0);
  EXPECT_EQ(expert.at("name"), Json("scripted"));
  EXPECT_EQ(expert.at("train").at("episodes"), Json(50));
  EXPECT_LT(exactly<double>(expert.at("train").at("mean_error"), "error"), 0.02);
}

}  // namespace
}  // namespace kedge
