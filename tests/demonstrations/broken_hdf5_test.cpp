// Every way in which a file of demonstrations can be wrong is one clear line, and never a crash.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <optional>

#include "../table/broken_files.h"
#include "hdf5_files.h"
#include "kedge/core/files.h"
#include "kedge/demonstrations/hdf5.h"

namespace kedge {
namespace {

class BrokenHdf5 : public Hdf5Files {
 protected:
  /// Two good episodes of robomimic's kind, for tests that add what is wrong.
  void good(Hdf5Builder& file, int episodes = 2) {
    for (int e = 0; e < episodes; ++e) {
      const std::string demo = "data/demo_" + std::to_string(e);
      file.counting(demo + "/actions", {4, 2});
      file.counting(demo + "/obs/pose", {4, 3});
      file.dataset<double>(demo + "/obs/goal", {4, 1}, {1, 1, 1, 1});
    }
  }

  /// Reads what `make` builds, and expects an Error of one line that begins with the file and ends with
  /// `text`.
  template <class Make>
  void expect_error(Make make, const std::string& text, const ReadDemonstrations& options = {{"goal"}, {}},
                    const std::string& option = "") {
    {
      Hdf5Builder file(path());
      make(file);
    }
    expect_error_of_file(text, options, option);
  }

  void expect_error_of_file(const std::string& text, const ReadDemonstrations& options = {{"goal"}, {}},
                            const std::string& option = "") {
    try {
      read_demonstrations(path(), options);
      ADD_FAILURE() << "no error, expected: " << text;
    } catch (const Error& error) {
      std::string expected = "[demonstrations] " + path();
      expected += text;
      const std::string found = std::string(error.what()).substr(0, expected.size());
      EXPECT_EQ(found, expected) << error.what();
      EXPECT_EQ(error.option(), option);
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
};

TEST_F(BrokenHdf5, what_is_no_hdf5_file_is_said_to_be_none) {
  expect_error_of_file(": there is no such file");
  std::ofstream(path()) << "x,y\n1,2\n";
  expect_error_of_file(": needs an HDF5 file; found other content");
  std::ofstream(path(), std::ios::trunc).close();
  expect_error_of_file(": needs an HDF5 file; found other content");
  std::filesystem::remove(path());
  std::filesystem::create_directory(path());
  expect_error_of_file(": needs a file; found a folder");
}

TEST_F(BrokenHdf5, a_cut_file_is_said_to_be_cut) {
  good(*std::make_unique<Hdf5Builder>(path()));
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) - 1);
  expect_error_of_file(
      ": this HDF5 file cannot be opened: it is cut or damaged, or in use; libhdf5 says: truncated file");
}

TEST_F(BrokenHdf5, other_layouts_are_named_by_what_they_hold) {
  expect_error(
      [](Hdf5Builder& file) {
        file.counting("observations", {4, 2});
        file.group("infos");
      },
      ": needs demonstrations as /data/demo_0, ... (robomimic) or /episode_0, ... (Minari); found \"infos\", "
      "\"observations\"");
  expect_error([](Hdf5Builder&) {},
               ": needs demonstrations as /data/demo_0, ... (robomimic) or /episode_0, ... "
               "(Minari); found nothing");
  expect_error(
      [](Hdf5Builder& file) {
        file.counting("data", {4, 2});
      },
      ", data: needs a group of episodes demo_0, ...; found a dataset");
}

TEST_F(BrokenHdf5, no_episodes_are_an_error) {
  expect_error([](Hdf5Builder& file) { file.group("data/demo_x"); },
               ", data: needs at least one episode demo_0, ...; found \"demo_x\"");
}

TEST_F(BrokenHdf5, an_episode_that_is_no_group_is_an_error) {
  expect_error(
      [](Hdf5Builder& file) {
        file.counting("data/demo_0", {4, 2});
      },
      ", data/demo_0: needs a group; found a dataset");
}

TEST_F(BrokenHdf5, missing_actions_or_observations_are_named) {
  expect_error(
      [](Hdf5Builder& file) {
        file.counting("data/demo_0/obs/pose", {4, 3});
      },
      ", data/demo_0: needs \"actions\"; there are \"obs\"");
  expect_error(
      [](Hdf5Builder& file) {
        file.counting("data/demo_0/actions", {4, 3});
      },
      ", data/demo_0: needs \"obs\"; there are \"actions\"");
  expect_error(
      [&](Hdf5Builder& file) {
        good(file);
        file.counting("data/demo_2/obs/pose", {4, 3});
      },
      ", data/demo_2: needs \"actions\"; there are \"obs\"");
  expect_error(
      [&](Hdf5Builder& file) {
        good(file);
        file.group("data/demo_2/actions");
        file.counting("data/demo_2/obs/pose", {4, 3});
      },
      ", data/demo_2/actions: needs a dataset; found a group");
}

TEST_F(BrokenHdf5, a_missing_key_is_named_with_those_there_are) {
  expect_error([&](Hdf5Builder& file) { good(file); },
               ", data/demo_0/obs: needs the key \"image\"; there are \"goal\", \"pose\"",
               {{"goal"}, {"image"}}, "obs-keys");
  expect_error(
      [&](Hdf5Builder& file) {
        good(file);
        file.counting("data/demo_2/actions", {4, 2});
        file.dataset<double>("data/demo_2/obs/goal", {4, 1}, {1, 1, 1, 1});
      },
      ", data/demo_2/obs: needs \"pose\"; there are \"goal\"", {{"goal"}, {}}, "obs-keys");
}

TEST_F(BrokenHdf5, observations_and_actions_of_different_length_are_an_error) {
  const auto other = [&](const std::string& demo, hsize_t observations) {
    return [=, this](Hdf5Builder& file) {
      good(file);
      file.counting(demo + "/actions", {4, 2});
      file.counting(demo + "/obs/pose", {observations, 3});
      file.dataset<double>(demo + "/obs/goal", {4, 1}, {1, 1, 1, 1});
    };
  };
  expect_error(other("data/demo_2", 5), ", data/demo_2/obs/pose: needs 4 rows, as many as actions; found 5");
  expect_error(other("data/demo_2", 3), ", data/demo_2/obs/pose: needs 4 rows, as many as actions; found 3");
  expect_error(
      [](Hdf5Builder& file) {
        file.counting("episode_0/actions", {4, 2});
        file.counting("episode_0/observations", {4, 2});
      },
      ", episode_0/observations: needs 5 rows, as many as actions and one more; found 4",
      {{"observations_0"}, {}});
}

TEST_F(BrokenHdf5, an_episode_without_steps_is_an_error) {
  expect_error(
      [](Hdf5Builder& file) {
        file.counting("episode_0/actions", {0, 2});
        file.counting("episode_0/observations", {1, 2});
      },
      ", episode_0/actions: needs at least one step and one column; found none", {{"observations_0"}, {}});
}

TEST_F(BrokenHdf5, episodes_of_different_width_are_an_error) {
  expect_error(
      [&](Hdf5Builder& file) {
        good(file);
        file.counting("data/demo_2/actions", {4, 3});
        file.counting("data/demo_2/obs/pose", {4, 3});
      },
      ", data/demo_2/actions: needs 2 columns, as in the first episode; found 3");
}

TEST_F(BrokenHdf5, images_are_named_and_can_be_left_out) {
  const auto with_image = [&](Hdf5Builder& file) {
    good(file, 1);
    file.counting("data/demo_0/obs/camera", {4, 2, 2, 3});
  };
  expect_error(
      with_image,
      ", data/demo_0/obs/camera: needs a shape of [steps] or [steps, width]; found 4 dimensions [4, 2, 2, "
      "3], as images have; name the keys to read, without this one",
      {{"goal"}, {}}, "obs-keys");
  EXPECT_EQ(read_demonstrations(path(), {{"goal"}, {"pose", "goal"}}).size(), 1);
  expect_error([](Hdf5Builder& file) { file.counting("data/demo_0/actions", {}); },
               ", data/demo_0/actions: needs a shape of [steps] or [steps, width]; found 0 dimensions []");
}

TEST_F(BrokenHdf5, text_instead_of_numbers_is_an_error) {
  expect_error(
      [&](Hdf5Builder& file) {
        good(file);
        file.texts("data/demo_0/obs/task", {"push", "push", "push", "push"});
      },
      ", data/demo_0/obs/task: needs numbers; found text", {{"goal"}, {}}, "obs-keys");
  expect_error(
      [](Hdf5Builder& file) {
        file.texts("data/demo_0/actions", {"push"});
        file.counting("data/demo_0/obs/goal", {1, 1});
      },
      ", data/demo_0/actions: needs numbers; found text");
}

TEST_F(BrokenHdf5, numbers_that_are_not_finite_are_named_by_their_place) {
  expect_error(
      [&](Hdf5Builder& file) {
        good(file);
        file.counting("data/demo_2/actions", {4, 2});
        file.dataset<float>("data/demo_2/obs/pose", {4, 3}, {0, 0, 0, 0, 0, NAN, 0, 0, 0, 0, 0, 0});
      },
      ", data/demo_2/obs/pose: needs finite numbers; found nan at step 1, column 2",
      {{"goal"}, {"pose", "goal"}});
}

TEST_F(BrokenHdf5, goal_columns_must_be_given_and_be_there) {
  expect_error([&](Hdf5Builder& file) { good(file); },
               ", data: needs goal columns; none were named, and the file names none; name some of \"goal\", "
               "\"pose_0\", \"pose_1\", \"pose_2\"",
               {}, "goal-columns");
  expect_error(
      [&](Hdf5Builder& file) { good(file); },
      ", data: goal columns need to be among the columns that are read (\"goal\", \"pose_0\", \"pose_1\", "
      "\"pose_2\"); found \"gaol\"",
      {{"gaol"}, {}}, "goal-columns");
  expect_error([&](Hdf5Builder& file) { good(file); },
               ", data: goal columns need to be among the columns that are read (\"pose_0\", \"pose_1\", "
               "\"pose_2\"); found \"goal\"",
               {{"goal"}, {"pose"}}, "goal-columns");
}

TEST_F(BrokenHdf5, a_goal_that_changes_within_an_episode_is_an_error) {
  expect_error(
      [&](Hdf5Builder& file) { good(file); },
      ", episode 0: a goal column needs one value over an episode; \"pose_1\" goes from 1 to 4 at step 1",
      {{"pose_1"}, {}}, "goal-columns");
}

TEST_F(BrokenHdf5, names_that_do_not_fit_their_columns_are_an_error) {
  expect_error(
      [&](Hdf5Builder& file) {
        good(file);
        file.text_list("data/demo_0/obs/pose", "kedge_names", {"x", "y"});
      },
      ", data/demo_0/obs/pose: needs 3 names in its attribute \"kedge_names\", one for each column; found 2");
  expect_error(
      [&](Hdf5Builder& file) {
        good(file);
        file.attribute("data/demo_0/obs/pose", "kedge_names", 3);
      },
      ", data/demo_0/obs/pose: its attribute \"kedge_names\" needs text; found another kind of value");
  expect_error(
      [&](Hdf5Builder& file) {
        good(file);
        file.text_list("data", "kedge_observations", {"goal", "pose_0", "pose_1", "pose_3"});
      },
      ", data: its attribute \"kedge_observations\" needs the columns that there are (\"goal\", \"pose_0\", "
      "\"pose_1\", \"pose_2\"); found \"goal\", \"pose_0\", \"pose_1\", \"pose_3\"");
  expect_error(
      [&](Hdf5Builder& file) {
        good(file);
        file.text_list("data/demo_0/obs/pose", "kedge_names", {"goal", "goal", "y"});
      },
      " needs different observation columns; \"goal\" comes twice");
}

TEST_F(BrokenHdf5, names_of_free_length_are_an_error) {
  expect_error(
      [&](Hdf5Builder& file) {
        good(file);
        file.free_text("data/demo_0/obs/goal", "kedge_names", "aim");
      },
      ", data/demo_0/obs/goal: its attribute \"kedge_names\" needs text of fixed length; found text of free "
      "length");
}

TEST_F(BrokenHdf5, facts_of_another_kind_are_an_error) {
  {
    Hdf5Builder file(path());
    good(file);
    file.attribute("data", "kedge_seed", "three");
  }
  EXPECT_EQ(error_text([&] { read_facts(path()); }),
            "[demonstrations] " + path() +
                ", data: its attribute \"kedge_seed\" needs one number; found another kind of value");
}

TEST_F(BrokenHdf5, a_broken_link_and_a_group_in_itself_are_errors) {
  expect_error(
      [&](Hdf5Builder& file) {
        good(file);
        H5Lcreate_soft("/nowhere", file.file(), "data/demo_0/obs/lost", H5P_DEFAULT, H5P_DEFAULT);
      },
      ", data/demo_0/obs/lost: cannot be opened: the file is damaged, or this is a broken link");
  expect_error(
      [&](Hdf5Builder& file) {
        good(file);
        H5Lcreate_hard(file.file(), "data/demo_0/obs", file.file(), "data/demo_0/obs/again", H5P_DEFAULT,
                       H5P_DEFAULT);
      },
      ", data/demo_0/obs/again/again");
}

TEST_F(BrokenHdf5, a_dataset_that_declares_more_than_the_file_could_hold_allocates_nothing) {
  expect_error(
      [&](Hdf5Builder& file) {
        good(file, 1);
        // In chunks that are never written, a dataset of any size takes no room.
        const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
        const hsize_t chunk[] = {1024, 1}, shape[] = {hsize_t{1} << 60, 1};
        H5Pset_chunk(properties, 2, chunk);
        const hid_t space = H5Screate_simple(2, shape, nullptr);
        H5Dclose(H5Dcreate2(file.file(), "data/demo_0/obs/wide", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                            properties, H5P_DEFAULT));
        H5Sclose(space);
        H5Pclose(properties);
      },
      ", data/demo_0/obs/wide: says that it holds 1152921504606846976 numbers; stored are 0 bytes: the file "
      "is "
      "damaged");
}

TEST_F(BrokenHdf5, a_row_of_more_columns_than_the_file_could_hold_is_an_error) {
  expect_error(
      [&](Hdf5Builder& file) {
        const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
        const hsize_t chunk[] = {1, 1024}, shape[] = {1, hsize_t{1} << 40};
        H5Pset_chunk(properties, 2, chunk);
        const hid_t space = H5Screate_simple(2, shape, nullptr);
        file.group("data/demo_0/obs");
        H5Dclose(H5Dcreate2(file.file(), "data/demo_0/actions", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                            properties, H5P_DEFAULT));
        H5Sclose(space);
        H5Pclose(properties);
      },
      ", data/demo_0/actions: says that it holds 1099511627776 numbers; stored are 0 bytes: the file is "
      "damaged");
}

TEST_F(BrokenHdf5, chunks_larger_than_their_dataset_are_an_error) {
  {
    Hdf5Builder file(path());
    good(file, 1);
    file.compressed("data/demo_0/obs/packed", {4, 7}, std::vector<double>(28, 0.5));
  }
  // The layout of the dataset: chunks of 2 rows, 7 columns, 8 bytes.
  std::string bytes = read_file(path(), "test");
  const size_t place = bytes.find(std::string("\2\0\0\0\7\0\0\0\10\0\0\0", 12));
  ASSERT_NE(place, std::string::npos);
  bytes[place + 6] = '\x80';
  std::ofstream(path(), std::ios::binary) << bytes;
  expect_error_of_file(", data/demo_0/obs/packed: its chunks are of no possible size: the file is damaged");
}

/// Reads a file and its facts; what is wrong with it is an Error, anything else gets through.
bool is_read(const std::string& path) {
  return error_text([&] {
           read_facts(path);
           read_demonstrations(path, {{"goal"}, {}});
         }) == "";
}

class DamagedHdf5 : public BrokenHdf5 {
 protected:
  /// The bytes of a file of ours, which has checksums, and of one that has none.
  std::vector<std::string> whole_files() {
    Demonstrations own({{"x", "goal"}, {"a"}, {"goal"}}, "made");
    for (int e = 0; e < 3; ++e) own.add({Matrix<double>(4, 2, 0.5), Matrix<double>(4, 1, 1.0)});
    write_demonstrations(path(), own,
                         {.domain = "push", .seed = 1, .errors = {1, 2, 3}, .held = {true, {}, false}});
    std::vector<std::string> files{read_file(path(), "test")};
    {
      Hdf5Builder file(path());
      good(file);
      file.compressed("data/demo_0/obs/packed", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
      file.compressed("data/demo_1/obs/packed", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
      file.text_list("data", "kedge_domain", {"push"});
    }
    files.push_back(read_file(path(), "test"));
    return files;
  }

  bool reads(const std::string& bytes) {
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << bytes;
    return is_read(path());
  }
};

TEST_F(DamagedHdf5, a_file_cut_anywhere_is_an_error) {
  for (const std::string& whole : whole_files()) {
    EXPECT_TRUE(reads(whole));
    for (size_t cut = 0; cut < 50; ++cut)
      EXPECT_FALSE(reads(whole.substr(0, whole.size() * cut / 50))) << cut;
    EXPECT_FALSE(reads(whole.substr(0, whole.size() - 1)));
  }
}

TEST_F(DamagedHdf5, a_file_with_a_changed_byte_is_an_error_or_is_read) {
  for (const std::string& whole : whole_files()) {
    size_t errors = 0;
    for (size_t flip = 0; flip < 200; ++flip) {
      std::string damaged = whole;
      // Times a prime, so that flips spread over places of every kind.
      damaged[flip * 7919 % whole.size()] ^= static_cast<char>(1 << (flip % 8));
      errors += reads(damaged) ? 0 : 1;
    }
    EXPECT_GT(errors, 5);
  }
}

}  // namespace
}  // namespace kedge
