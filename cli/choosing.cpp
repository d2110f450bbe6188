#include "cli/choosing.h"

#include <cmath>

#include "cli/answers.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"

namespace kedge {
namespace {

/// Which shells a number is of.
enum class Of { inputs, outputs, all };

Json numbers(const ModelScore& score, Of of, const Estimate& estimate, double ShellScore::*number) {
  Json by_shell = Json::object();
  for (const ShellScore& shell : score.shells)
    if (of == Of::all || is_of_outputs(shell.shell) == (of == Of::outputs))
      by_shell[to_text(shell.shell)] = number_or_null(shell.*number);
  return {{"mean", number_or_null(estimate.mean)},
          {"sd", number_or_null(estimate.deviation)},
          {"by_shell", std::move(by_shell)}};
}

/// Of a model that is trained, what each shell's trial chose.
Json fourier_json(const ModelScore& score) {
  if (!find_model(score.model()).is_trained()) return nullptr;
  Json by_shell = Json::object();
  for (const ShellScore& shell : score.shells)
    by_shell[to_text(shell.shell)] =
        shell.failure.empty() ? Json(shell.fourier == Fourier::on ? "on" : "off") : Json();
  return {{"by_shell", std::move(by_shell)}};
}

}  // namespace

std::string tuned_words(const FitOptions& options) {
  std::string words;
  if (options.share < 1) words += fmt::format(", {:.0f} % of it over {}", 100 * options.share, options.base);
  if (options.anchors.rule != AnchorRule::none) words += ", anchors " + to_text(options.anchors);
  if (options.inside_anchors) words += ", inside " + to_text(*options.inside_anchors);
  if (!options.outward.is_none()) words += ", outward " + to_text(options.outward);
  return words;
}

const char* kind_of(Carries carries) {
  switch (carries) {
    case Carries::over:
      return "carries-over";
    case Carries::not_over:
      return "does-not-carry-over";
    case Carries::unexplained:
      return "explains-little";
    case Carries::unknown:
      return "unknown";
  }
  return "";
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
                               .threads = flags.threads});
  bar.clear();
  if (interrupt.requested()) throw Error("cv", "stopped before the end; nothing was written");
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

Json to_json(const ModelScore& score) {
  Json json{{"model", score.name()},
            {"in_support", numbers(score, Of::all, score.in, &ShellScore::in)},
            {"out_of_support", numbers(score, Of::inputs, score.out, &ShellScore::out)},
            {"rank_correlation", numbers(score, Of::inputs, score.rank, &ShellScore::rank)},
            {"beyond_outputs", numbers(score, Of::outputs, score.beyond, &ShellScore::out)},
            {"beyond_rank_correlation", numbers(score, Of::outputs, score.beyond_rank, &ShellScore::rank)},
            {"beyond_found", numbers(score, Of::outputs, score.found, &ShellScore::found)},
            {"anchors", to_text(score.options.anchors)},
            {"inside_anchors",
             score.options.inside_anchors ? Json(to_text(*score.options.inside_anchors)) : Json()},
            {"share", score.options.share},
            {"outward", to_text(score.options.outward)},
            {"carries", kind_of(carries(score))},
            {"fourier", fourier_json(score)}};
  json["failure"] = score.failure.empty() ? Json() : Json(score.failure);
  return json;
}

Json to_json(const Recommendation& recommendation) {
  return {{"model", recommendation.model},
          {"kind", kind_of(recommendation.carries)},
          {"extrapolates", recommendation.carries == Carries::over},
          {"reason", recommendation.reason}};
}

}  // namespace kedge
