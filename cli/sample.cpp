#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "kedge/domains/domain.h"
#include "kedge/table/csv.h"

namespace kedge {
namespace {

struct SampleFlags {
  std::string domain, output;
  std::string split = "train";
  size_t rows = 1000;
  uint64_t seed = 0;
};

void run(const SampleFlags& flags) {
  static const std::map<std::string, Split> splits = {
      {"train", Split::train}, {"in", Split::in}, {"oos", Split::oos}};
  const Domain& domain = find_domain(flags.domain);
  check_output(flags.output, {});
  const Table table = domain.sample(splits.at(flags.split), flags.rows, flags.seed);
  write_result(flags.output, [&](std::ostream& out) { write_csv(out, table); });
}

}  // namespace

void add_sample(CLI::App& app) {
  const auto flags = std::make_shared<SampleFlags>();
  CLI::App* sub = app.add_subcommand("sample", "Draw rows of a built-in problem with known answers");
  sub->footer("Example:\n  kedge sample sawtooth --split oos -n 200 -o outside.csv");
  sub->add_option("DOMAIN", flags->domain, "Name of the problem; 'kedge list domains' shows them")
      ->type_name("")
      ->required();
  sub->add_option("--split", flags->split,
                  "train: what a model may see; in: fresh rows alike; oos: outside (default: train)")
      ->type_name("train|in|oos")
      ->check(one_of({"train", "in", "oos"}));
  sub->add_option("-n,--rows", flags->rows, "How many rows (default: 1000)")
      ->type_name("N")
      ->check(whole_number(1, 100'000'000));
  sub->add_option("--seed", flags->seed, "The same seed gives the same rows (default: 0)")
      ->type_name("S")
      ->check(whole_number());
  sub->add_option("-o,--output", flags->output, "CSV file to write; standard output without it")
      ->type_name("FILE");
  sub->callback([flags] { run(*flags); });
}

}  // namespace kedge
