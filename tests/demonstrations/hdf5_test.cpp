// What is written is read back; what robomimic and Minari write is read.

#include "kedge/demonstrations/hdf5.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <thread>

#include "../table/broken_files.h"
#include "hdf5_files.h"
#include "kedge/core/files.h"
#include "kedge/core/rng.h"

namespace kedge {
namespace {

using Names = std::vector<std::string>;

/// Goals stand between the other columns, in another order than among the observations.
Demonstrations some_demonstrations(size_t episodes = 12) {
  Demonstrations demonstrations({.observations = {"hand_x", "goal_y", "hand_z", "goal_x", "mass é"},
                                 .actions = {"push", "lift"},
                                 .goals = {"goal_x", "goal_y"}},
                                "made");
  Rng rng(7, Stream::domain);
  for (size_t e = 0; e < episodes; ++e) {
    Episode episode{Matrix<double>(3 + e % 4, 5), Matrix<double>(3 + e % 4, 2)};
    for (size_t t = 0; t < episode.steps(); ++t) {
      for (size_t c = 0; c < 5; ++c) episode.observations(t, c) = rng.normal();
      for (size_t c : {size_t{1}, size_t{3}}) episode.observations(t, c) = episode.observations(0, c);
      for (size_t c = 0; c < 2; ++c) episode.actions(t, c) = 1e300 * rng.normal();
    }
    episode.observations(0, 0) = -0.0;
    episode.observations(1, 0) = std::numeric_limits<double>::denorm_min();
    demonstrations.add(std::move(episode));
  }
  return demonstrations;
}

DemonstrationFacts some_facts(size_t episodes = 12) {
  DemonstrationFacts facts{.domain = "push",
                           .expert = "scripted",
                           .split = "oos",
                           .command = "kedge demonstrate push --seed 3",
                           .version = "0.1.0",
                           .seed = 0xFEDCBA9876543210};
  for (size_t e = 0; e < episodes; ++e) {
    facts.errors.push_back(e == 1 ? std::numeric_limits<double>::infinity()
                                  : 0.1 / static_cast<double>(e + 1));
    facts.held.push_back(e % 3 == 0 ? std::nullopt : std::optional(e % 3 == 1));
  }
  return facts;
}

bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::equal(a.values().begin(), a.values().end(), b.values().begin(), [](double x, double y) {
           return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y);
         });
}

void expect_same(const Demonstrations& found, const Demonstrations& expected) {
  EXPECT_EQ(found.columns(), expected.columns());
  ASSERT_EQ(found.size(), expected.size());
  for (size_t e = 0; e < found.size(); ++e) {
    EXPECT_TRUE(same_bits(found[e].observations, expected[e].observations)) << e;
    EXPECT_TRUE(same_bits(found[e].actions, expected[e].actions)) << e;
  }
}

using Hdf5 = Hdf5Files;

TEST_F(Hdf5, what_was_written_is_read_back_bit_for_bit_with_columns_in_their_order) {
  write_demonstrations(path(), some_demonstrations(), some_facts());
  expect_same(read_demonstrations(path()), some_demonstrations());
  EXPECT_EQ(read_demonstrations(path()).source(), path());
  EXPECT_EQ(read_facts(path()), some_facts());
}

TEST_F(Hdf5, facts_that_are_not_known_stay_unknown) {
  write_demonstrations(path(), some_demonstrations());
  EXPECT_EQ(read_facts(path()), DemonstrationFacts());
}

TEST_F(Hdf5, equal_content_makes_equal_bytes_whatever_the_file_is_called) {
  write_demonstrations(path("a.hdf5"), some_demonstrations(), some_facts());
  write_demonstrations(path("another.hdf5"), some_demonstrations(), some_facts());
  EXPECT_TRUE(read_file(path("a.hdf5"), "test") == read_file(path("another.hdf5"), "test"));
  write_demonstrations(path("third.hdf5"), some_demonstrations(11), some_facts(11));
  EXPECT_FALSE(read_file(path("a.hdf5"), "test") == read_file(path("third.hdf5"), "test"));
}

