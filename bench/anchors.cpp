// Measures the anchor search: this library's, a blocked matrix product, and NumPy, on the same tables in one
// run, answers compared first. Times are processor time of one thread. Writes bench/results/anchors.csv,
// anchors_growth.csv and anchors_growth.svg. Usage: anchors [PYTHON] (build/peers/bin/python unless told;
// without it NumPy is left out)

#include "bench/anchors.h"

#include <fmt/format.h>
#include <time.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

#include "kedge/anchors/difference_index.h"
#include "kedge/report/svg.h"
#include "kedge/table/npy.h"

namespace kedge::bench {
namespace {

double processor_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Long runs are tried twice only.
double best_of(int times, const std::function<void()>& work) {
  constexpr double long_run = 0.2;
  double best = 1e300;
  for (int i = 0; i < times && (i < 2 || best < long_run); ++i) {
    const double start = processor_seconds();
    work();
    best = std::min(best, processor_seconds() - start);
  }
  return best;
}

struct Spread {
  double mean = 0, most = 0;
};

Spread seconds_each(const DifferenceIndex& index, const Matrix<double>& queries, size_t count) {
  Spread out;
  for (size_t q = 0; q < queries.rows(); ++q) {
    const double s = best_of(5, [&] { index.closest(queries.row(q), count); });
    out.mean += s / static_cast<double>(queries.rows());
    out.most = std::max(out.most, s);
  }
  return out;
}

struct Peer {
  long anchor = -1, place = -1;
  double distance = 0, direct = 0, product = 0;
};

Peer run_numpy(const std::string& python, const AnchorTask& task, std::span<const double> query,
               size_t anchors) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "kedge_bench_anchors";
  std::filesystem::create_directories(folder);
  const DifferencePool& pool = task.pool;
  const auto scaled = [&](Matrix<double> x) {
    for (size_t i = 0; i < x.rows(); ++i)
      for (size_t c = 0; c < x.cols(); ++c) x(i, c) /= pool.scale[c];
    return x;
  };
  const auto write = [&](const char* name, const Matrix<double>& x) {
    std::ofstream out(folder / name, std::ios::binary);
    write_npy(out, x);
  };
  Matrix<double> pairs(pool.pairs.size(), 2);
  for (size_t p = 0; p < pairs.rows(); ++p) {
    pairs(p, 0) = pool.pairs[p].query;
    pairs(p, 1) = pool.pairs[p].anchor;
  }
  write("points.npy", scaled(pool.points));
  write("query.npy", scaled(Matrix<double>(1, query.size(), {query.begin(), query.end()})));
  write("pairs.npy", pairs);
  const std::string command = fmt::format("'{}' '{}/bench/peers/numpy_anchors.py' '{}' {}", python,
                                          KEDGE_SOURCE_DIR, folder.string(), anchors);
  Peer peer;
  FILE* const pipe = popen(command.c_str(), "r");
  if (!pipe || std::fscanf(pipe, "%ld %ld %lf %lf %lf", &peer.anchor, &peer.place, &peer.distance,
                           &peer.direct, &peer.product) != 5)
    peer = {};
  if (pipe) pclose(pipe);
  std::filesystem::remove_all(folder);
  return peer;
}

struct Case {
  const char* name;
  size_t rows, pairs, columns;
  size_t brute_anchors;  ///< that brute force is timed on; the rest is scaled up
};

void require_equal(const DifferenceIndex& index, const AnchorTask& task, const BlockedProduct& product) {
  for (const Matrix<double>* queries : {&task.inside, &task.outside}) {
    const NearestDifference a = index.closest(queries->row(0), 1)[0];
    const NearestDifference b = product.nearest(queries->row(0), task.pool.points.rows());
    if (a.anchor != b.anchor || a.place != b.place || a.squared != b.squared) {
      fmt::print(stderr, "anchors: {}: the answers differ: row {} and row {}\n", task.name, a.anchor,
                 b.anchor);
      std::exit(1);
    }
  }
  fmt::print(
      "checked: {}, {} rows, {} pairs, {} columns: 2 queries: nearest equal to the blocked product's, which "
      "decides in double precision, to the last bit\n",
      task.name, task.pool.points.rows(), task.pool.pairs.size(), task.pool.delta_size());
}

void measure(const Case& one, const std::string& python, std::ofstream& csv) {
  const AnchorTask task = make_task(one.name, one.rows, one.pairs, one.columns);
  const double start = processor_seconds();
  const DifferenceIndex index(task.pool);
  index.build();
  const double built = processor_seconds() - start;
  const BlockedProduct product(task.pool);
  const bool whole = one.brute_anchors >= one.rows;
  if (whole)
    require_equal(index, task, product);
  else
    check_samples(index, task);
  const double own = static_cast<double>(one.pairs * (sizeof(Pair) + 4 * one.columns));
  const double held = static_cast<double>(index.bytes() + one.pairs * sizeof(Pair));
  fmt::print("{}: {} rows, {} pairs, {} columns; built in {:.1f} s, {:.2f} x the pool's bytes\n", one.name,
             one.rows, one.pairs, one.columns, built, held / own);
  for (const bool inside : {true, false}) {
    const Matrix<double>& queries = inside ? task.inside : task.outside;
    const size_t brute = std::min(one.brute_anchors, one.rows);
    const double scale = static_cast<double>(one.rows) / static_cast<double>(brute);
    const double gemm = scale * best_of(2, [&] { product.nearest(queries.row(0), brute); });
    Peer peer;
    if (!python.empty()) peer = run_numpy(python, task, queries.row(0), brute);
    if (whole && peer.anchor >= 0) {
      const NearestDifference found = index.closest(queries.row(0), 1)[0];
      if (std::abs(found.distance() - peer.distance) > 1e-6 * (1 + found.distance())) {
        fmt::print(stderr, "anchors: {}: NumPy's answer differs\n", task.name);
        std::exit(1);
      }
    }
    for (const size_t count : {size_t{1}, size_t{20}}) {
      const Spread s = seconds_each(index, queries, count);
      const char* const where = inside ? "inside" : "outside";
      const char* const rule = count == 1 ? "nearest" : "many=20";
      fmt::print("  {:7} {:7} ours {:9.3f} ms (worst {:9.3f}) | product {:10.1f} ms, {:6.1f} x{}", where,
                 rule, 1e3 * s.mean, 1e3 * s.most, 1e3 * gemm, gemm / s.mean, whole ? "" : " (scaled up)");
      csv << fmt::format("{},{},{},{},{},{},{:.4f},{:.4f},{:.2f},{:.2f},{:.3f},", one.name, one.rows,
                         one.pairs, one.columns, where, rule, 1e3 * s.mean, 1e3 * s.most, 1e3 * gemm, built,
                         held / own);
      if (peer.anchor >= 0) {
        fmt::print(" | NumPy {:.0f} ms, {:.0f} x; its product {:.0f} ms, {:.0f} x", 1e3 * peer.direct,
                   peer.direct / s.mean, 1e3 * peer.product, peer.product / s.mean);
        csv << fmt::format("{:.1f},{:.1f}\n", 1e3 * peer.direct, 1e3 * peer.product);
      } else {
        csv << ",\n";
      }
      fmt::print("\n");
      std::fflush(stdout);
    }
  }
}

// Sixteen times the rows, thirty-two times the pairs: powers on both axes, so that a straight line is a power
// law.
class Growth {
 public:
  Growth() : csv_(std::string(KEDGE_SOURCE_DIR) + "/bench/results/anchors_growth.csv") {
    csv_ << "data,rows,pairs,columns,queries,ours_ms\n";
  }

