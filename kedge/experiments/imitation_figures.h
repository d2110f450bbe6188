#pragma once

// What the figures of decision-making share.

#include <algorithm>
#include <string>
#include <vector>

#include "kedge/experiments/imitation_grid.h"
#include "kedge/report/panels.h"

namespace kedge {

/// The policy of a method in pictures: the default preset, first seed. Method 0 is the expert.
PolicySpec picture_spec(const std::string& domain, size_t method, const Extent& extent);

/// A figure made of policies. In a build without simulations there is nothing to draw.
Experiment policy_figure(std::string id, std::string title, std::vector<PolicySpec> (*specs)(const Extent&),
                         void (*fill)(const Extent&, const JobResults&, Result&));

/// A panel of one number over time for each of the first paths, by the path's goal.
template <class Numbers>
TimePanel panel_of(const std::string& title, const std::vector<EpisodePath>& paths, const Numbers& numbers) {
  constexpr size_t most_curves = 8;
  TimePanel panel{.title = title};
  for (size_t p = 0; p < std::min(most_curves, paths.size()); ++p) {
    panel.curves.push_back(numbers(paths[p]));
    panel.values.push_back(paths[p].goal.front());
  }
  return panel;
}

/// Policies whose training diverged: they have no episodes, and where none is left a picture is empty.
class Failures {
 public:
  void add(const std::string& policy, const PolicyScores& scores);
  void add_notes(Result& result) const;

 private:
  std::vector<std::string> notes_;
};

void add_charts(std::vector<Chart> charts, Result& result);

}  // namespace kedge
