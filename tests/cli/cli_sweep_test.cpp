// kedge sweep: what it prints and writes, how it goes on after a stop, and what it refuses.

#include <map>
#include <nlohmann/json.hpp>

#include "kedge/core/format.h"
#include "kedge/report/text.h"
#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

using nlohmann::json;

const std::vector<std::string> written = {"sweep.csv", "sweep.html", "sweep.json"};

class CliSweep : public RunKedge {
 protected:
  CliSweep() {
    std::string text = "a,b,y\n";
    for (int r = 0; r < 40; ++r) text += fmt::format("{},{},{}\n", r, r * 7 % 40, 2 * r - r * 7 % 40);
    write("t.csv", text);
  }

  /// What grows with the logarithm of a dose: closed forms of the dose itself do badly far out.
  void write_doses() const {
    std::string text = "dose,y\n";
    for (int r = 0; r < 60; ++r) text += fmt::format("{:.6g},{}\n", std::pow(10, r / 15.0 - 2), 3 * r);
    write("d.csv", text);
  }

  /// Outputs that have nothing to do with the inputs.
  void write_noise() const {
    std::string text = "a,b,y\n";
    uint64_t state = 1;
    const auto draw = [&] {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return static_cast<double>(state >> 33) / static_cast<double>(1u << 31);
    };
    for (int r = 0; r < 60; ++r) {
      const double a = draw(), b = draw();
      text += fmt::format("{},{},{}\n", a, b, draw());
    }
    write("noise.csv", text);
  }

  /// The files of a folder that begin with no dot.
  std::map<std::string, std::string> files(const std::string& folder) const {
    std::map<std::string, std::string> found;
    if (!std::filesystem::exists(path(folder))) return found;
    for (const auto& entry : std::filesystem::directory_iterator(path(folder)))
      if (entry.is_regular_file() && !entry.path().filename().string().starts_with("."))
        found[entry.path().filename().string()] = slurp(entry.path());
    return found;
  }

  void expect_refused(const std::string& arguments, int code, const std::vector<std::string>& said) {
    const std::vector<std::string> before = names();
    const Ran ran = kedge(arguments);
    EXPECT_EQ(ran.code, code) << arguments;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
    for (const std::string& words : said) EXPECT_NE(ran.err.find(words), std::string::npos) << ran.err;
    EXPECT_EQ(names(), before) << arguments;
  }
};

const std::string bare = "sweep t.csv --target y --quiet ";
const std::string quick = bare + "--steps 20 --fourier off --seeds 2 ";
const std::string grid = quick + "--grid width=4,8 --grid embedding=2,3 ";
// The grid does better than the simple models: these know nothing of logarithms.
const std::string doses =
    "sweep d.csv --target y --quiet --steps 20 --fourier off --seeds 2 --base linear "
    "--grid 'space=none;dose=log' ";

TEST_F(CliSweep, prints_the_table_marks_the_best_and_ends_with_its_command) {
  const std::string text = done(grid + "-o s", "COLUMNS=80");
  const std::vector<std::string> lines = lines_of(text);
  EXPECT_NE(lines[0].find("combination"), std::string::npos) << text;
  EXPECT_EQ(lines[2].substr(0, 2), "* ") << text;
  for (const std::string& line : lines) EXPECT_LE(display_width(line), 80u) << line;
  for (const char* words : {"chosen on other", "nearest", "linear", "ridge", "quadratic", "bilinear-ridge",
                            "chosen by its own score", "two parts in support"})
    EXPECT_NE(text.find(words), std::string::npos) << words;
  for (const std::string& name : written) EXPECT_TRUE(std::filesystem::exists(path("s/" + name))) << name;

  const json found = json::parse(read("s/sweep.json"));
  const std::string command = found.at("recommendation").at("command");
  std::string one_line_text = text;
  for (size_t at; (at = one_line_text.find(" \\\n    ")) != std::string::npos;)
    one_line_text.replace(at, 7, " ");
  EXPECT_TRUE(one_line_text.ends_with(command + "\n")) << text;
  EXPECT_NE(read("s/sweep.html").find(command), std::string::npos);
  done(command.substr(6) + " --quiet --keep-partial");
  EXPECT_TRUE(std::filesystem::exists(path("model.kedge")));
}

