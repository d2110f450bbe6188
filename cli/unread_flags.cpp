#include "cli/unread_flags.h"

#include <utility>
#include <vector>

#include "kedge/core/format.h"
#include "kedge/models/models.h"

namespace kedge {
namespace {

/// Wrong usage when one of the flags is given; `why` goes on after its name.
void refuse_given(const std::vector<std::pair<const char*, bool>>& flags, const std::string& why) {
  for (const auto& [flag, is_given] : flags)
    if (is_given) wrong_usage(fmt::format("{} {}; leave it out", flag, why));
}

}  // namespace

void refuse_network_flags(const FitFlags& flags, const std::string& model) {
  refuse_given({{"--steps", flags.steps.has_value()},
                {"--budget", !flags.budget.empty()},
                {"--validation", !flags.validation.empty()},
                {"--epochs", flags.epochs.has_value()},
                {"--batch", flags.batch.has_value()},
                {"--learning-rate", flags.learning_rate.has_value()},
                {"--weight-decay", flags.weight_decay.has_value()},
                {"--schedule", !flags.schedule.empty()},
                {"--loss", !flags.loss.empty()},
                {"--layers", flags.layers.has_value()},
                {"--width", flags.width.has_value()},
                {"--embedding", flags.embedding.has_value()},
                {"--fourier", !flags.fourier.empty()},
                {"--replicas", flags.replicas.has_value()},
                {"--device cuda", device_of(flags) == Device::cuda}},
               fmt::format("is for models that are trained; {} has a closed form", model));
}

void refuse_anchor_flags(const FitFlags& flags, const std::string& model) {
  refuse_given({{"--anchors", !flags.anchors.empty()},
                {"--inside-anchors", !flags.inside_anchors.empty()},
                {"--pool", flags.pool.has_value()}},
               fmt::format("is for models that search an anchor; {} does not", model));
}

void refuse_unread_flags(const FitFlags& flags, const std::string& name) {
  const Model& model = find_model(name);
  if (!model.is_trained()) refuse_network_flags(flags, name);
  // Any shape will do: some of its features are context, as some models need.
  const Shape shape{.features = 2, .outputs = 1, .context = {0}};
  Architecture architecture{.embedding = 2};
  const Program program = model.program(shape, architecture);
  if ((!program.uses_anchor() || model.anchors) && flags.anchors != "none") refuse_anchor_flags(flags, name);
  architecture.embedding = 3;
  if (model.program(shape, architecture).parameters() == program.parameters())
    refuse_given({{"--embedding", flags.embedding.has_value()}},
                 fmt::format("is for models with a bilinear product; {} has none", name));
}

void refuse_trial_flags(const FitFlags& flags) {
  if (!needs_trial(flags)) {
    refuse_given({{"--beyond", flags.beyond != FitFlags().beyond}},
                 "is for trials, as --model auto or --anchors auto ask for");
    return;
  }
  refuse_given({{"--inside-anchors", !flags.inside_anchors.empty()},
                {"--outward", !flags.outward.empty()},
                {"--share", flags.share.has_value()}},
               "is found by the trial of auto");
  if (flags.model == auto_model)
    refuse_given({{"--base", !flags.base.empty()}}, "is found by the trial of --model auto");
}

}  // namespace kedge
