// What a file of demonstrations says of itself.

#include "kedge/demonstrations/hdf5.h"
#include "kedge/demonstrations/hdf5_layout.h"

namespace kedge {

DemonstrationFacts read_facts(const std::string& path) {
  const Hdf5File file(path);
  const Hdf5Layout layout = find_layout(file);
  const auto text = [&](const std::string& name) {
    const auto texts = layout.home.texts(name);
    return texts && !texts->empty() ? texts->front() : "";
  };
  DemonstrationFacts facts{.domain = text("kedge_domain"),
                           .expert = text("kedge_expert"),
                           .split = text("kedge_split"),
                           .command = text("kedge_command"),
                           .version = text("kedge_version"),
                           .seed = layout.home.whole_number("kedge_seed")};
  bool any_held = false;
  for (const std::string& name : layout.episodes) {
    const Hdf5Object episode = open_episode(layout, name);
    if (const auto error = episode.number("kedge_error")) facts.errors.push_back(*error);
    const auto held = episode.whole_number("kedge_held");
    facts.held.push_back(held ? std::optional(*held != 0) : std::nullopt);
    any_held = any_held || held;
  }
  if (!any_held) facts.held.clear();
  if (!facts.errors.empty() && facts.errors.size() != layout.episodes.size())
    layout.home.place().fail("needs \"kedge_error\" at every episode, or at none");
  return facts;
}

}  // namespace kedge