TEST_F(CliSweep, json_and_csv_hold_the_numbers_of_the_table) {
  const json found = json::parse(done(grid + "-o s --json"));
  EXPECT_EQ(found, json::parse(read("s/sweep.json")));
  EXPECT_EQ(found.at("rows"), 40);
  EXPECT_EQ(found.at("grid"), (json{{"width", {"4", "8"}}, {"embedding", {"2", "3"}}}));
  EXPECT_EQ(found.at("seeds"), json({0, 1}));
  ASSERT_EQ(found.at("combinations").size(), 4u);
  ASSERT_EQ(found.at("baselines").size(), 5u);
  const json& elsewhere = found.at("chosen_elsewhere");
  EXPECT_EQ(elsewhere.at("choices").size(), 5u);
  EXPECT_TRUE(elsewhere.at("score").is_number());
  const json& best = found.at("combinations").at(found.at("best").at("place").get<size_t>());
  EXPECT_EQ(best.at("name"), found.at("best").at("name"));
  for (const json& one : found.at("combinations")) {
    EXPECT_LE(best.at("score"), one.at("score"));
    EXPECT_EQ(one.at("in_support").at("by_seed").size(), 2u);
    EXPECT_GT(one.at("training_seconds"), 0);
    EXPECT_TRUE(one.at("failure").is_null());
  }
  const std::string csv = done(grid + "-o s --csv");
  EXPECT_EQ(csv, read("s/sweep.csv"));
  const std::vector<std::string> rows = lines_of(csv);
  ASSERT_EQ(rows.size(), 1u + 4 + 1 + 5);
  EXPECT_TRUE(rows[0].starts_with("kind,name,width,embedding,score,in_support,")) << rows[0];
  EXPECT_TRUE(rows[1].starts_with("grid," + best.at("name").get<std::string>() + ",")) << rows[1];
  const std::string score = fmt::format("{:.6g}", elsewhere.at("score").get<double>());
  EXPECT_TRUE(rows[5].starts_with("elsewhere,chosen on other shells,,," + score)) << rows[5];
  EXPECT_TRUE(rows[6].starts_with("baseline,nearest,,,")) << rows[6];
  EXPECT_TRUE(rows[10].starts_with("baseline,bilinear-ridge,,,")) << rows[10];
}

TEST_F(CliSweep, is_the_same_for_any_number_of_threads_and_a_second_run_computes_nothing) {
  const std::string text = done(grid + "-o one --threads 1");
  EXPECT_EQ(done(grid + "-o two --threads 2"), text);
  const auto results = files("one/jobs");
  EXPECT_EQ(results.size(), 9u * 2 * 5);
  EXPECT_EQ(files("two"), files("one"));
  EXPECT_EQ(files("two/jobs"), results);
  // A result that was made again would be a new file.
  const auto time = [&] {
    return std::filesystem::last_write_time(path("one/jobs/" + results.begin()->first));
  };
  const auto before = time();
  EXPECT_EQ(done(grid + "-o one"), text);
  EXPECT_EQ(time(), before);
}

TEST_F(CliSweep, a_larger_grid_takes_what_a_smaller_one_has_made) {
  done(quick + "--grid width=4 -o s");
  const auto before = files("s/jobs");
  done(quick + "--grid width=4,8 -o s");
  const auto after = files("s/jobs");
  EXPECT_EQ(after.size(), before.size() + 2 * 5);
  for (const auto& [name, content] : before) EXPECT_EQ(after.at(name), content);
  // What is said of the fit that follows changes no rehearsal.
  done(quick + "--grid width=4,8 --replicas 3 --calibration none -o s");
  EXPECT_EQ(files("s/jobs"), after);
  // Another table has other results.
  std::string other = read("t.csv");
  other.replace(other.find("\n0,0,0\n"), 7, "\n0,0,1\n");
  write("t.csv", other);
  done(quick + "--grid width=4,8 -o s");
  EXPECT_EQ(files("s/jobs").size(), 2 * after.size());
}

