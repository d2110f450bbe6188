#include "kedge/demonstrations/demonstrations.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/name_index.h"
#include "kedge/core/shown.h"

namespace kedge {
namespace {

void require_names(const std::vector<std::string>& names, const std::string& what,
                   const std::string& source) {
  if (names.empty())
    throw Error("demonstrations", fmt::format("{} needs at least one {} column; found none", source, what));
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (name.empty())
      throw Error("demonstrations",
                  fmt::format("{} needs a name for every {} column; one is empty", source, what));
    if (!seen.insert(name).second)
      throw Error("demonstrations",
                  fmt::format("{} needs different {} columns; {} comes twice", source, what, shown(name)));
  }
}

}  // namespace

Demonstrations::Demonstrations(EpisodeColumns columns, std::string source)
    : columns_(std::move(columns)), source_(std::move(source)) {
  require_names(columns_.observations, "observation", source_);
  require_names(columns_.actions, "action", source_);
  require_names(columns_.goals, "goal", source_);
  const NameIndex places(columns_.observations);
  for (const std::string& goal : columns_.goals) {
    const auto found = places.find(goal);
    if (!found)
      throw Error("demonstrations",
                  fmt::format("{}: goal columns need to be among the observations ({}); found {}", source_,
                              fmt::join(columns_.observations, ", "), shown(goal)),
                  "goal-columns");
    goal_places_.push_back(*found);
  }
}

void Demonstrations::add(Episode episode) {
  const size_t number = episodes_.size();
  const auto fault = [&](const std::string& what, const std::string& option = "") {
    throw Error("demonstrations", fmt::format("{}, episode {}: {}", source_, number, what), option);
  };
  if (episode.observations.rows() != episode.actions.rows() || episode.actions.rows() == 0)
    fault(fmt::format("needs as many observations as actions, at least one; found {} and {}",
                      episode.observations.rows(), episode.actions.rows()));
  if (episode.observations.cols() != columns_.observations.size() ||
      episode.actions.cols() != columns_.actions.size())
    fault(fmt::format("needs {} observation and {} action columns; found {} and {}",
                      columns_.observations.size(), columns_.actions.size(), episode.observations.cols(),
                      episode.actions.cols()));
  const auto require_finite = [&](const Matrix<double>& values, const std::vector<std::string>& names) {
    for (size_t t = 0; t < values.rows(); ++t)
      for (size_t c = 0; c < values.cols(); ++c)
        if (!std::isfinite(values(t, c)))
          fault(fmt::format("needs finite numbers; found {} at step {} of {}", values(t, c), t,
                            shown(names[c])));
  };
  require_finite(episode.observations, columns_.observations);
  require_finite(episode.actions, columns_.actions);
  for (size_t place : goal_places_)
    for (size_t t = 1; t < episode.steps(); ++t)
      if (episode.observations(t, place) != episode.observations(0, place))
        fault(fmt::format("a goal column needs one value over an episode; {} goes from {} to {} at step {}",
                          shown(columns_.observations[place]), episode.observations(0, place),
                          episode.observations(t, place), t),
              "goal-columns");
  episodes_.push_back(std::move(episode));
}

Matrix<double> Demonstrations::goals() const {
  Matrix<double> goals(size(), goal_places_.size());
  for (size_t e = 0; e < size(); ++e)
    for (size_t g = 0; g < goal_places_.size(); ++g)
      goals(e, g) = episodes_[e].observations(0, goal_places_[g]);
  return goals;
}

size_t Demonstrations::common_steps() const {
  if (empty())
    throw Error("demonstrations", fmt::format("{} needs at least one episode; found none", source_));
  const auto [least, most] =
      std::minmax_element(episodes_.begin(), episodes_.end(),
                          [](const Episode& a, const Episode& b) { return a.steps() < b.steps(); });
  if (least->steps() != most->steps())
    throw Error(
        "demonstrations",
        fmt::format("{} needs episodes of one length, because step t of an episode meets step t of its "
                    "anchor; found lengths from {} to {}; take the first steps of each only",
                    source_, least->steps(), most->steps()),
        "horizon");
  return least->steps();
}

Demonstrations Demonstrations::first_steps(size_t steps) const {
  Demonstrations result(columns_, source_);
  const auto top = [&](const Matrix<double>& m) {
    return Matrix<double>(steps, m.cols(), std::vector<double>(m.data(), m.data() + steps * m.cols()));
  };
  for (size_t e = 0; e < size(); ++e) {
    if (steps == 0 || episodes_[e].steps() < steps)
      throw Error("demonstrations",
                  fmt::format("{}, episode {}: needs at least {} steps; found {}", source_, e,
                              std::max<size_t>(steps, 1), episodes_[e].steps()),
                  "horizon");
    result.episodes_.push_back({top(episodes_[e].observations), top(episodes_[e].actions)});
  }
  return result;
}

Demonstrations Demonstrations::select(std::span<const size_t> episodes) const {
  Demonstrations result(columns_, source_);
  for (size_t e : episodes) result.episodes_.push_back(episodes_.at(e));
  return result;
}

}  // namespace kedge
