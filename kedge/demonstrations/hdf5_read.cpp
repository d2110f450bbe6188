// Demonstrations as robomimic and Minari keep them.

#include <algorithm>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"
#include "kedge/demonstrations/hdf5.h"
#include "kedge/demonstrations/hdf5_layout.h"

namespace kedge {
namespace {

/// Groups in groups; a damaged file may hold a group in itself.
constexpr int deepest_group = 16;

/// One dataset of observations or actions.
struct Key {
  std::string name;  ///< its path below the group of its kind, or the name of the whole
  std::string path;  ///< below an episode
  std::vector<std::string> columns;
};

struct Block {
  size_t rows = 0, cols = 0;
  std::vector<double> values;
};

/// The names of all datasets below, with '/' between.
void collect(const Hdf5Object& object, const std::string& name, int depth, std::vector<std::string>& names) {
  if (object.is_dataset()) {
    names.push_back(name);
  } else if (!object.is_group() || depth == 0) {
    object.place().fail("needs a dataset or a few groups of them; found another thing");
  } else {
    for (const std::string& child : object.children())
      collect(object.child(child), name.empty() ? child : name + "/" + child, depth - 1, names);
  }
}

std::vector<std::string> column_names(const Hdf5Object& dataset, const std::string& key, size_t width) {
  if (auto names = dataset.texts("kedge_names")) {
    if (names->size() != width)
      dataset.place().fail(
          fmt::format("needs {} names in its attribute \"kedge_names\", one for each column; "
                      "found {}",
                      width, names->size()));
    return *names;
  }
  if (width == 1) return {key};
  std::vector<std::string> names;
  for (size_t c = 0; c < width; ++c) names.push_back(fmt::format("{}_{}", key, c));
  return names;
}

/// Rows and columns of a dataset that holds a row of numbers for each step.
std::pair<size_t, size_t> table_shape(const Hdf5Object& dataset, const std::string& option) {
  const std::string which = option.empty() ? "" : "; name the keys to read, without this one";
  if (!dataset.is_dataset()) dataset.place().fail("needs a dataset; found a group");
  const std::vector<size_t> shape = dataset.shape();
  if (shape.empty() || shape.size() > 2)
    dataset.place().fail(
        fmt::format("needs a shape of [steps] or [steps, width]; found {} dimensions [{}]{}{}", shape.size(),
                    fmt::join(shape, ", "), shape.size() > 2 ? ", as images have" : "", which),
        option);
  if (!dataset.holds_numbers())
    dataset.place().fail("needs numbers; found text or another kind of value" + which, option);
  if (dataset.count() == 0) dataset.place().fail("needs at least one step and one column; found none");
  return {shape[0], shape.size() == 2 ? shape[1] : 1};
}

/// `option` names what chooses among these keys; none for actions.
std::vector<Key> find_keys(const Hdf5Object& episode, const std::string& part,
                           const std::vector<std::string>& wanted, const std::string& option) {
  const Hdf5Object whole = open_part(episode, part);
  std::vector<std::string> there;
  collect(whole, "", deepest_group, there);
  std::vector<std::string> chosen = wanted.empty() ? there : std::vector<std::string>();
  for (const std::string& want : wanted) {
    const size_t before = chosen.size();
    for (const std::string& name : there)
      if (name == want || name.starts_with(want + "/") || (name.empty() && want == part))
        chosen.push_back(name);
    if (chosen.size() == before)
      whole.place().fail(fmt::format("needs the key {}; there are {}", shown(want),
                                     whole.is_dataset() ? shown(part) : listed(there)),
                         option);
  }
  std::vector<Key> keys;
  for (const std::string& name : chosen) {
    Key key{name.empty() ? part : name, name.empty() ? part : part + "/" + name, {}};
    const Hdf5Object dataset = episode.child(key.path);
    key.columns = column_names(dataset, key.name, table_shape(dataset, option).second);
    keys.push_back(std::move(key));
  }
  return keys;
}

Block read_block(const Hdf5Object& dataset, const std::string& option) {
  const auto [rows, cols] = table_shape(dataset, option);
  Block block{rows, cols, dataset.numbers()};
  for (size_t i = 0; i < block.values.size(); ++i)
    if (!std::isfinite(block.values[i]))
      dataset.place().fail(fmt::format("needs finite numbers; found {} at step {}, column {}",
                                       block.values[i], i / cols, i % cols));
  return block;
}

/// The columns of all keys, side by side; `surplus` rows at the end are left out.
Matrix<double> read_rows(const Hdf5Object& episode, const std::vector<Key>& keys, size_t steps,
                         size_t surplus, const std::string& option) {
  size_t width = 0;
  for (const Key& key : keys) width += key.columns.size();
  Matrix<double> rows;
  size_t at = 0;
  for (const Key& key : keys) {
    const Hdf5Object dataset = open_part(episode, key.path, option);
    const Block block = read_block(dataset, option);
    if (block.cols != key.columns.size())
      dataset.place().fail(
          fmt::format("needs {} columns, as in the first episode; found {}", key.columns.size(), block.cols));
    if (block.rows != steps + surplus)
      dataset.place().fail(fmt::format("needs {} rows, as many as actions{}; found {}", steps + surplus,
                                       surplus == 0 ? "" : " and one more", block.rows));
    // Not before: in a damaged file the steps may be any number.
    if (at == 0) rows = Matrix<double>(steps, width);
    for (size_t t = 0; t < steps; ++t)
      std::copy_n(block.values.begin() + static_cast<std::ptrdiff_t>(t * block.cols), block.cols,
                  rows.row(t).begin() + static_cast<std::ptrdiff_t>(at));
    at += block.cols;
  }
  return rows;
}

std::vector<std::string> all_columns(const std::vector<Key>& keys) {
  std::vector<std::string> names;
  for (const Key& key : keys) names.insert(names.end(), key.columns.begin(), key.columns.end());
  return names;
}

/// Where each column of the result stands among the columns as they are read.
std::vector<size_t> column_order(const Hdf5Layout& layout, const std::vector<std::string>& read,
                                 const ReadDemonstrations& options) {
  std::vector<size_t> order(read.size());
  for (size_t c = 0; c < read.size(); ++c) order[c] = c;
  const auto names = layout.home.texts("kedge_observations");
  if (!names || !options.observation_keys.empty()) return order;
  if (!std::is_permutation(names->begin(), names->end(), read.begin(), read.end()))
    layout.home.place().fail(
        fmt::format("its attribute \"kedge_observations\" needs the columns that there "
                    "are ({}); found {}",
                    listed(read), listed(*names)));
  for (size_t c = 0; c < read.size(); ++c)
    order[c] = static_cast<size_t>(std::find(read.begin(), read.end(), (*names)[c]) - read.begin());
  return order;
}

std::vector<std::string> find_goals(const Hdf5Layout& layout, const std::vector<Key>& keys,
                                    const ReadDemonstrations& options) {
  const std::vector<std::string> columns = all_columns(keys);
  std::vector<std::string> wanted = options.goal_columns, goals;
  if (wanted.empty()) wanted = layout.home.texts("kedge_goals").value_or(wanted);
  if (wanted.empty())
    layout.home.place().fail(fmt::format("needs goal columns; none were named, and the file names none; name "
                                         "some of {}",
                                         listed(columns)),
                             "goal-columns");
  for (const std::string& want : wanted) {
    const size_t before = goals.size();
    if (std::find(columns.begin(), columns.end(), want) != columns.end()) {
      goals.push_back(want);
      continue;
    }
    for (const Key& key : keys)
      if (key.name == want || key.name.starts_with(want + "/"))
        goals.insert(goals.end(), key.columns.begin(), key.columns.end());
    if (goals.size() == before)
      layout.home.place().fail(
          fmt::format("goal columns need to be among the columns that are read ({}); found {}",
                      listed(columns), shown(want)),
          "goal-columns");
  }
  return goals;
}

Matrix<double> reordered(const Matrix<double>& values, const std::vector<size_t>& order) {
  Matrix<double> result(values.rows(), values.cols());
  for (size_t t = 0; t < values.rows(); ++t)
    for (size_t c = 0; c < order.size(); ++c) result(t, c) = values(t, order[c]);
  return result;
}

}  // namespace

void require_hdf5(const std::string&) {}

Demonstrations read_demonstrations(const std::string& path, const ReadDemonstrations& options) {
  const std::string choice = "obs-keys";
  const Hdf5File file(path);
  const Hdf5Layout layout = find_layout(file);
  const Hdf5Object first = open_episode(layout, layout.episodes.front());
  const std::vector<Key> action_keys = find_keys(first, "actions", {}, "");
  const std::vector<Key> keys = find_keys(first, layout.observations, options.observation_keys, choice);
  const std::vector<std::string> read = all_columns(keys);
  const std::vector<size_t> order = column_order(layout, read, options);
  EpisodeColumns columns{{}, all_columns(action_keys), find_goals(layout, keys, options)};
  for (size_t place : order) columns.observations.push_back(read[place]);
  Demonstrations demonstrations(std::move(columns), one_line(path));
  for (const std::string& name : layout.episodes) {
    const Hdf5Object episode = open_episode(layout, name);
    const size_t steps = table_shape(open_part(episode, action_keys.front().path), "").first;
    Matrix<double> actions = read_rows(episode, action_keys, steps, 0, "");
    const Matrix<double> observed = read_rows(episode, keys, steps, layout.observations_after, choice);
    demonstrations.add({reordered(observed, order), std::move(actions)});
  }
  return demonstrations;
}

}  // namespace kedge
