#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/fit_flags.h"
#include "cli/output.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/domains/domain.h"
#include "kedge/domains/simulated_domain.h"
#include "kedge/imitation/options.h"
#include "kedge/models/models.h"
#include "kedge/nn/engine_cuda.h"
#include "kedge/predictor/options.h"

namespace kedge {
namespace {

struct ListFlags {
  std::string what;
  bool json = false;
};

using Entries = std::vector<std::pair<std::string, std::string>>;

struct Listing {
  std::string name, about;
  Entries entries;
  /// Where entries have to be looked for: that takes a moment, and every command declares this one.
  Entries (*look)() = nullptr;
};

template <class Things>
Listing listing_of(const std::string& name, const std::string& about, const Things& things) {
  Listing listing{name, about, {}};
  for (const auto& thing : things) listing.entries.emplace_back(thing.name, thing.title);
  return listing;
}

Entries devices() {
  const CudaDevice cuda = find_cuda_device();
  return {{"cpu", "the cores of this machine: what is taken unless told"},
          {"cuda", cuda.missing.empty() ? fmt::format("{}, {} multiprocessors", cuda.name, cuda.processors)
                                        : "not here: " + cuda.missing},
          {"auto", "cuda where it is here and trains in half the time or less, else cpu"}};
}

std::vector<Listing> all_listings() {
  Listing models = listing_of("models", "what can be fitted (--model)", all_models());
  models.entries.emplace_back(auto_model,
                              "the one that does best on held-out outer rows, as 'kedge cv' finds");
  std::vector<Listing> listings = {
      std::move(models),
      listing_of("presets", "where the options of a fit start from (--preset)", all_presets()),
      listing_of("domains", "built-in problems with known answers (kedge sample)", all_domains()),
      {"anchors",
       "how a query finds the training row it starts from (--anchors)",
       {{"nearest", "the row whose difference to the query is nearest to one seen in training"},
        {"radius=R", "one drawn from the rows within distance R of such a difference"},
        {"radius", "the same with the least distance there is as R"},
        {"percentile=P", "one drawn from the closest P percent of the rows"},
        {"many=M", "the closest M rows, whose predictions are averaged"},
        {"neighbour", "the row nearest to the query itself, whatever differences were seen"},
        {"near=M", "the M rows nearest to the query itself, their predictions averaged (default: 5)"},
        {"all=M", "all rows, or M of them drawn once for all queries (default: 200)"},
        {"weight",
         "the same as nearest among the rows that have at least 0.8 of the greatest weight, of a model "
         "fitted "
         "with --weights"},
        {"weight=M", "the closest M of those rows, whose predictions are averaged"},
        {"weight=greatest", "the one row of greatest weight"},
        {"weight=sample", "one drawn in proportion to its weight"},
        {"given", "no search: a program names the row of each query (PredictOptions::anchor_rows)"},
        {"none", "no search, for models that read no anchor"}}},
      {"pairs",
       "which rows are trained on together (--pairs)",
       {{"any", "every row with every row"},
        {"same-label", "rows with the same value in the --label column"},
        {"same-time", "rows with the same value in the --time column"}}},
      {"spaces",
       "what a difference means in a column (--space COLUMN=KIND,...)",
       {{"vector", "x - x': what a column is unless told"},
        {"log", "ln x - ln x', for sizes and other positive numbers; targets too"},
        {"angle", "the short way round, in radians"},
        {"degrees", "the short way round, in degrees"},
        {"rotation", "a quaternion in four columns, written w+x+y+z=rotation"}}},
      listing_of("policies", "what can be learned from demonstrations (kedge imitate --model)",
                 policy_models()),
      {"devices", "where networks are trained (--device)", {}, devices},
  };
  if (!simulated_domains().empty())
    listings.push_back(listing_of("simulations", "robots to collect demonstrations of (kedge collect)",
                                  simulated_domains()));
  return listings;
}

std::string to_text(const Listing& listing) {
  return fmt::format("{}: {}\n{}", listing.name, listing.about, fact_lines(listing.entries));
}

void run(const ListFlags& flags) {
  Json json;
  std::string text;
  std::vector<Listing> listings = all_listings();
  for (Listing& listing : listings) {
    if (!flags.what.empty() && flags.what != listing.name) continue;
    if (listing.look) listing.entries = listing.look();
    Json& entries = json[listing.name] = Json::array();
    for (const auto& [name, title] : listing.entries) entries.push_back({{"name", name}, {"title", title}});
    text += (text.empty() ? "" : "\n") + to_text(listing);
  }
  print(flags.json ? json.dump() + "\n" : text);
}

}  // namespace

void add_list(const Command& app) {
  const auto flags = std::make_shared<ListFlags>();
  const Command sub = app.add_subcommand("list", "List models, domains, simulations, devices and more");
  std::vector<std::string> names;
  for (const Listing& listing : all_listings()) names.push_back(listing.name);
  sub.footer("Example:\n  kedge list models");
  sub.add_option("WHAT", flags->what, fmt::format("{}; everything without it", fmt::join(names, ", ")))
      .type_name("")
      .suggests(names)
      .check(one_of(names));
  sub.add_flag("--json", flags->json, "Print one JSON object");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
