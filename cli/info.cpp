#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/output.h"
#include "kedge/core/files.h"
#include "kedge/predictor.h"

namespace kedge {
namespace {

struct InfoFlags {
  std::string model;
  bool json = false;
};

std::string seeds_text(const FitOptions& options) {
  if (options.replicas == 1) return std::to_string(options.seed);
  return fmt::format("{} to {}", options.seed, options.seed + options.replicas - 1);
}

std::string to_text(const Predictor& predictor, const InfoFlags& flags, size_t bytes) {
  const FitOptions& options = predictor.options();
  const auto json = nlohmann::json::parse(to_json(options));
  const auto word = [&](const char* part, const char* key) {
    return json.at(part).at(key).get<std::string>();
  };
  const Architecture& a = options.architecture;
  const std::string space = predictor.encoder().space().text(predictor.inputs());
  const bool trained = find_model(options.model).solver == Solver::adam;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"inputs", fmt::format("{}", fmt::join(predictor.inputs(), ", "))},
      {"targets", fmt::format("{}", fmt::join(predictor.outputs(), ", "))},
      {"space", space.empty() ? "plain numbers" : space},
      {"model", fmt::format("{} ({} preset)", options.model, options.preset)},
      {"parameters",
       fmt::format("{}{}", predictor.program().parameters(),
                   options.replicas > 1 ? fmt::format(" x {} replicas", options.replicas) : "")},
  };
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
    facts.emplace_back("pairs", fmt::format("{}, with themselves: {}", word("pairs", "rule"),
                                            options.self == SelfPairs::allow ? "yes" : "no"));
    facts.emplace_back("final loss", fmt::format("{:.6g}", predictor.final_loss()));
    facts.emplace_back(options.replicas > 1 ? "seeds" : "seed", seeds_text(options));
  }
  facts.emplace_back(
      "scaling", fmt::format("inputs {}, outputs {}", word("scaling", "inputs"), word("scaling", "outputs")));
  facts.emplace_back("anchors", to_text(options.anchors));
  const StoredCoverage coverage = predictor.coverage();
  facts.emplace_back("thresholds", fmt::format("support radius {:.4g}, delta radius {:.4g}, edge factor {:g}",
                                               coverage.thresholds.support_radius,
                                               coverage.thresholds.delta_radius,
                                               coverage.thresholds.edge_factor));
  facts.emplace_back("expected error", coverage.errors.is_known() ? "learned on held-out shells" : "unknown");
  facts.emplace_back("rows", fmt::format("{} training rows", predictor.training_rows()));
  facts.emplace_back("file", fmt::format("{} bytes, written by kedge {}", bytes, predictor.written_by()));
  return one_line(flags.model) + "\n" + fact_lines(facts);
}

std::string to_json_text(const Predictor& predictor, const InfoFlags& flags, size_t bytes) {
  const FitOptions& options = predictor.options();
  std::vector<uint64_t> seeds;
  for (size_t r = 0; r < options.replicas; ++r) seeds.push_back(options.seed + r);
  const nlohmann::ordered_json json{
      {"file", flags.model},
      {"bytes", bytes},
      {"kedge", predictor.written_by()},
      {"inputs", predictor.inputs()},
      {"outputs", predictor.outputs()},
      {"space", predictor.encoder().space().text(predictor.inputs())},
      {"rows", predictor.training_rows()},
      {"parameters", predictor.program().parameters()},
      {"seeds", seeds},
      {"final_loss", predictor.final_loss()},
      {"options", nlohmann::ordered_json::parse(to_json(options))},
      {"coverage", nlohmann::ordered_json::parse(to_json(predictor.coverage()))},
  };
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void run(const InfoFlags& flags) {
  const std::string bytes = read_file(flags.model, "load");
  const Predictor predictor = Predictor::from_bytes(bytes, flags.model);
  print(flags.json ? to_json_text(predictor, flags, bytes.size()) : to_text(predictor, flags, bytes.size()));
}

}  // namespace

void add_info(CLI::App& app) {
  const auto flags = std::make_shared<InfoFlags>();
  CLI::App* sub = app.add_subcommand("info", "Say what is in a model file");
  sub->footer("Example:\n  kedge info model.kedge");
  sub->add_option("MODEL", flags->model, "Model file that 'kedge fit' wrote")->type_name("")->required();
  sub->add_flag("--json", flags->json, "Print one JSON object");
  sub->callback([flags] { run(*flags); });
}

}  // namespace kedge
