#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/policy_info.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/predictor/predictor.h"

namespace kedge {
namespace {

struct InfoFlags {
  std::string model;
  bool json = false;
};

std::string weights_text(const Predictor& predictor) {
  return fmt::format(
      "of pairs, learned from {} ({} parameters)",
      predictor.options().weights.source == WeightSource::joint ? "the model's own errors" : "example pairs",
      predictor.weights()->program().parameters());
}

using Facts = std::vector<std::pair<std::string, std::string>>;

// The output whose bound is weakest: what holds for it holds for all.
const OutputTheorem& weakest(const TheoremQuantities& theorem) {
  return *std::max_element(theorem.outputs.begin(), theorem.outputs.end(),
                           [](const OutputTheorem& a, const OutputTheorem& b) {
                             if (a.effective.premise != b.effective.premise) return a.effective.premise;
                             return a.effective.test_risk < b.effective.test_risk;
                           });
}

std::string of_weakest(const TheoremQuantities& theorem) {
  return theorem.outputs.size() > 1 ? " (the weakest output)" : "";
}

std::string worth(double test_risk, const OutputTheorem& output) {
  return test_risk < output.m * output.m ? "" : ": more than the outputs themselves, so no help";
}

std::string bound_text(const TheoremQuantities& theorem) {
  const OutputTheorem& output = weakest(theorem);
  const TheoremBound& bound = output.effective;
  const std::string of = of_weakest(theorem);
  if (output.rank == 0)
    return fmt::format("the bound says nothing here: the training error hides the product{}", of);
  if (std::isinf(theorem.kappa)) return "the bound says nothing here: kappa is infinite";
  if (!bound.premise)
    return fmt::format(
        "premise does not hold: the bound says nothing here (risk {:.2g}, at most {:.2g} needed){}",
        bound.risk, bound.sigma_squared / (4 * theorem.kappa), of);
  return fmt::format("risk {:.2g} in training, at most {:.2g} where it holds{}{}", bound.risk,
                     bound.test_risk, worth(bound.test_risk, output), of);
}

std::string in_support_text(const TheoremQuantities& theorem) {
  const OutputTheorem& output = *std::max_element(
      theorem.outputs.begin(), theorem.outputs.end(),
      [](const OutputTheorem& a, const OutputTheorem& b) { return a.in_support < b.in_support; });
  return fmt::format(
      "risk at most {:.2g} in the {:.0f} % of combinations seen together (plain kappa {:.3g}){}{}",
      output.in_support, 100 * theorem.in_support.covered, theorem.in_support.kappa,
      worth(output.in_support, output), of_weakest(theorem));
}

std::string clipped_text(const TheoremQuantities& theorem) {
  const OutputTheorem& output = *std::max_element(theorem.outputs.begin(), theorem.outputs.end(),
                                                  [](const OutputTheorem& a, const OutputTheorem& b) {
                                                    return a.clipped.test_risk < b.clipped.test_risk;
                                                  });
  const ClippedBound& clipped = output.clipped;
  return fmt::format(
      "risk at most {:.2g} with the product clipped at {:.3g}, which changes {} of {} in training{}{}",
      clipped.test_risk, clipped.limit, clipped.changed, theorem.pairs, worth(clipped.test_risk, output),
      of_weakest(theorem));
}

void add_theorem(const Predictor& predictor, Facts& facts) {
  if (const std::string reason = predictor.why_no_theorem(); !reason.empty())
    facts.emplace_back("theorem", "not computed: " + reason);
  const std::optional<TheoremQuantities> theorem = predictor.theorem();
  if (!theorem) return;
  size_t least = SIZE_MAX, most = 0;
  for (const OutputTheorem& output : theorem->outputs) {
    least = std::min(least, output.rank);
    most = std::max(most, output.rank);
  }
  const std::string rank = least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
  facts.emplace_back("rank", fmt::format("{} of {}, counting what stands above the training error", rank,
                                         theorem->outputs[0].embedding));
  facts.emplace_back("covered",
                     fmt::format("{:.0f} % of the combinations of what f and g have seen, {:.0f} % of them "
                                 "never seen together (kappa {:.3g})",
                                 100 * theorem->covered, 100 * theorem->new_together, theorem->kappa));
  facts.emplace_back("theorem", bound_text(*theorem));
  facts.emplace_back("in support", in_support_text(*theorem));
  facts.emplace_back("clipped", clipped_text(*theorem));
}

Json bound_json(const TheoremBound& bound) {
  return {{"p", bound.p},
          {"m", bound.m},
          {"sigma_squared", bound.sigma_squared},
          {"risk", bound.risk},
          {"test_risk", bound.test_risk},
          {"premise", bound.premise}};
}

// Infinite numbers become null.
Json theorem_json(const Predictor& predictor) {
  const std::optional<TheoremQuantities> theorem = predictor.theorem();
  if (!theorem) return nullptr;
  Json outputs = Json::array();
  for (size_t k = 0; k < theorem->outputs.size(); ++k) {
    const OutputTheorem& output = theorem->outputs[k];
    outputs.push_back({{"output", predictor.outputs()[k]},
                       {"rank", output.rank},
                       {"embedding", output.embedding},
                       {"singular_values", output.singular_values},
                       {"tail", output.tail},
                       {"sigma_f", output.sigma_f},
                       {"sigma_g", output.sigma_g},
                       {"m", output.m},
                       {"supremum", output.supremum},
                       {"risk", output.risk},
                       {"in_support", output.in_support},
                       {"full", bound_json(output.full)},
                       {"effective", bound_json(output.effective)},
                       {"clipped",
                        {{"m", output.clipped.m},
                         {"limit", output.clipped.limit},
                         {"changed", output.clipped.changed},
                         {"test_risk", output.clipped.test_risk}}}});
  }
  return {{"pairs", theorem->pairs},
          {"kappa", theorem->kappa},
          {"covered", theorem->covered},
          {"new_together", theorem->new_together},
          {"in_support", {{"kappa", theorem->in_support.kappa}, {"covered", theorem->in_support.covered}}},
          {"printed", bound_json(theorem->printed)},
          {"printed_follows", theorem->printed_follows},
          {"outputs", outputs}};
}

std::string to_text(const Predictor& predictor, const InfoFlags& flags, size_t bytes) {
  const FitOptions& options = predictor.options();
  const Json json = Json::parse(to_json(options));
  const auto word = [&](const char* part, const char* key) {
    return exactly<std::string>(json.at(part).at(key), key);
  };
  const Architecture& a = options.architecture;
  const std::string space = predictor.encoder().space().text(predictor.inputs());
  const bool trained = find_model(options.model).is_trained();
  Facts facts = {
      {"inputs", fmt::format("{}", fmt::join(predictor.inputs(), ", "))},
      {"targets", fmt::format("{}", fmt::join(predictor.outputs(), ", "))},
      {"space", space.empty() ? "plain numbers" : space},
      {"model", fmt::format("{} ({} preset)", options.model, options.preset)},
      {"parameters",
       fmt::format("{}{}", predictor.program().parameters(),
                   options.replicas > 1 ? fmt::format(" x {} replicas", options.replicas) : "")},
  };
  if (const std::string text = summary(predictor.intake()); !text.empty())
    facts.emplace_back("made of", text);
  if (!predictor.intake().constants.empty())
    facts.emplace_back(
        "left out", fmt::format("{}, constant in training", fmt::join(predictor.intake().constants, ", ")));
  if (!options.context.empty())
    facts.emplace_back("context", fmt::format("{}", fmt::join(options.context, ", ")));
  if (trained) {
    facts.emplace_back(
        "networks",
        fmt::format("{} layers, width {}, embedding {}, fourier {}, predicts {}", a.layers, a.width,
                    a.embedding, word("architecture", "fourier"), word("architecture", "predicts")));
    facts.emplace_back(
        "training", fmt::format("{} steps of {} pairs, learning rate {} {}, loss {}", options.training.steps,
                                options.training.batch, options.training.adam.learning_rate,
                                word("training", "schedule"), word("training", "loss")));
    if (const std::string stopped = stopped_text(predictor); !stopped.empty())
      facts.emplace_back("steps", stopped);
    facts.emplace_back("pairs", fmt::format("{}, with themselves: {}", word("pairs", "rule"),
                                            options.self == SelfPairs::allow ? "yes" : "no"));
    facts.emplace_back("final loss", fmt::format("{:.6g}", predictor.final_loss()));
    facts.emplace_back(
        "seed", fmt::format("{}{}", options.seed,
                            options.replicas > 1 ? fmt::format(", {} replicas", options.replicas) : ""));
  }
  facts.emplace_back(
      "scaling", fmt::format("inputs {}, outputs {}{}", word("scaling", "inputs"), word("scaling", "outputs"),
                             options.same_unit.empty() ? "" : "; together: " + options.same_unit));
  facts.emplace_back("anchors", to_text(options.anchors));
  if (predictor.weights()) facts.emplace_back("weights", weights_text(predictor));
  const StoredCoverage coverage = predictor.coverage();
  facts.emplace_back("thresholds", thresholds_text(coverage.thresholds, "rows"));
  facts.emplace_back("expected error", coverage.errors.is_known()
                                           ? fmt::format("learned on held-out shells; the outputs' "
                                                         "deviation is {:.4g}",
                                                         coverage.errors.output_scale)
                                       : options.calibration == Calibration::none
                                           ? "unknown: not asked for"
                                           : "unknown: too few rows, or the fit was stopped");
  facts.emplace_back("rows", fmt::format("{} training rows", predictor.training_rows()));
  add_theorem(predictor, facts);
  facts.emplace_back("file", fmt::format("{} bytes, written by kedge {}", bytes, predictor.written_by()));
  return one_line(flags.model) + "\n" + fact_lines(facts);
}

std::string to_json_text(const Predictor& predictor, const InfoFlags& flags, size_t bytes) {
  const FitOptions& options = predictor.options();
  const Json json{
      {"file", flags.model},
      {"bytes", bytes},
      {"kedge", predictor.written_by()},
      {"inputs", predictor.inputs()},
      {"outputs", predictor.outputs()},
      {"space", predictor.encoder().space().text(predictor.inputs())},
      {"rows", predictor.training_rows()},
      {"parameters", predictor.program().parameters()},
      {"trained_steps", trained_steps_json(predictor)},
      {"final_loss", predictor.final_loss()},
      {"intake", Json::parse(to_json(predictor.intake()))},
      {"options", Json::parse(to_json(options))},
      {"coverage", Json::parse(to_json(predictor.coverage()))},
      {"theorem", theorem_json(predictor)},
  };
  return json.dump(JsonText::replaced) + "\n";
}

void run(const InfoFlags& flags) {
  const std::string bytes = read_file(flags.model, "load");
  const TensorFile file = decode_safetensors(bytes, flags.model);
  if (const auto format = file.metadata.find("format");
      format != file.metadata.end() && format->second == "kedge-policy") {
    const Policy policy = Policy::from_bytes(bytes, flags.model);
    const PolicyFile named{flags.model, bytes.size()};
    return print(flags.json ? policy_json(policy, named) : policy_text(policy, named));
  }
  const Predictor predictor = Predictor::from_tensors(file);
  print(flags.json ? to_json_text(predictor, flags, bytes.size()) : to_text(predictor, flags, bytes.size()));
}

}  // namespace

void add_info(const Command& app) {
  const auto flags = std::make_shared<InfoFlags>();
  const Command sub = app.add_subcommand("info", "Say what is in a model or policy file");
  sub.footer("Example:\n  kedge info model.kedge");
  sub.add_option("MODEL", flags->model, "File that 'kedge fit' or 'kedge imitate' wrote")
      .type_name("")
      .required();
  sub.add_flag("--json", flags->json, "Print one JSON object");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
