#include <filesystem>
#include <memory>
#include <string>

#include "cli/anchor_rows.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/policy_info.h"
#include "cli/theorem_info.h"
#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/predictor/columns.h"
#include "kedge/predictor/info.h"

namespace kedge {
namespace {

struct InfoFlags {
  std::string model;
  bool json = false, theorem = false;

  TellTheorem tell() const { return theorem ? TellTheorem::always : TellTheorem::where_it_holds; }
};

std::string weights_text(const Predictor& predictor) {
  return fmt::format(
      "of pairs, learned from {} ({} parameters)",
      predictor.options().weights.source == WeightSource::joint ? "the model's own errors" : "example pairs",
      predictor.weights()->program().parameters());
}

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string to_text(const Predictor& predictor, const InfoFlags& flags, size_t bytes) {
  const FitOptions& options = predictor.options();
  const Json json = Json::parse(to_json(options));
  const auto word = [&](const char* part, const char* key) {
    return exactly<std::string>(json.at(part).at(key), key);
  };
  const Architecture& a = options.architecture;
  const std::string space = space_text(predictor);
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
    facts.emplace_back("training", fmt::format("{} steps of {} pairs, learning rate {} {}, loss {}",
                                               predictor.trained_steps(), options.training.batch,
                                               options.training.adam.learning_rate,
                                               word("training", "schedule"), word("training", "loss")));
    if (options.training.adam.weight_decay > 0)
      facts.emplace_back("weight decay", fmt::format("{}", options.training.adam.weight_decay));
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
  if (!options.base.empty())
    facts.emplace_back("base",
                       fmt::format("{}, {:.0f} % of the model over it", options.base, 100 * options.share));
  facts.emplace_back("anchors", to_text(options.anchors));
  if (options.inside_anchors) facts.emplace_back("anchors inside", to_text(*options.inside_anchors));
  if (!options.outward.is_none()) facts.emplace_back("outward", to_text(options.outward));
  if (const std::string rows = anchor_rows_text(predictor); !rows.empty())
    facts.emplace_back("anchor rows", rows);
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
  add_theorem(predictor, flags.tell(), facts);
  facts.emplace_back("file", fmt::format("{} bytes, written by kedge {}", bytes, predictor.written_by()));
  return one_line(flags.model) + "\n" + fact_lines(facts);
}

std::string to_json_text(const Predictor& predictor, const InfoFlags& flags, size_t bytes) {
  Json json = predictor_json(predictor);
  json["file"] = flags.model;
  json["bytes"] = bytes;
  json["theorem"] = theorem_json(predictor, flags.tell());
  if (flags.theorem && json.at("theorem").is_null()) json["why_no_theorem"] = why_no_theorem(predictor);
  return json.dump(JsonText::replaced) + "\n";
}

void run(const InfoFlags& flags) {
  const std::string bytes = read_file(flags.model, "load");
  const TensorFile file = decode_safetensors(bytes, flags.model);
  if (const auto format = file.metadata.find("format");
      format != file.metadata.end() && format->second == "kedge-policy") {
    if (flags.theorem)
      throw Error("info", fmt::format("--theorem needs a model of a table; {} is a policy; leave it out",
                                      one_line(flags.model)));
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
  sub.add_flag(
      "--theorem", flags->theorem,
      "Show the quantities of the paper's bound on the error even where its premise does not hold, or say "
      "why there are none");
  sub.add_flag("--json", flags->json, "Print one JSON object");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