TEST_F(CliSweep, a_stopped_sweep_goes_on_to_the_same_bytes) {
  const std::string flags = "--target y --fourier off --seeds 2 --grid width=4,8 --steps 1000";
  done("sweep t.csv --quiet " + flags + " -o whole");
  std::vector<std::string> arguments = {"sweep", path("t.csv").string(), "--quiet"};
  for (size_t at = 0, end; at < flags.size(); at = end + 1) {
    end = std::min(flags.find(' ', at), flags.size());
    arguments.push_back(flags.substr(at, end - at));
  }
  arguments.insert(arguments.end(), {"-o", path("parts").string()});
  const auto has = [this] { return files("parts/jobs").size() >= 3; };
  const Ran stopped = signalled_when(has, SIGINT, arguments);
  EXPECT_EQ(stopped.code, 1);
  EXPECT_EQ(stopped.out, "");
  EXPECT_NE(stopped.err.find("run it again to go on from there"), std::string::npos) << stopped.err;
  EXPECT_FALSE(std::filesystem::exists(path("parts/sweep.json")));
  EXPECT_LT(files("parts/jobs").size(), files("whole/jobs").size());
  EXPECT_EQ(done("sweep t.csv --quiet " + flags + " -o parts"),
            done("sweep t.csv --quiet " + flags + " -o whole"));
  EXPECT_EQ(files("parts"), files("whole"));
  EXPECT_EQ(files("parts/jobs"), files("whole/jobs"));
}

TEST_F(CliSweep, shards_make_the_same_bytes_in_one_folder_and_merged_from_several) {
  std::string spoken = grid;
  spoken.erase(spoken.find("--quiet "), 8);
  done(grid + "-o whole");
  for (int shards : {2, 3}) {
    const std::string folder = fmt::format("of{}", shards);
    for (int i = 1; i <= shards; ++i) {
      const Ran ran = kedge(spoken + fmt::format("-o {} --shard {}/{}", folder, i, shards));
      EXPECT_EQ(ran.code, 0) << ran.err;
      EXPECT_EQ(std::filesystem::exists(path(folder + "/sweep.json")), i == shards);
      EXPECT_EQ(ran.out.find("missing") != std::string::npos, i < shards) << ran.out;
      EXPECT_EQ(ran.out.find("Nothing of shard") != std::string::npos, i < shards) << ran.out;
      done(grid + fmt::format("-o alone --jobs alone{}of{} --shard {}/{}", i, shards, i, shards));
      done(fmt::format("merge-jobs alone{}of{} --jobs merged{}/jobs --quiet", i, shards, shards));
    }
    EXPECT_EQ(files(folder), files("whole"));
    EXPECT_EQ(files(folder + "/jobs"), files("whole/jobs"));
    EXPECT_EQ(files(fmt::format("merged{}/jobs", shards)), files("whole/jobs"));
    done(grid + fmt::format("-o merged{}", shards));
    EXPECT_EQ(files(fmt::format("merged{}", shards)), files("whole"));
  }
}

TEST_F(CliSweep, fits_the_best_where_it_is_told_to) {
  const std::string flags = "--grid model=linear,nearest --seeds 1 --beyond inputs -o s ";
  const std::string text = done("sweep t.csv --target y " + flags + "--fit best.kedge");
  EXPECT_NE(text.find("fitted\n"), std::string::npos) << text;
  const std::string command = json::parse(read("s/sweep.json")).at("recommendation").at("command");
  EXPECT_EQ(command, "kedge fit t.csv --target y --model linear -o model.kedge");
  done(command.substr(6) + " --quiet");
  EXPECT_EQ(read("best.kedge"), read("model.kedge"));
  EXPECT_TRUE(json::accept(done(bare + flags + "--fit b.kedge --json")));
}

