// The paper's whole search, and that nothing else changed with it.

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "kedge/domains/simulated_domain.h"
#include "kedge/experiments/experiment.h"

namespace kedge {
namespace {

using Json = nlohmann::json;

const Extent full{.full = true};

std::set<std::string> keys_of(const Experiment& experiment, const Extent& extent) {
  std::set<std::string> keys;
  for (const Job& job : experiment.jobs(extent)) keys.insert(job.key);
  return keys;
}

std::set<std::string> all_keys(const Extent& extent) {
  std::set<std::string> keys;
  for (const Experiment& experiment : all_experiments()) keys.merge(keys_of(experiment, extent));
  return keys;
}

/// FNV-1a.
uint64_t hash_of(const std::set<std::string>& texts) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const std::string& text : texts)
    for (const char c : text + "\n") hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// Whoever changes these on purpose has all results of experiments computed again.
TEST(WholeSearch, leaves_the_keys_of_all_other_jobs_as_they_were) {
  if (simulated_domains().empty()) GTEST_SKIP() << "built without simulations";
  const std::set<std::string> usual = all_keys({}), quick = all_keys({.quick = true});
  EXPECT_EQ(usual.size(), 2525u);
  EXPECT_EQ(hash_of(usual), 0x059a76fa399a86a2u);
  EXPECT_EQ(quick.size(), 586u);
  EXPECT_EQ(hash_of(quick), 0x32360c143baa9619u);
}

TEST(WholeSearch, has_all_that_the_usual_extent_has) {
  for (const Experiment& experiment : all_experiments()) {
    const std::set<std::string> usual = keys_of(experiment, {}), whole = keys_of(experiment, full);
    EXPECT_TRUE(std::includes(whole.begin(), whole.end(), usual.begin(), usual.end())) << experiment.id;
    if (experiment.over_widths) {
      EXPECT_GT(whole.size(), usual.size()) << experiment.id;
    }
  }
}

TEST(WholeSearch, of_some_widths_is_a_part_of_it_and_all_parts_are_the_whole) {
  for (const Experiment& experiment : all_experiments()) {
    std::set<std::string> parts;
    const std::set<std::string> whole = keys_of(experiment, full);
    for (int width : paper_widths) {
      const std::set<std::string> part = keys_of(experiment, {.full = true, .widths = {width}});
      EXPECT_EQ(part.size() < whole.size(), experiment.over_widths && !whole.empty())
          << experiment.id << ", width " << width;
      parts.insert(part.begin(), part.end());
    }
    EXPECT_EQ(parts, whole) << experiment.id;
  }
}

/// What is fitted by a job of either kind: its options, and who asks.
struct Fitted {
  std::string who;
  Json options;
};
std::optional<Fitted> fitted_by(const std::string& text) {
  const Json key = Json::parse(text);
  if (key.contains("fit"))
    return Fitted{key.at("fit").at("domain").get<std::string>(), key.at("fit").at("options")};
  if (!key.contains("options") || key.at("options").is_null()) return std::nullopt;
  return Fitted{key.at("demonstrations").at("domain").get<std::string>() + " " +
                    key.at("options").at("model").get<std::string>(),
                key.at("options").at("fit")};
}

TEST(WholeSearch, has_every_size_with_every_seed_wherever_the_paper_searched) {
  for (const char* id : {"table-scaled", "table-scaled-robots", "table-fourier", "table-fourier-robots",
                         "table-text", "table-sizes", "fig-heatmap"}) {
    std::map<std::string, std::set<std::array<int, 3>>> sizes;  // and seeds
    for (const std::string& key : keys_of(find_experiment(id), full)) {
      const std::optional<Fitted> fit = fitted_by(key);
      if (!fit || fit->options.at("preset") == "default") continue;
      const Json& a = fit->options.at("architecture");
      const std::string model = fit->options.at("model");
      // A single layer behind a Fourier layer is linear and has no size.
      if (!std::set<std::string>{"mlp", "concat", "bilinear", "deepsets"}.contains(model) ||
          a.at("layers") == 1)
        continue;
      sizes[fit->who + " " + model + " " + fit->options.at("preset").get<std::string>()].insert(
          {a.at("layers").get<int>(), a.at("width").get<int>(), fit->options.at("seed").get<int>()});
    }
    EXPECT_TRUE(!sizes.empty() || simulated_domains().empty()) << id;
    for (const auto& [what, all] : sizes) EXPECT_EQ(all.size(), 2u * 3 * 3) << id << " " << what;
  }
}

/// A result for each kind of job.
std::string made_up(const Json& key) {
  const Json scores{{"errors", {0.1}}, {"held", Json::array()}}, paths = Json::array();
  if (key.contains("demonstrations")) {
    Json json{{"in", scores}, {"oos", scores}, {"in_paths", paths}, {"oos_paths", paths}};
    if (key.contains("fresh_seed")) json["fresh_in"] = json["fresh_oos"] = scores;
    return json.dump();
  }
  Json json{{"in", {0.1}}, {"oos", {0.2}}, {"in_deviation", 1}, {"oos_deviation", 1}};
  if (!key.at("grid").empty()) json["grid"] = std::vector<double>(key.at("grid").size(), 0.5);
  return json.dump();
}

Result result_of(const std::string& id, const Extent& extent) {
  const Experiment& experiment = find_experiment(id);
  const std::vector<Job> jobs = experiment.jobs(extent);
  std::vector<JobResult> results;
  for (const Job& job : jobs) results.push_back({made_up(Json::parse(job.key)), "m"});
  Result result{};
  experiment.assemble(extent, JobResults(jobs, results), result);
  return result;
}

std::string notes_of(const std::string& id, const Extent& extent) {
  std::string all;
  for (const std::string& note : result_of(id, extent).notes) all += note + "\n";
  return all;
}

TEST(WholeSearch, leaves_nothing_to_be_said_of_missing_sizes) {
  for (const char* id : {"table-scaled", "table-scaled-robots", "table-fourier", "table-fourier-robots",
                         "table-sizes", "table-text", "fig-heatmap"}) {
    const std::string notes = notes_of(id, full);
    for (const char* word : {"missing", " only", "one seed", "n = 32."})
      EXPECT_EQ(notes.find(word), std::string::npos) << id << ": " << word << "\n" << notes;
  }
  if (simulated_domains().empty()) return;
  EXPECT_NE(notes_of("table-scaled-robots", full).find("n = 32, 512 and 1024 units."), std::string::npos);
  EXPECT_NE(notes_of("table-scaled-robots", {}).find("n = 512 and 1024 are missing"), std::string::npos);
  EXPECT_NE(notes_of("table-fourier-robots", {}).find("Adroit has one seed"), std::string::npos);
  EXPECT_NE(notes_of("fig-heatmap", {}).find("one seed"), std::string::npos);
  EXPECT_EQ(result_of("fig-heatmap", full).seeds, (std::vector<uint64_t>{0, 1, 2}));
}

TEST(WholeSearch, puts_all_sizes_and_seeds_into_a_cell) {
  const auto n_of = [](const std::string& id, const std::string& row, const std::string& preset) {
    for (const Cell& cell : result_of(id, full).cells)
      if (cell.row == row && cell.column == "Ours" && cell.preset == preset && cell.split == "oos")
        return cell.ours.n;
    return size_t{0};
  };
  for (const char* preset : {"paper", "released"}) {
    EXPECT_EQ(n_of("table-scaled", "Mug", preset), 18u) << preset;
    EXPECT_EQ(n_of("table-sizes", "Mug, k = 3, n = 1024", preset), preset[0] == 'r' ? 3u : 0u);
    if (!simulated_domains().empty()) {
      EXPECT_EQ(n_of("table-fourier-robots", "Adroit", preset), 18u) << preset;
    }
  }
  EXPECT_EQ(n_of("table-scaled", "Mug", "default"), 3u);
}

TEST(WholeSearch, draws_figure_five_for_the_networks_of_the_paper_too) {
  const auto distances = [](const Extent& extent) {
    size_t count = 0;
    for (const Chart& chart : result_of("fig-range", extent).charts)
      count += chart.title.find("preset") != std::string::npos;
    return count;
  };
  EXPECT_EQ(distances({}), 1u);
  EXPECT_EQ(distances(full), 2u);
}

TEST(Extent, names_numbers_in_words) {
  EXPECT_EQ(in_words({32}), "32");
  EXPECT_EQ(in_words({32, 512}), "32 and 512");
  EXPECT_EQ(in_words(widths_of(full)), "32, 512 and 1024");
  EXPECT_EQ(missing_widths({}), (std::vector<int>{512, 1024}));
  EXPECT_TRUE(missing_widths(full).empty());
  EXPECT_EQ(missing_widths({.widths = {32, 64}}), (std::vector<int>{512, 1024}));
}

}  // namespace
}  // namespace kedge
