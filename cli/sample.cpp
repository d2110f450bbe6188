#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"
#include "kedge/domains/domain.h"
#include "kedge/domains/example_pairs.h"
#include "kedge/domains/grasp/ply.h"
#include "kedge/table/csv.h"

namespace kedge {
namespace {

struct SampleFlags {
  std::string domain, output, clouds, pairs;
  std::string split = "train";
  std::optional<size_t> rows;
  uint64_t seed = 0;
};

constexpr size_t default_rows = 1000, default_clouds = 3;

Split split_of(const SampleFlags& flags) {
  static const std::map<std::string, Split> splits = {
      {"train", Split::train}, {"in", Split::in}, {"oos", Split::oos}};
  return splits.at(flags.split);
}

void write_pairs(const std::vector<ExamplePair>& pairs, const std::string& file) {
  write_result(file, [&](std::ostream& out) {
    out << "query,anchor,weight\n";
    for (const ExamplePair& pair : pairs)
      out << fmt::format("{},{},{}\n", pair.query, pair.anchor, pair.related);
  });
}

/// One file for each row, named after domain, split and row.
void write_clouds(const SampleFlags& flags, size_t rows) {
  const GraspTask& task = find_grasp_task(flags.domain);
  std::error_code failed;
  std::filesystem::create_directories(flags.clouds, failed);
  if (failed)
    throw Error("sample", fmt::format("a directory to write clouds into is needed; {} cannot be made: {}",
                                      shown(flags.clouds), failed.message()));
  for (size_t row = 0; row < rows; ++row) {
    const std::string name = fmt::format("{}-{}-{:04}.ply", flags.domain, flags.split, row);
    const GraspScene scene = grasp_scene(task, {split_of(flags), row, flags.seed});
    write_atomically((std::filesystem::path(flags.clouds) / name).string(),
                     [&](std::ostream& out) { write_ply(out, coloured(scene)); });
  }
}

void run(const SampleFlags& flags) {
  const Domain& domain = find_domain(flags.domain);
  check_output(flags.output, {});
  check_output(flags.pairs, {});
  check_distinct({{"-o", flags.output}, {"--pairs", flags.pairs}});
  const size_t rows = flags.rows.value_or(flags.clouds.empty() ? default_rows : default_clouds);
  const Table table = domain.sample(split_of(flags), rows, flags.seed);
  std::vector<ExamplePair> pairs;
  if (!flags.pairs.empty()) pairs = example_pairs(table, {.seed = flags.seed});
  if (!flags.clouds.empty()) write_clouds(flags, rows);
  if (!flags.pairs.empty()) write_pairs(pairs, flags.pairs);
  if (!flags.output.empty() || (flags.clouds.empty() && flags.pairs.empty()))
    write_result(flags.output, [&](std::ostream& out) { write_csv(out, table); });
}

}  // namespace

void add_sample(const Command& app) {
  const auto flags = std::make_shared<SampleFlags>();
  const Command sub = app.add_subcommand("sample", "Draw rows of a built-in problem with known answers");
  sub.footer(
      "Examples:\n  kedge sample sawtooth --split oos -n 200 -o outside.csv\n"
      "  kedge sample grasp-mug --split oos --clouds mugs\n"
      "  kedge sample grasp -o grasps.csv --pairs pairs.csv");
  sub.add_option("DOMAIN", flags->domain, "Name of the problem; 'kedge list domains' shows them")
      .type_name("")
      .suggests(names_in(all_domains()))
      .required();
  sub.add_option("--split", flags->split,
                 "train: what a model may see; in: fresh rows alike; oos: outside (default: train)")
      .type_name("train|in|oos")
      .check(one_of({"train", "in", "oos"}));
  sub.add_option("-n,--rows", flags->rows, "How many rows (default: 1000; 3 with --clouds)")
      .type_name("N")
      .check(whole_number(1, 100'000'000));
  sub.add_option("--seed", flags->seed, "The same seed gives the same rows (default: 0)")
      .type_name("S")
      .check(whole_number());
  sub.add_option("-o,--output", flags->output, "CSV file to write; standard output without it")
      .type_name("FILE");
  sub.add_option("--clouds", flags->clouds,
                 "Write the clouds behind the rows of a grasp problem into this directory, a PLY file each: "
                 "grasp point red, key points blue; the table is then written with -o only")
      .type_name("DIR");
  sub.add_option("--pairs", flags->pairs,
                 "Write 300 pairs of rows of one label and 300 of two into this CSV file, for 'kedge fit "
                 "--weights'; the table is then written with -o only")
      .type_name("FILE");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
