#pragma once

// Layout: where a file of demonstrations has its episodes, and how it calls their parts.

#include "kedge/demonstrations/hdf5_file.h"

namespace kedge {

struct Hdf5Layout {
  Hdf5Object home;                    ///< holds the episodes and what is said of all of them
  std::vector<std::string> episodes;  ///< by number
  std::string observations;           ///< what each calls them
  size_t observations_after = 0;      ///< how many come after the last action
};

/// Throws Error, saying what there is, when the file has no layout that is known, or no episodes.
Hdf5Layout find_layout(const Hdf5File& file);

Hdf5Object open_episode(const Hdf5Layout& layout, const std::string& name);

/// What is at `path` below a group, or an Error that says what is there instead.
Hdf5Object open_part(const Hdf5Object& group, const std::string& path, const std::string& option = "");

/// Shown names, or "nothing".
std::string listed(const std::vector<std::string>& names);

}  // namespace kedge