  void measure_all() {
    for (const auto& [name, columns] :
         {std::pair{"composition", size_t{44}}, std::pair{"latent", size_t{8}}}) {
      Series rows{.name = fmt::format("{}, {} columns: rows", name, columns)},
          pairs{.name = fmt::format("{}, {} columns: pairs", name, columns), .style = SeriesStyle::dashes};
      for (const size_t n : {1000, 2000, 4000, 8000, 16000}) add(rows, n, measure(name, n, 200000, columns));
      for (const size_t p : {25000, 50000, 100000, 200000, 400000, 800000})
        add(pairs, p, measure(name, 4000, p, columns));
      chart_.series.push_back(std::move(rows));
      chart_.series.push_back(std::move(pairs));
    }
    chart_.title =
        "Anchor search: cost of a query (1,000-16,000 rows with 200,000 pairs; 25,000-800,000 pairs with "
        "4,000 rows)";
    chart_.x_label = "log10 of rows or pairs";
    chart_.y_label = "log10 of ms a query, one core";
    std::ofstream(std::string(KEDGE_SOURCE_DIR) + "/bench/results/anchors_growth.svg")
        << to_svg(chart_, "anchors-growth");
  }

 private:
  static void add(Series& series, size_t size, double milliseconds) {
    series.x.push_back(std::log10(static_cast<double>(size)));
    series.y.push_back(std::log10(milliseconds));
  }

  /// Milliseconds of a query, the mean of those inside and outside.
  double measure(const char* name, size_t rows, size_t pairs, size_t columns) {
    const AnchorTask task = make_task(name, rows, pairs, columns);
    const DifferenceIndex index(task.pool);
    double sum = 0;
    for (const bool inside : {true, false}) {
      const Spread s = seconds_each(index, inside ? task.inside : task.outside, 1);
      sum += 1e3 * s.mean;
      csv_ << fmt::format("{},{},{},{},{},{:.4f}\n", name, rows, pairs, columns,
                          inside ? "inside" : "outside", 1e3 * s.mean);
      fmt::print("  {:11} {:6} rows {:8} pairs {:7} {:9.3f} ms\n", name, rows, pairs,
                 inside ? "inside" : "outside", 1e3 * s.mean);
    }
    std::fflush(stdout);
    return sum / 2;
  }

  std::ofstream csv_;
  Chart chart_;
};

}  // namespace
}  // namespace kedge::bench

int main(int argc, char** argv) {
  using namespace kedge::bench;
  const std::string root = KEDGE_SOURCE_DIR;
  std::string python = argc > 1 ? argv[1] : root + "/build/peers/bin/python";
  if (!std::filesystem::exists(python)) {
    fmt::print("anchors: no {}; NumPy is left out\n", python);
    python.clear();
  }
  std::filesystem::create_directories(root + "/bench/results");
  std::ofstream csv(root + "/bench/results/anchors.csv");
  csv << "data,rows,pairs,columns,queries,rule,ours_ms,ours_worst_ms,product_ms,build_s,"
         "bytes_over_pool,numpy_ms,numpy_product_ms\n";
  constexpr Case cases[] = {{"composition", 5693, 170790, 44, 5693}, {"correlated", 5693, 170790, 44, 5693},
                            {"gauss", 5693, 170790, 44, 5693},       {"grasp", 1000, 500000, 12, 1000},
                            {"uniform", 1000, 10000, 12, 1000},      {"latent", 100000, 10000000, 8, 128},
                            {"gauss", 100000, 10000000, 8, 128}};
  for (const char* name : {"latent", "gauss"}) {
    check_everything(make_task(name, 100000, 2000, 8));
    check_everything(make_task(name, 1000, 1000000, 8));
  }
  for (const Case& one : cases) measure(one, one.pairs > 1000000 ? "" : python, csv);
  Growth().measure_all();
}
