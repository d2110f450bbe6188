// Experiments end to end, as users run them: real fits, killed and stopped in the middle, and gone on with.

#include <map>

#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

class CliReproduce : public RunKedge {
 protected:
  std::string flags(const std::string& folder) const {
    return "reproduce fig-equivariant --quick --quiet --jobs " + folder + "/jobs -o " + folder;
  }
  std::vector<std::string> arguments(const std::string& folder) const {
    return {"reproduce", "fig-equivariant",      "--quick", "--quiet",
            "--jobs",    path(folder + "/jobs"), "-o",      path(folder).string()};
  }

  /// Content of every kept result and model.
  std::map<std::string, std::string> kept(const std::string& folder) const {
    std::map<std::string, std::string> files;
    if (!std::filesystem::exists(path(folder + "/jobs"))) return files;
    for (const auto& entry : std::filesystem::directory_iterator(path(folder + "/jobs")))
      if (!entry.path().filename().string().starts_with("."))
        files[entry.path().filename().string()] = slurp(entry.path());
    return files;
  }
};

TEST_F(CliReproduce, a_run_that_is_killed_or_stopped_goes_on_to_the_same_result) {
  done(flags("whole"));
  const auto whole = kept("whole");
  ASSERT_GT(whole.size(), 20u);
  const auto has = [&](size_t files) { return [this, files] { return kept("parts").size() >= files; }; };
  const Ran killed = signalled_when(has(3), SIGKILL, arguments("parts"));
  EXPECT_EQ(killed.code, -1);
  const auto after_kill = kept("parts");
  EXPECT_GE(after_kill.size(), 3u);
  EXPECT_LT(after_kill.size(), whole.size());

  const Ran stopped = signalled_when(has(after_kill.size() + 3), SIGTERM, arguments("parts"));
  EXPECT_EQ(stopped.code, 1);
  EXPECT_NE(stopped.err.find("run it again to go on from there"), std::string::npos) << stopped.err;
  const auto after_stop = kept("parts");
  EXPECT_GT(after_stop.size(), after_kill.size());
  EXPECT_LT(after_stop.size(), whole.size());
  // What was kept is whole, and is not made again.
  for (const auto& [name, content] : after_stop) EXPECT_EQ(content, whole.at(name)) << name;

  done(flags("parts"));
  EXPECT_EQ(kept("parts"), whole);
  EXPECT_EQ(read("parts/fig-equivariant.json"), read("whole/fig-equivariant.json"));
}

}  // namespace
}  // namespace kedge
