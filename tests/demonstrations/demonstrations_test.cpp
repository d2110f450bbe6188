#include "kedge/demonstrations/demonstrations.h"

#include <gtest/gtest.h>

#include <limits>

#include "kedge/core/error.h"

namespace kedge {
namespace {

const EpisodeColumns columns = {
    .observations = {"place", "goal", "speed"}, .actions = {"push"}, .goals = {"goal"}};

/// Observations (number, goal, -number) and actions 10 number, for the numbers from `first` on.
Episode episode(size_t steps, double goal, double first = 0) {
  Episode result{Matrix<double>(steps, 3), Matrix<double>(steps, 1)};
  for (size_t t = 0; t < steps; ++t) {
    const double number = first + static_cast<double>(t);
    result.observations(t, 0) = number;
    result.observations(t, 1) = goal;
    result.observations(t, 2) = -number;
    result.actions(t, 0) = 10 * number;
  }
  return result;
}

template <class Call>
void expect_error(const Call& call, const std::vector<std::string>& parts) {
  try {
    call();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    for (const std::string& part : parts)
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

TEST(Demonstrations, what_was_added_is_there_in_order) {
  Demonstrations all(columns, "file");
  EXPECT_TRUE(all.empty());
  all.add(episode(3, 7));
  all.add(episode(3, 8));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].observations, episode(3, 8).observations);
  EXPECT_EQ(all[1].actions, episode(3, 8).actions);
  EXPECT_EQ(all.columns(), columns);
  EXPECT_EQ(all.source(), "file");
}

TEST(Demonstrations, goals_are_read_where_their_columns_stand) {
  Demonstrations all(columns, "file");
  all.add(episode(2, 7));
  all.add(episode(2, 8));
  EXPECT_EQ(all.goal_places(), std::vector<size_t>{1});
  EXPECT_EQ(all.goals(), Matrix<double>(2, 1, std::vector<double>{7, 8}));
}

TEST(Demonstrations, goals_keep_the_order_in_which_they_are_named) {
  Demonstrations all({.observations = {"a", "b", "c"}, .actions = {"push"}, .goals = {"c", "a"}}, "file");
  EXPECT_EQ(all.goal_places(), (std::vector<size_t>{2, 0}));
}

TEST(Demonstrations, columns_need_names_that_differ) {
  const auto make = [](EpisodeColumns wrong) { return [wrong] { Demonstrations(wrong, "file"); }; };
  EpisodeColumns wrong = columns;
  wrong.observations = {};
  expect_error(make(wrong), {"file", "observation", "none"});
  wrong = columns;
  wrong.actions = {};
  expect_error(make(wrong), {"file", "action", "none"});
  wrong = columns;
  wrong.goals = {};
  expect_error(make(wrong), {"file", "goal", "none"});
  wrong = columns;
  wrong.observations[2] = "";
  expect_error(make(wrong), {"file", "observation", "empty"});
  wrong = columns;
  wrong.observations[2] = "place";
  expect_error(make(wrong), {"file", "\"place\"", "twice"});
  wrong = columns;
  wrong.goals = {"goals"};
  expect_error(make(wrong), {"file", "\"goals\"", "place, goal, speed"});
}

TEST(Demonstrations, an_episode_has_as_many_observations_as_actions_and_at_least_one) {
  Demonstrations all(columns, "file");
  all.add(episode(2, 7));
  Episode wrong = episode(3, 7);
  wrong.actions = Matrix<double>(2, 1);
  expect_error([&] { all.add(wrong); }, {"file", "episode 1", "3 and 2"});
  expect_error([&] { all.add(episode(0, 7)); }, {"file", "episode 1", "0 and 0"});
  EXPECT_EQ(all.size(), 1u);
}

TEST(Demonstrations, an_episode_has_the_columns_that_are_named) {
  Demonstrations all(columns, "file");
  expect_error(
      [&] {
        all.add({Matrix<double>(2, 4), Matrix<double>(2, 1)});
      },
      {"episode 0", "found 4 and 1"});
  expect_error(
      [&] {
        all.add({Matrix<double>(2, 3), Matrix<double>(2, 2)});
      },
      {"episode 0", "found 3 and 2"});
}

TEST(Demonstrations, every_number_is_finite) {
  Demonstrations all(columns, "file");
  Episode wrong = episode(3, 7);
  wrong.observations(2, 0) = std::numeric_limits<double>::quiet_NaN();
  expect_error([&] { all.add(wrong); }, {"episode 0", "nan", "step 2", "\"place\""});
  wrong = episode(3, 7);
  wrong.actions(1, 0) = std::numeric_limits<double>::infinity();
  expect_error([&] { all.add(wrong); }, {"episode 0", "inf", "step 1", "\"push\""});
}

TEST(Demonstrations, a_goal_stays_the_same_over_an_episode) {
  Demonstrations all(columns, "file");
  Episode wrong = episode(3, 7);
  wrong.observations(2, 1) = std::nextafter(7.0, 8.0);
  expect_error([&] { all.add(wrong); }, {"episode 0", "\"goal\"", "step 2"});
}

TEST(Demonstrations, common_steps_need_episodes_of_one_length) {
  Demonstrations all(columns, "file");
  expect_error([&] { all.common_steps(); }, {"file", "none"});
  all.add(episode(4, 7));
  all.add(episode(4, 8));
  EXPECT_EQ(all.common_steps(), 4u);
  all.add(episode(6, 8));
  expect_error([&] { all.common_steps(); }, {"file", "from 4 to 6"});
}

TEST(Demonstrations, first_steps_are_the_first_rows_of_every_episode) {
  Demonstrations all(columns, "file");
  all.add(episode(4, 7));
  all.add(episode(6, 8));
  const Demonstrations first = all.first_steps(3);
  EXPECT_EQ(first.common_steps(), 3u);
  EXPECT_EQ(first[1].observations, episode(3, 8).observations);
  EXPECT_EQ(first[1].actions, episode(3, 8).actions);
  EXPECT_EQ(first.columns(), columns);
  expect_error([&] { all.first_steps(5); }, {"episode 0", "at least 5", "found 4"});
  expect_error([&] { all.first_steps(0); }, {"episode 0", "at least 1"});
}

TEST(Demonstrations, a_selection_has_the_named_episodes_in_the_order_of_the_names) {
  Demonstrations all(columns, "file");
  for (double goal : {5.0, 6.0, 7.0}) all.add(episode(2, goal));
  const Demonstrations some = all.select(std::vector<size_t>{2, 0, 2});
  EXPECT_EQ(some.goals(), Matrix<double>(3, 1, std::vector<double>{7, 5, 7}));
  EXPECT_EQ(some.goal_places(), all.goal_places());
}

}  // namespace
}  // namespace kedge
