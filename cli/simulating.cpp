#include "cli/simulating.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cli/input.h"
#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/find_named.h"
#include "kedge/core/format.h"
#include "kedge/core/message_of.h"
#include "kedge/core/score.h"
#include "kedge/report/text.h"

namespace kedge {

ErrorSummary summary_of(const Rollouts& rollouts) {
  std::vector<size_t> all(rollouts.errors.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return summary_of(rollouts, all);
}

ErrorSummary summary_of(const Rollouts& rollouts, const std::vector<size_t>& episodes) {
  std::vector<double> errors;
  size_t asked = 0, held = 0;
  for (size_t e : episodes) {
    if (std::isfinite(rollouts.errors[e])) errors.push_back(rollouts.errors[e]);
    if (!rollouts.held[e]) continue;
    ++asked;
    held += *rollouts.held[e];
  }
  ErrorSummary summary{.episodes = episodes.size(), .broken = episodes.size() - errors.size()};
  if (asked > 0) summary.held = static_cast<double>(held) / static_cast<double>(asked);
  if (errors.empty()) {
    summary.mean = summary.deviation = summary.median = std::numeric_limits<double>::quiet_NaN();
    return summary;
  }
  summary.mean = mean(errors);
  summary.deviation = deviation(errors);
  std::sort(errors.begin(), errors.end());
  summary.median = (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
  return summary;
}

std::string error_text(const ErrorSummary& summary) {
  const std::string broken =
      summary.broken > 0 ? fmt::format("{} of {} broke down", summary.broken, summary.episodes) : "";
  if (summary.broken == summary.episodes) return broken;
  const std::string numbers = summary.episodes - summary.broken == 1
                                  ? rounded(summary.mean, 4)
                                  : rounded(summary.mean, 4) + " ± " + rounded(summary.deviation, 4);
  return broken.empty() ? numbers : numbers + ", " + broken;
}

std::string held_text(const ErrorSummary& summary) {
  return summary.held ? fmt::format("{:.0f} %", 100 * *summary.held) : "";
}

Json to_json(const ErrorSummary& summary) {
  return {{"episodes", summary.episodes},
          {"broken", summary.broken},
          {"mean_error", number_or_null(summary.mean)},
          {"sd_error", number_or_null(summary.deviation)},
          {"median_error", number_or_null(summary.median)},
          {"held", summary.held ? Json(*summary.held) : Json()}};
}

std::vector<Expert> experts_of(const SimulatedDomain& domain, const std::string& file) {
  if (file.empty()) return domain.experts;
  if (!domain.read_experts)
    throw Error("expert", fmt::format("a file of an expert needs a domain whose expert is searched for; that "
                                      "of {} is scripted; leave the file out",
                                      domain.name));
  const std::string text = read_file(file, "expert");
  try {
    return domain.read_experts(text);
  } catch (const Error& error) {
    throw Error("expert", fmt::format("{}: {}", one_line(file), message_of(error)));
  }
}

const Expert& find_expert(const std::vector<Expert>& experts, const std::string& name) {
  return name.empty() ? experts.front() : find_named(experts, name, "expert", "an expert");
}

Matrix<double> read_goals(const std::string& path, const SimulationSpec& simulation,
                          const std::string& verb) {
  const std::vector<std::string>& names = simulation.columns.goals;
  const Table table = read_table(path, {.text = {}, .only = names, .skip = {}}, names);
  require_finite(table, names, verb);
  return table.matrix(names);
}

Matrix<double> first_goals(Matrix<double> goals, std::optional<size_t> count, const std::string& source) {
  if (!count || *count == goals.rows()) return goals;
  if (*count > goals.rows())
    throw Error("goals",
                fmt::format("{} episodes need as many goals; {} has {}; ask for fewer, or for fresh "
                            "goals",
                            *count, source, goals.rows()),
                "episodes");
  return {*count, goals.cols(), std::vector<double>(goals.data(), goals.data() + *count * goals.cols())};
}

WatchedRollouts::WatchedRollouts(std::string command, size_t episodes, bool quiet, int threads)
    : command_(std::move(command)),
      bar_(command_, episodes, {.surface = quiet ? ProgressSurface::hidden : ProgressSurface::detect}),
      episodes_(episodes),
      threads_(threads) {}

Rollouts WatchedRollouts::run(const SimulationSpec& simulation, const ControllerMaker& controller,
                              MatrixView<const double> goals) {
  const auto progress = [&](size_t done, size_t) {
    bar_.update(done_ + done, episodes_, std::numeric_limits<double>::quiet_NaN());
    return !interrupt_.requested();
  };
  try {
    Rollouts result = roll_out(simulation, controller, goals, {.threads = threads_, .progress = progress});
    done_ += goals.rows();
    return result;
  } catch (const Error&) {
    if (!interrupt_.requested()) throw;
    bar_.clear();
    throw Error(command_, fmt::format("{} stopped before all episodes were run", command_));
  }
}

}  // namespace kedge