TEST_F(CliSweep, a_fit_that_is_stopped_says_that_the_rehearsals_are_kept) {
  write_doses();
  const std::string flags =
      "--target y --fourier off --seeds 1 --base linear --effort 0.001 --steps 100000 --calibration none "
      "--grid space=dose=log --threads 1";
  std::vector<std::string> arguments = {"sweep", path("d.csv").string()};
  for (size_t at = 0, end; at < flags.size(); at = end + 1) {
    end = std::min(flags.find(' ', at), flags.size());
    arguments.push_back(flags.substr(at, end - at));
  }
  arguments.insert(arguments.end(), {"-o", path("s").string(), "--fit", path("m.kedge").string()});
  const Ran stopped = signalled(SIGINT, arguments, "fit: ");
  EXPECT_EQ(stopped.code, 1);
  EXPECT_NE(stopped.err.find("the rehearsals are kept; run it again"), std::string::npos) << stopped.err;
  EXPECT_EQ(stopped.err.find("keep-partial"), std::string::npos) << stopped.err;
  EXPECT_FALSE(std::filesystem::exists(path("m.kedge")));
}

TEST_F(CliSweep, what_the_grid_wins_is_fitted_with_all_that_was_said_of_it) {
  write_doses();
  const std::string out = done(doses + "--replicas 3 --beyond inputs -o s", "COLUMNS=120");
  EXPECT_EQ(lines_of(out)[2].substr(0, 19), "* space=dose=log   ") << out;
  const json found = json::parse(read("s/sweep.json"));
  EXPECT_EQ(found.at("recommendation").at("kind"), "grid");
  const std::string command = found.at("recommendation").at("command");
  EXPECT_NE(command.find("--space dose=log"), std::string::npos) << command;
  EXPECT_NE(command.find("--replicas 3"), std::string::npos) << command;
  EXPECT_EQ(out.find("simple model"), std::string::npos) << out;
  const std::string page = read("s/sweep.html");
  EXPECT_NE(page.find("beyond the outputs."), std::string::npos);
  EXPECT_NE(page.find("--beyond inputs"), std::string::npos);
}

TEST_F(CliSweep, draws_lines_maps_and_dots_by_the_number_of_names) {
  const auto page = [&](const std::string& flags) {
    done(quick + flags + " -o s");
    return read("s/sweep.html");
  };
  EXPECT_NE(page("--grid width=4,8,16").find("The shade is the deviation"), std::string::npos);
  EXPECT_NE(page("--grid model=mlp,concat").find("<svg"), std::string::npos);
  EXPECT_NE(page("--grid width=4,8 --grid embedding=2,3").find("The darkest cell"), std::string::npos);
  EXPECT_NE(page("--grid width=4,8 --grid embedding=2,3 --grid loss=mse,l2").find("the best score on top"),
            std::string::npos);
}

TEST_F(CliSweep, tells_what_a_grid_of_spaces_and_one_seed_show) {
  write_doses();
  const std::string out =
      done("sweep d.csv --target y --model ridge --grid 'space=none;dose=log' --seeds 1 --quiet -o s");
  EXPECT_EQ(lines_of(out).back(), "kedge fit d.csv --target y --space dose=log --model ridge -o model.kedge");
  EXPECT_NE(out.find("one seed"), std::string::npos) << out;
  EXPECT_EQ(out.find("simple model"), std::string::npos) << out;
}