TEST_F(Hdf5, demonstrations_whose_observations_are_all_goals_are_read_back) {
  Demonstrations goals({{"x", "y"}, {"a"}, {"y", "x"}}, "made");
  goals.add({Matrix<double>(2, 2, 0.5), Matrix<double>(2, 1, 1.0)});
  write_demonstrations(path(), goals);
  expect_same(read_demonstrations(path()), goals);
}

TEST_F(Hdf5, names_too_long_for_an_old_attribute_are_read_back) {
  EpisodeColumns columns{{"goal"}, {"a"}, {"goal"}};
  for (int c = 0; c < 5000; ++c)
    columns.observations.push_back("a column with quite a long name " + std::to_string(c));
  Demonstrations wide(columns, "made");
  wide.add({Matrix<double>(1, columns.observations.size(), 2.0), Matrix<double>(1, 1, 1.0)});
  write_demonstrations(path(), wide);
  expect_same(read_demonstrations(path()), wide);
}

TEST_F(Hdf5, a_file_that_cannot_be_written_leaves_the_one_that_was_there) {
  write_demonstrations(path(), some_demonstrations(2));
  const std::string before = read_file(path(), "test");
  EXPECT_NE(error_text([&] {
              write_demonstrations(path(), some_demonstrations(2), {.command = std::string("a\0b", 3)});
            }).find("without NUL"),
            std::string::npos);
  EXPECT_NE(error_text([&] {
              write_demonstrations(path(), some_demonstrations(3), some_facts(2));
            }).find("a value for each of 3 episodes, or none; found 2"),
            std::string::npos);
  EXPECT_NE(
      error_text([&] { write_demonstrations(path(), some_demonstrations(0)); }).find("at least one episode"),
      std::string::npos);
  EXPECT_NE(error_text([&] {
              write_demonstrations(path("no/such.hdf5"), some_demonstrations(1));
            }).find("cannot be written"),
            std::string::npos);
  EXPECT_TRUE(read_file(path(), "test") == before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Hdf5, keys_choose_and_order_what_is_read_of_an_own_file) {
  write_demonstrations(path(), some_demonstrations());
  const Demonstrations both = read_demonstrations(path(), {.observation_keys = {"goal", "state"}});
  EXPECT_EQ(both.columns().observations, (Names{"goal_x", "goal_y", "hand_x", "hand_z", "mass é"}));
  const Demonstrations one =
      read_demonstrations(path(), {.goal_columns = {"goal_y"}, .observation_keys = {"goal"}});
  EXPECT_EQ(one.columns().observations, (Names{"goal_x", "goal_y"}));
  EXPECT_EQ(one.columns().goals, Names{"goal_y"});
  EXPECT_EQ(one.goals()(5, 0), some_demonstrations().goals()(5, 1));
}

/// Eleven episodes, so that order by number and by name differ; data as float32, int64 and uint8.
void make_robomimic(const std::string& path) {
  Hdf5Builder file(path);
  int64_t total = 0;
  for (int e = 0; e < 11; ++e) {
    const std::string demo = "data/demo_" + std::to_string(e);
    const hsize_t steps = 2 + static_cast<hsize_t>(e % 2);
    std::vector<double> actions(steps * 2, 0.25);
    actions[0] = e;
    file.dataset<double>(demo + "/actions", {steps, 2}, actions);
    file.dataset<float>(demo + "/obs/robot0_eef_pos", {steps, 3}, std::vector<float>(steps * 3, 0.5F));
    file.dataset<int64_t>(demo + "/obs/object", {steps, 1}, std::vector<int64_t>(steps, -e));
    file.dataset<uint8_t>(demo + "/obs/gripper", {steps}, std::vector<uint8_t>(steps, 255));
    file.dataset<double>(demo + "/rewards", {steps}, std::vector<double>(steps, 0.0));
    file.dataset<int64_t>(demo + "/dones", {steps}, std::vector<int64_t>(steps, 0));
    file.attribute(demo, "num_samples", static_cast<int64_t>(steps));
    total += static_cast<int64_t>(steps);
  }
  file.attribute("data", "total", total);
  file.attribute("data", "env_args", R"({"env_name": "Lift", "type": 1, "env_kwargs": {}})");
  file.texts("mask/train", {"demo_1", "demo_0"});
}

TEST_F(Hdf5, a_file_of_robomimic_gives_its_episodes_by_number_and_its_keys_by_name) {
  make_robomimic(path());
  const Demonstrations read = read_demonstrations(path(), {.goal_columns = {"object"}});
  EXPECT_EQ(read.columns().observations,
            (Names{"gripper", "object", "robot0_eef_pos_0", "robot0_eef_pos_1", "robot0_eef_pos_2"}));
  EXPECT_EQ(read.columns().actions, (Names{"actions_0", "actions_1"}));
  EXPECT_EQ(read.columns().goals, Names{"object"});
  ASSERT_EQ(read.size(), 11);
  for (size_t e = 0; e < 11; ++e) {
    EXPECT_EQ(read[e].steps(), 2 + e % 2);
    EXPECT_EQ(read[e].actions(0, 0), static_cast<double>(e));
    EXPECT_EQ(read[e].observations(1, 0), 255.0);
    EXPECT_EQ(read[e].observations(1, 1), -static_cast<double>(e));
    EXPECT_EQ(read[e].observations(1, 4), 0.5);
  }
  EXPECT_EQ(read_facts(path()), DemonstrationFacts());
}

TEST_F(Hdf5, a_key_as_goal_stands_for_all_its_columns) {
  make_robomimic(path());
  const Demonstrations read =
      read_demonstrations(path(), {.goal_columns = {"robot0_eef_pos", "object"}, .observation_keys = {}});
  EXPECT_EQ(read.columns().goals,
            (Names{"robot0_eef_pos_0", "robot0_eef_pos_1", "robot0_eef_pos_2", "object"}));
}

TEST_F(Hdf5, observations_in_one_dataset_are_read) {
  {
    Hdf5Builder file(path());
    file.counting("data/demo_3/actions", {2, 1});
    file.compressed("data/demo_3/obs", {2, 3}, {1, 2, 3, 4, 5, 3});
  }
  const Demonstrations read = read_demonstrations(path(), {.goal_columns = {"obs_2"}});
  EXPECT_EQ(read.columns(), (EpisodeColumns{{"obs_0", "obs_1", "obs_2"}, {"actions"}, {"obs_2"}}));
  EXPECT_EQ(read[0].observations.values(), (std::vector<double>{1, 2, 3, 4, 5, 3}));
  EXPECT_EQ(read_demonstrations(path(), {.goal_columns = {"obs_2"}, .observation_keys = {"obs"}}).columns(),
            read.columns());
}

TEST_F(Hdf5, names_of_columns_are_taken_from_attributes) {
  {
    Hdf5Builder file(path());
    file.counting("data/demo_0/actions", {2, 1});
    file.counting("data/demo_0/obs/pose", {2, 2});
    file.dataset<double>("data/demo_0/obs/goal", {2, 1}, {4, 4});
    file.attribute("data/demo_0/actions", "kedge_names", "force");
    file.text_list("data/demo_0/obs/pose", "kedge_names", {"x", "angle"});
    file.text_list("data", "kedge_goals", {"goal"});
  }
  EXPECT_EQ(read_demonstrations(path()).columns(),
            (EpisodeColumns{{"goal", "x", "angle"}, {"force"}, {"goal"}}));
}

TEST_F(Hdf5, a_file_of_minari_gives_its_episodes_without_their_last_observation) {
  {
    Hdf5Builder file(path());
    for (int e = 0; e < 12; ++e) {
      const std::string episode = "episode_" + std::to_string(e);
      file.dataset<float>(episode + "/actions", {2, 1}, {static_cast<float>(e), 1});
      file.dataset<double>(episode + "/observations", {3, 2}, {1, 7, 2, 7, 99, 99});
      file.dataset<double>(episode + "/rewards", {2}, {0, 0});
      file.attribute(episode, "total_steps", 2);
    }
  }
  const Demonstrations read = read_demonstrations(path(), {.goal_columns = {"observations_1"}});
  EXPECT_EQ(read.columns(),
            (EpisodeColumns{{"observations_0", "observations_1"}, {"actions"}, {"observations_1"}}));
  ASSERT_EQ(read.size(), 12);
  EXPECT_EQ(read[2].actions(0, 0), 2.0);
  EXPECT_EQ(read[11].actions(0, 0), 11.0);
  EXPECT_EQ(read[2].observations.values(), (std::vector<double>{1, 7, 2, 7}));
}

TEST_F(Hdf5, a_file_of_minari_may_hold_observations_in_groups_of_groups) {
  {
    Hdf5Builder file(path());
    file.counting("episode_0/actions", {2, 1});
    file.dataset<double>("episode_0/observations/achieved_goal/kettle", {3, 1}, {1, 2, 3});
    file.dataset<double>("episode_0/observations/desired_goal/kettle", {3, 2}, {5, 6, 5, 6, 5, 6});
    file.counting("episode_0/observations/observation", {3, 2});
  }
  const Demonstrations read = read_demonstrations(path(), {.goal_columns = {"desired_goal"}});
  EXPECT_EQ(read.columns().observations, (Names{"achieved_goal/kettle", "desired_goal/kettle_0",
                                                "desired_goal/kettle_1", "observation_0", "observation_1"}));
  EXPECT_EQ(read.columns().goals, (Names{"desired_goal/kettle_0", "desired_goal/kettle_1"}));
  EXPECT_EQ(read[0].observations.values(), (std::vector<double>{1, 5, 6, 0, 1, 2, 5, 6, 2, 3}));
  const Demonstrations chosen = read_demonstrations(
      path(), {.goal_columns = {"desired_goal/kettle"}, .observation_keys = {"observation", "desired_goal"}});
  EXPECT_EQ(chosen.columns().observations,
            (Names{"observation_0", "observation_1", "desired_goal/kettle_0", "desired_goal/kettle_1"}));
}

TEST_F(Hdf5, threads_may_read_and_write_at_once) {
  write_demonstrations(path(), some_demonstrations(), some_facts());
  std::vector<std::thread> threads;
  std::vector<int> equal(4, 0);
  for (size_t i = 0; i < equal.size(); ++i)
    threads.emplace_back([&, i] {
      for (int repeat = 0; repeat < 5; ++repeat) {
        const std::string own = path(std::to_string(i) + ".hdf5");
        write_demonstrations(own, read_demonstrations(path()), read_facts(path()));
        equal[i] += read_file(own, "test") == read_file(path(), "test") ? 1 : 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, std::vector<int>(4, 5));
}

herr_t count_reports(hid_t, void* count) {
  ++*static_cast<int*>(count);
  return 0;
}

TEST_F(Hdf5, libhdf5_reports_nothing_during_our_calls_and_as_before_afterwards) {
  int reports = 0;
  H5E_auto2_t before = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  H5Eset_auto2(H5E_DEFAULT, count_reports, &reports);
  Hdf5Builder(path()).counting("data/demo_0/actions", {2, 1});
  EXPECT_NE(error_text([&] { read_demonstrations(path()); }), "");
  std::filesystem::resize_file(path(), 600);
  testing::internal::CaptureStderr();
  EXPECT_NE(error_text([&] { read_demonstrations(path()); }), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(reports, 0);
  EXPECT_LT(H5Fopen(path().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), 0);
  EXPECT_EQ(reports, 1);
  H5Eset_auto2(H5E_DEFAULT, before, data);
}

}  // namespace
}  // namespace kedge
