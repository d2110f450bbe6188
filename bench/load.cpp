// A table of a million rows and twenty columns: `kedge fit` of a linear model and `kedge predict` of ten
// thousand rows, each as a process of its own. Answers are checked first; then wall time, processor time and
// peak memory. Usage: load [rows [repeats [kedge]]]

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kedge/core/error.h"
#include "kedge/core/rng.h"
#include "kedge/predictor/predictor.h"
#include "kedge/table/csv.h"
#include "peer.h"
#include "result.h"
#include "timing.h"

namespace kedge {
namespace {

namespace fs = std::filesystem;

constexpr size_t columns = 20, queries = 10000, checked = 20;

/// Independent normal columns, the hardest case for a search, and a noisy sum of them.
Table random_table(size_t rows, uint64_t seed) {
  Table table("random");
  std::vector<double> y(rows);
  for (size_t c = 0; c < columns; ++c) {
    Rng rng(seed, Stream::noise, c);
    Column column{.name = fmt::format("x{}", c), .role = Role::input, .values = {}, .words = {}};
    column.values.reserve(rows);
    for (size_t r = 0; r < rows; ++r) {
      column.values.push_back(rng.normal());
      y[r] += std::sin(static_cast<double>(c + 1)) * column.values.back();
    }
    table.add(std::move(column));
  }
  Rng noise(seed, Stream::noise, columns);
  for (double& value : y) value += 0.1 * noise.normal();
  table.add({.name = "y", .role = Role::output, .values = std::move(y), .words = {}});
  return table;
}

struct Reading {
  double wall = 0, processor = 0, megabytes = 0;
};

Reading run_process(const std::vector<std::string>& words) {
  const Stopwatch watch;
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) != child || status != 0)
    throw Error("bench", fmt::format("{} failed", fmt::join(words, " ")));
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {watch.seconds(), seconds(usage.ru_utime) + seconds(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) * 1024e-6};
}

Reading median_of(const std::vector<Reading>& readings) {
  const auto of = [&](double Reading::*part) {
    std::vector<double> values;
    for (const Reading& reading : readings) values.push_back(reading.*part);
    return median(values);
  };
  return {of(&Reading::wall), of(&Reading::processor), of(&Reading::megabytes)};
}

nlohmann::ordered_json to_json(const Reading& reading) {
  return {{"wall_s", reading.wall}, {"processor_s", reading.processor}, {"peak_mb", reading.megabytes}};
}

/// Predictions near the truth, and support distances as a comparison with every row gives them.
void check_answers(const std::string& model, const std::string& answers, const Table& train,
                   const Table& asked) {
  const Table found = read_csv(answers, {.text = {}, .only = {"y", "support_distance"}, .skip = {}});
  const std::vector<double>&y = found.column("y").values, &distance = found.column("support_distance").values;
  if (y.size() != queries)
    throw Error("bench", fmt::format("needed {} answers; found {}", queries, y.size()));
  const std::vector<double> scale = Predictor::load(model).encoder().metric();
  for (size_t q = 0; q < checked; ++q) {
    if (std::abs(y[q] - asked.column("y").values[q]) > 1)
      throw Error("bench", "an answer is far from the truth");
    double nearest = HUGE_VAL;
    for (size_t r = 0; r < train.rows(); ++r) {
      double sum = 0;
      for (size_t c = 0; c < columns; ++c) {
        const double e = (asked.columns()[c].values[q] - train.columns()[c].values[r]) / scale[c];
        sum += e * e;
      }
      nearest = std::min(nearest, sum);
    }
    if (distance[q] != std::sqrt(nearest))
      throw Error("bench", fmt::format("needed support distance {} of query {}; found {}", std::sqrt(nearest),
                                       q, distance[q]));
  }
}

void write_table(const fs::path& path, const Table& table) {
  std::ofstream file(path);
  write_csv(file, table);
}

void run(const fs::path& folder, size_t rows, int repeats, const std::string& program) {
  const Table train = random_table(rows, 1), asked = random_table(queries, 2);
  const std::string train_file = folder / "train.csv", asked_file = folder / "asked.csv",
                    model = folder / "model.kedge", answers = folder / "answers.csv";
  write_table(train_file, train);
  write_table(asked_file, asked);
  const std::vector<std::string> fit = {program,   "fit",    train_file, "--target", "y",
                                        "--model", "linear", "--quiet",  "-o",       model},
                                 predict = {program, "predict", model, asked_file, "-o", answers};
  std::vector<Reading> fits, predictions;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    fits.push_back(run_process(fit));
    predictions.push_back(run_process(predict));
    if (repeat == 0) check_answers(model, answers, train, asked);
  }
  nlohmann::ordered_json figures{{"rows", rows},
                                 {"columns", columns},
                                 {"csv_mb", static_cast<double>(fs::file_size(train_file)) * 1e-6},
                                 {"model_mb", static_cast<double>(fs::file_size(model)) * 1e-6},
                                 {"queries", queries},
                                 {"repeats", repeats},
                                 {"fit", to_json(median_of(fits))},
                                 {"predict", to_json(median_of(predictions))}};
  fmt::print("load: {} rows x {} columns, medians of {}\n  fit      {}\n  predict  {}\n", rows, columns,
             repeats, figures["fit"].dump(), figures["predict"].dump());
  if (const auto peer = peer_output(fmt::format("sklearn_load.py '{}' '{}'", train_file, asked_file))) {
    figures["scikit_learn"] = nlohmann::ordered_json::parse(*peer);
    fmt::print("  scikit-learn  {}\n", *peer);
  }
  fmt::print(
      "written: {}\n",
      write_result("load", fmt::format("build/release/bench/load {} {}", rows, repeats), std::move(figures)));
}

}  // namespace
}  // namespace kedge

int main(int count, char** arguments) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("kedge-load-{}", getpid());
  int status = 0;
  try {
    std::filesystem::create_directories(folder);
    kedge::run(folder, count > 1 ? std::stoul(arguments[1]) : 1000000,
               count > 2 ? std::stoi(arguments[2]) : 3,
               count > 3 ? arguments[3] : KEDGE_SOURCE_DIR "/build/release/kedge");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    status = 1;
  }
  std::filesystem::remove_all(folder);
  return status;
}
