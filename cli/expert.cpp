#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/simulating.h"
#include "cli/terminal.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/report/tables.h"

namespace kedge {
namespace {

struct ExpertFlags {
  std::string domain, output;
  std::optional<uint64_t> seed;
  int threads = 0;
  bool quiet = false, json = false;
};

/// An expert and how it does on the published goals.
struct Tried {
  Expert expert;
  ErrorSummary in, oos;
};

std::string search_watched(const SimulatedDomain& domain, const ExpertFlags& flags) {
  const Interrupt interrupt;
  ProgressBar bar("expert", 0, {.surface = flags.quiet ? ProgressSurface::hidden : ProgressSurface::detect});
  std::string text = domain.search_expert(
      {.seed = flags.seed.value_or(0), .threads = flags.threads, .progress = [&](size_t done, size_t total) {
         bar.update(done, total, std::numeric_limits<double>::quiet_NaN());
         return !interrupt.requested();
       }});
  bar.clear();
  return text;
}

std::vector<Tried> try_out(const SimulatedDomain& domain, const std::vector<Expert>& experts,
                           const ExpertFlags& flags) {
  const Matrix<double> in = domain.published_goals(Split::in), oos = domain.published_goals(Split::oos);
  WatchedRollouts watched("expert", experts.size() * (in.rows() + oos.rows()), flags.quiet, flags.threads);
  std::vector<Tried> tried;
  for (const Expert& expert : experts)
    tried.push_back({expert, summary_of(watched.run(domain.simulation, expert.make, in)),
                     summary_of(watched.run(domain.simulation, expert.make, oos))});
  watched.finish();
  return tried;
}

std::string to_text(const SimulatedDomain& domain, const std::vector<Tried>& tried,
                    const ExpertFlags& flags) {
  TextTable table{.columns = {{"expert"}, {"train goals", Align::right}, {"oos goals", Align::right}},
                  .caption = "Errors on the published goals"};
  const auto cell = [](const ErrorSummary& summary) {
    return error_text(summary) + (summary.held ? fmt::format(", {} held", held_text(summary)) : "");
  };
  std::vector<std::pair<std::string, std::string>> facts = {
      {"domain", domain.name + ": " + domain.title},
      {"kind", !domain.search_expert  ? "scripted"
               : flags.output.empty() ? "found by a search; with -o it is made again"
                                      : fmt::format("found by a search, seed {}", flags.seed.value_or(0))}};
  for (const Tried& one : tried) {
    facts.emplace_back(one.expert.name, one.expert.title);
    table.rows.push_back({one.expert.name, cell(one.in), cell(one.oos)});
  }
  if (!flags.output.empty()) facts.emplace_back("file", flags.output);
  return fact_lines(facts) + "\n" + to_text(table, output_style(), output_columns());
}

std::string to_json_text(const SimulatedDomain& domain, const std::vector<Tried>& tried,
                         const ExpertFlags& flags) {
  Json experts = Json::array();
  for (const Tried& one : tried)
    experts.push_back({{"name", one.expert.name},
                       {"title", one.expert.title},
                       {"train", to_json(one.in)},
                       {"oos", to_json(one.oos)}});
  return Json{{"domain", domain.name},
              {"searched", domain.search_expert != nullptr},
              {"file", flags.output.empty() ? Json() : Json(flags.output)},
              {"experts", std::move(experts)}}
             .dump(JsonText::replaced) +
         "\n";
}

void run(const ExpertFlags& flags) {
  if (flags.output.empty() && flags.seed)
    wrong_usage("--seed is of a search, which -o asks for; found no -o; leave --seed out, or name a file");
  const SimulatedDomain& domain = find_simulated_domain(flags.domain);
  std::vector<Expert> experts = domain.experts;
  if (!flags.output.empty()) {
    if (!domain.search_expert)
      throw Error("expert", fmt::format("-o needs an expert that is found by a search; that of {} is "
                                        "scripted; leave -o out",
                                        domain.name));
    if (flags.output == "-")
      throw Error("expert", "standard output takes the table; -o needs a file; found '-'");
    check_output(flags.output, {});
    const std::string text = search_watched(domain, flags);
    if (domain.read_experts) experts = domain.read_experts(text);
    write_result(flags.output, [&](std::ostream& out) { out << text; });
  }
  const std::vector<Tried> tried = try_out(domain, experts, flags);
  if (flags.json)
    print(to_json_text(domain, tried, flags));
  else if (!flags.quiet)
    print(to_text(domain, tried, flags));
}

}  // namespace

void add_expert(const Command& app) {
  const auto flags = std::make_shared<ExpertFlags>();
  const Command sub = app.add_subcommand("expert", "Show the experts of a simulation, or search one again");
  sub.footer(
      "Says what the experts of a simulation do and how well. With -o an expert that\n"
      "was found by a search is searched for again, which takes minutes, and its\n"
      "parameters are written; 'kedge collect --expert-file' takes them.\n"
      "\n"
      "Example:\n  kedge expert push");
  sub.add_option("DOMAIN", flags->domain, "Name of the simulation; 'kedge list simulations' shows them")
      .type_name("")
      .suggests(names_in(simulated_domains()))
      .required();
  sub.add_option("-o,--output", flags->output, "JSON file to write: the parameters that a search finds")
      .type_name("FILE");
  sub.add_option("--seed", flags->seed, "Of the search (default: 0)").type_name("S").check(whole_number());
  sub.add_option("--threads", flags->threads,
                 "Threads to use (default: one for each core); never changes the result")
      .type_name("T")
      .check(whole_number(1, 1024));
  sub.add_flag("--quiet", flags->quiet, "No progress on standard error, no table");
  sub.add_flag("--json", flags->json, "Print one JSON object instead of the table");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
