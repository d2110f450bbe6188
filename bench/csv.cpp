// Reading a CSV file of a million rows and ten columns: every number checked, then the time.

#include "kedge/table/csv.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kedge/core/error.h"
#include "kedge/core/rng.h"
#include "result.h"
#include "timing.h"

namespace kedge {
namespace {

constexpr size_t rows = 1000000, columns = 10;
constexpr int repeats = 3;

Table random_table() {
  Table table("random");
  for (size_t c = 0; c < columns; ++c) {
    Rng rng(1, Stream::noise, c);
    Column column{.name = fmt::format("x{}", c), .role = Role::input, .values = {}, .words = {}};
    for (size_t r = 0; r < rows; ++r) column.values.push_back(rng.normal());
    table.add(std::move(column));
  }
  return table;
}

void check_answer(const Table& read, const Table& written) {
  for (const Column& column : written.columns()) {
    if (read.column(column.name).values != column.values)
      throw Error("bench", fmt::format("column {} was not read as it was written", column.name));
  }
}

void run(const std::string& path) {
  const Table table = random_table();
  {
    std::ofstream file(path);
    write_csv(file, table);
  }
  check_answer(read_csv(path), table);

  std::vector<double> seconds;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const Stopwatch watch;
    const Table read = read_csv(path);
    seconds.push_back(watch.seconds());
  }
  const double megabytes = static_cast<double>(std::filesystem::file_size(path)) * 1e-6;
  fmt::print("csv: {} rows x {} columns, {:.0f} MB: {:.2f} s, {:.0f} MB/s (median of {})\n", rows, columns,
             megabytes, median(seconds), megabytes / median(seconds), repeats);
  const std::string result = write_result("csv", "build/release/bench/csv",
                                          {{"rows", rows},
                                           {"columns", columns},
                                           {"megabytes", megabytes},
                                           {"repeats", repeats},
                                           {"seconds", median(seconds)}});
  fmt::print("written: {}\n", result);
}

}  // namespace
}  // namespace kedge

int main() {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("kedge-bench-{}.csv", getpid());
  int status = 0;
  try {
    kedge::run(path.string());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    status = 1;
  }
  std::filesystem::remove(path);
  return status;
}
