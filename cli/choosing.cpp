#include "cli/choosing.h"

#include "cli/interrupt.h"
#include "cli/progress.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"

namespace kedge {
std::string tuned_words(const FitOptions& options) {
  std::string words;
  if (options.share < 1) words += fmt::format(", {:.0f} % of it over {}", 100 * options.share, options.base);
  if (options.anchors.rule != AnchorRule::none) words += ", anchors " + to_text(options.anchors);
  if (options.inside_anchors) words += ", inside " + to_text(*options.inside_anchors);
  if (!options.outward.is_none()) words += ", outward " + to_text(options.outward);
  return words;
}

namespace {

/// Calls `work` with a run that shows a progress bar and ends at a signal.
template <class Work>
auto watched(const FitFlags& flags, const Work& work) {
  const Interrupt interrupt;
  ProgressBar bar("cv", 0,
                  {.surface = flags.quiet ? ProgressSurface::hidden : ProgressSurface::detect,
                   .delay = shortest_watched});
  auto found = work(RunOptions{.progress =
                                   [&](const Progress& progress) {
                                     bar.update(progress);
                                     return !interrupt.requested();
                                   },
                               .threads = flags.threads,
                               .device = device_of(flags)});
  bar.clear();
  if (interrupt.requested())
    throw Error("cv", "stopped before the end; nothing was written" +
                          (flags.if_unsaved.empty() ? "" : "; " + flags.if_unsaved));
  return found;
}

}  // namespace

CrossValidation cross_validate_watched(const Table& table, const FitOptions& base,
                                       const CrossValidationOptions& options, const FitFlags& flags) {
  const CrossValidation found =
      watched(flags, [&](const RunOptions& run) { return cross_validate(table, base, options, run); });
  if (found.recommendation.carries == Carries::unknown)
    throw Error("cv", fmt::format("needs a model that can be fitted to {}; {}: {}", table.source(),
                                  found.models.front().name(), found.models.front().failure));
  return found;
}

std::vector<VariantScore> try_variants_watched(const Table& table, const CrossValidation& found,
                                               const CrossValidationOptions& options, const FitFlags& flags) {
  return watched(flags, [&](const RunOptions& run) { return try_variants(table, found, options, run); });
}

}  // namespace kedge