TEST_F(CliSweep, says_when_a_simple_model_does_better) {
  const std::string out = done(quick + "--grid width=4 -o s");
  EXPECT_NE(out.find("The simple model 'linear' scores"), std::string::npos) << out;
  EXPECT_EQ(out.find("chosen on other"), std::string::npos) << "there was nothing to choose";
  const std::string command = "kedge fit t.csv --target y --model linear -o model.kedge";
  EXPECT_EQ(lines_of(out).back(), command);
  EXPECT_NE(read("s/sweep.html").find(command), std::string::npos);
  const json found = json::parse(read("s/sweep.json")).at("recommendation");
  EXPECT_EQ(found, (json{{"kind", "baseline"}, {"name", "linear"}, {"command", command}}));
  // --fit fits the same.
  const Ran ran =
      kedge("sweep t.csv --target y --steps 20 --fourier off --seeds 2 --grid width=4 -o s --fit b.kedge");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.err.find("fitting linear, a simple model"), std::string::npos) << ran.err;
  done(command.substr(6) + " --quiet");
  EXPECT_EQ(read("b.kedge"), read("model.kedge"));
}

TEST_F(CliSweep, of_pure_noise_no_network_is_recommended) {
  write_noise();
  for (const char* flags :
       {"--grid width=4,8,16 --grid embedding=2,4,8 --seeds 2 ", "--grid steps=20,100,400 --seeds 3 "}) {
    done(std::string("sweep noise.csv --target y --quiet --fourier off -o s ") +
         (std::string(flags).find("steps") == std::string::npos ? "--steps 100 " : "") + flags);
    EXPECT_EQ(json::parse(read("s/sweep.json")).at("recommendation").at("kind"), "baseline")
        << read("s/sweep.csv");
  }
}

TEST_F(CliSweep, a_simple_model_of_the_grid_does_not_stand_beside_it) {
  const json found = json::parse(done(bare + "--grid model=linear,ridge --seeds 1 -o s --json"));
  std::vector<std::string> names;
  for (const json& one : found.at("baselines")) names.push_back(one.at("name"));
  EXPECT_EQ(names, (std::vector<std::string>{"nearest", "quadratic", "bilinear-ridge"}));
}

