#pragma once

// find_named: the one of a list that has a name, or an Error that lists the names there are.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/core/error.h"
#include "kedge/core/nearest_name.h"
#include "kedge/core/shown.h"

namespace kedge {

/// The entry of `list` that is called `name`. Throws Error(`verb`); `what` is what it asks for ("a model").
/// `name_of` tells the name of an entry.
template <class Entry, class NameOf = std::string Entry::*>
const Entry& find_named(const std::vector<Entry>& list, std::string_view name, const std::string& verb,
                        const std::string& what, NameOf name_of = &Entry::name) {
  std::vector<std::string> names;
  std::string listed;
  for (const Entry& entry : list) {
    if (std::invoke(name_of, entry) == name) return entry;
    names.push_back(std::invoke(name_of, entry));
    listed += (listed.empty() ? "" : ", ") + names.back();
  }
  throw Error(verb, "needs the name of " + what + "; found " + shown(name) + "; " +
                        did_you_mean(name, names, "take one of " + listed));
}

}  // namespace kedge
