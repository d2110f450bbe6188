#include "kedge/demonstrations/hdf5_layout.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "kedge/core/format.h"
#include "kedge/core/shown.h"

namespace kedge {
namespace {

/// Names like `demo_12`, by their number and not as text.
std::vector<std::string> numbered(const Hdf5Object& group, std::string_view prefix) {
  std::vector<std::pair<uint64_t, std::string>> found;
  for (const std::string& name : group.children()) {
    uint64_t number = 0;
    const char* end = name.data() + name.size();
    if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
    const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, number);
    if (error == std::errc() && stop == end) found.emplace_back(number, name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [number, name] : found) names.push_back(std::move(name));
  return names;
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  return names.empty() ? "nothing" : shown_list(names);
}

Hdf5Layout find_layout(const Hdf5File& file) {
  Hdf5Object root = file.root();
  if (std::vector<std::string> episodes = numbered(root, "episode_"); !episodes.empty())
    return {std::move(root), std::move(episodes), "observations", 1};
  if (!root.contains("data"))
    root.place().fail(
        fmt::format("needs demonstrations as /data/demo_0, ... (robomimic) or /episode_0, ... "
                    "(Minari); found {}",
                    listed(root.children())));
  Hdf5Object data = root.child("data");
  if (!data.is_group()) data.place().fail("needs a group of episodes demo_0, ...; found a dataset");
  std::vector<std::string> episodes = numbered(data, "demo_");
  if (episodes.empty())
    data.place().fail(
        fmt::format("needs at least one episode demo_0, ...; found {}", listed(data.children())));
  return {std::move(data), std::move(episodes), "obs", 0};
}

Hdf5Object open_episode(const Hdf5Layout& layout, const std::string& name) {
  Hdf5Object episode = layout.home.child(name);
  if (!episode.is_group()) episode.place().fail("needs a group; found a dataset");
  return episode;
}

Hdf5Object open_part(const Hdf5Object& group, const std::string& path, const std::string& option) {
  const std::string name = path.substr(0, path.find('/'));
  if (!group.is_group())
    group.place().fail(fmt::format("needs a group with {}; found a dataset", shown(name)));
  if (!group.contains(name))
    group.place().fail(fmt::format("needs {}; there are {}", shown(name), listed(group.children())), option);
  Hdf5Object part = group.child(name);
  return name == path ? std::move(part) : open_part(part, path.substr(name.size() + 1), option);
}

}  // namespace kedge