TEST_F(CliSweep, a_quadratic_of_too_many_inputs_is_left_out) {
  std::string text = "y";
  for (int c = 0; c < 70; ++c) text += fmt::format(",x{}", c);
  text += "\n";
  for (int r = 0; r < 2100; ++r) {
    text += std::to_string(r % 7);
    for (int c = 0; c < 70; ++c) text += fmt::format(",{}", (r * (c + 3) + c * c) % 11);
    text += "\n";
  }
  write("wide.csv", text);
  const std::string flags = "sweep wide.csv --target y --grid model=linear --seeds 1 -o s ";
  const Ran ran = kedge(flags + "--shard 1/1000 --json");
  EXPECT_NE(ran.err.find("and 3 simple models"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find("quadratic"), std::string::npos) << ran.err;
}

TEST_F(CliSweep, a_shard_that_waits_says_what_is_missing) {
  std::string spoken = grid;
  spoken.erase(spoken.find("--quiet "), 8);
  const Ran first = kedge(spoken + "-o s --shard 1/3 --json");
  EXPECT_EQ(first.code, 0) << first.err;
  const json waits = json::parse(first.out);
  EXPECT_EQ(waits.at("whole"), false);
  const size_t own = waits.at("own");
  EXPECT_EQ(own, files("s/jobs").size());
  EXPECT_EQ(waits.at("jobs"), 9 * 2 * 5);
  size_t missing = 0;
  for (const auto& [shard, count] : waits.at("missing").items()) missing += count.get<size_t>();
  EXPECT_EQ(waits.at("missing").size(), 2u);
  EXPECT_EQ(own + missing, 90u);
  EXPECT_EQ(waits.at("unseen"), json({2, 3}));
  EXPECT_NE(first.err.find(fmt::format("90 rehearsals, {} of them in shard 1/3", own)), std::string::npos)
      << first.err;
  // Another grid has another list.
  const std::string other = done(quick + "--grid width=5,6 -o s --shard 2/3");
  EXPECT_NE(other.find("Nothing of shards 1 and 3 is in s/jobs."), std::string::npos) << other;
  EXPECT_NE(other.find("the grid, the seeds"), std::string::npos) << other;
  EXPECT_NE(done(grid + "-o s --shard 2/3").find("Nothing of shard 3 is in"), std::string::npos);
  EXPECT_EQ(json::parse(done(grid + "-o s --shard 3/3 --json")).at("whole"), true);
}

TEST_F(CliSweep, one_diverged_combination_does_not_flatten_the_picture) {
  const std::string deep = bare + "--model mlp --loss mse --fourier off --steps 60 --seeds 1 ";
  const auto page = [&](const std::string& flags) {
    done(deep + flags + " -o s");
    return read("s/sweep.html");
  };
  const std::string map = page("--grid learning-rate=1e-3,2e-3,3 --grid width=4,8,16");
  EXPECT_NE(map.find("far beyond the scale"), std::string::npos);
  const std::string lines = page("--grid learning-rate=1e-3,2e-3,3e-3,3");
  EXPECT_NE(lines.find("errors far beyond"), std::string::npos);
  for (const char* tick :
       {">1e-3</text>", ">2e-3</text>", ">3e-3</text>", ">3</text>", "learning-rate</text>"})
    EXPECT_NE(lines.find(tick), std::string::npos) << tick;
  EXPECT_NE(lines.find("Dashed lines are the simple model"), std::string::npos);
  EXPECT_EQ(page("--grid width=4,8 --grid layers=2,3").find("far beyond"), std::string::npos);
}

TEST_F(CliSweep, combinations_that_diverge_are_last_with_the_reason) {
  // Twenty layers and a learning rate of 99.
  const std::string deep = bare + "--model mlp --layers 20 --loss mse --fourier off --steps 400 --seeds 1 ";
  const std::string out = done(deep + "--grid learning-rate=99,1e-3 -o s");
  ASSERT_NE(out, "");
  EXPECT_EQ(lines_of(out)[2].substr(0, 21), "* learning-rate=1e-3 ") << out;
  EXPECT_NE(out.find("learning-rate=99: seed 0: failed on the shell around"), std::string::npos) << out;
  EXPECT_TRUE(read("s/sweep.csv").starts_with("kind,name,learning-rate,"));
  const json found = json::parse(read("s/sweep.json"));
  EXPECT_TRUE(found.at("grid").contains("learning-rate"));
  EXPECT_EQ(found.at("combinations").at(0).at("values"), (json{{"learning-rate", "99"}}));
  for (const char* file : {"s/sweep.html", "s/sweep.json", "s/sweep.csv"})
    EXPECT_EQ(read(file).find("learning_rate"), std::string::npos) << file;
  expect_refused(deep + "--grid learning-rate=99 -o s", 1,
                 {"needs a combination that can be fitted", "diverged"});
}

TEST_F(CliSweep, anchors_that_are_to_be_tuned_stay_so_in_the_command) {
  write_doses();
  const std::string out = done(doses + "--anchors auto --beyond inputs -o s", "COLUMNS=1000");
  EXPECT_NE(out.find("--anchors auto --beyond inputs"), std::string::npos) << out;
  const std::string note = "So its errors look smaller than they are";
  EXPECT_NE(out.find(note), std::string::npos) << "also where every combination is tuned: " << out;
  EXPECT_NE(done(quick + "--grid anchors=auto,nearest -o s", "COLUMNS=1000").find(note), std::string::npos);
  EXPECT_EQ(done(quick + "--grid anchors=many=5,nearest -o s", "COLUMNS=1000").find(note), std::string::npos);
}

TEST_F(CliSweep, a_share_is_tried_over_a_base) {
  write_doses();
  EXPECT_NE(done(doses + "--grid share=0.5,1 -o s").find("--base linear"), std::string::npos);
  expect_refused(quick + "--grid base=none,ridge --grid share=0.5,1", 2,
                 {"--grid: share=0.5: ", "share needs a base"});
}

TEST_F(CliSweep, what_cannot_be_swept_is_one_line) {
  expect_refused(quick, 2, {"--grid"});
  expect_refused(quick + "--grid width", 2, {"--grid needs", "width=32,64"});
  expect_refused(quick + "--grid widht=4", 2, {"--grid", "did you mean \"width\"?"});
  expect_refused(quick + "--grid width=4,x", 2, {"--grid: width needs", "\"x\""});
  expect_refused(quick + "--grid learning-rate=fast", 2, {"--grid: learning-rate needs", "\"fast\""});
  expect_refused(quick + "--grid width=4 --grid width=8", 2, {"--grid", "width twice"});
  expect_refused(quick + "--grid width=4,4", 2, {"--grid", "each value once"});
  expect_refused(quick + "--width 4 --grid width=4,8", 2, {"--grid", "width is in the grid"});
  expect_refused(quick + "--learning-rate 1 --grid learning_rate=2", 2, {"learning-rate is in the grid"});
  expect_refused(quick + "--grid embedding=2 --grid width=0", 2, {"--grid: width=0: "});
  expect_refused(quick + "--grid seed=1,2", 2, {"--grid", "seed"});
  expect_refused(bare + "--steps 20 --grid epochs=2,3", 2, {"--grid: epochs=2: ", "steps and epochs"});
  expect_refused(bare + "--grid model=mlp,mpl", 2, {"--grid: model=mpl ", "did you mean \"mlp\"?"});
  expect_refused(bare + "--grid model=ridge --grid width=4", 2,
                 {"--grid: model=ridge width=4: ", "--width", "ridge has a closed form"});
  expect_refused(bare + "--model auto --grid width=4", 1, {"auto", "--grid model="});
  expect_refused(bare + "--grid anchors=nearest,nearst", 2, {"--grid: anchors=nearst "});
  expect_refused(bare + "--grid inside-anchors=nearst", 2, {"--grid: inside-anchors=nearst "});
  expect_refused(bare + "--grid loss=mse,mean", 2, {"--grid: loss=mean: "});
  // What is wrong with the flags alone is none of the grid's.
  expect_refused(bare + "--loss mse --anchors nearst --grid width=4", 1,
                 {"needs a rule for anchors", "nearst"});
  // Only the table tells.
  expect_refused(bare + "--grid 'space=none;c=log'", 1, {"t.csv, --grid space=c=log: ", "\"c\""});
  expect_refused(bare + "--grid 'space=none;y=log'", 1, {"t.csv, line 2", "positive"});
  expect_refused(bare + "--grid anchors=many=5,many=05", 2, {"--grid", "are the same"});
  expect_refused(quick + "--grid width=4 --seeds 0", 2, {"--seeds"});
  expect_refused(quick + "--grid width=4 --effort 2", 1, {"--effort"});
  expect_refused(quick + "--grid width=4 --json --csv", 1, {"--json", "--csv"});
  expect_refused(quick + "--grid width=4 -o -", 1, {"folder"});
  expect_refused(quick + "--grid width=4 -o t.csv", 1, {"t.csv"});
  expect_refused(quick + "--grid width=4 --fit t.csv", 1, {"overwritten"});
  expect_refused(quick + "--grid width=4 --fit -", 1, {"--fit"});
  expect_refused("sweep - --target y --quiet --grid width=4 --fit m.kedge < t.csv", 1, {"standard input"});
  for (const char* shard : {"5/4", "0/4", "a/b", "1/0", "1"})
    expect_refused(quick + "--grid width=4 --shard " + shard, 2, {shard});
  std::string many = "steps=1";
  for (int i = 2; i <= 101; ++i) many += "," + std::to_string(i);
  expect_refused(bare + "--grid " + many + " --grid width=1,2,3,4,5,6,7,8,9,10 --seeds 1000", 2,
                 {"--grid", "at most", "1010000"});
  write("t.csv", "a,y\n1,2\n2,3\n3,4\n");
  expect_refused(quick + "--grid width=4", 1, {"t.csv", "at least 20 rows", "found 3"});
}

}  // namespace
}  // namespace kedge
