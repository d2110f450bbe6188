// Writes what the fuzzers begin from: seeds FOLDER makes FOLDER/<fuzzer>/<file>.

#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>

#include "kedge/experiments/result.h"
#include "kedge/table/csv.h"
#include "kedge/table/npy.h"
#include "tests/imitation/point_mass.h"
#include "tests/predictor/fitted.h"

namespace kedge {
namespace {

class Seeds {
 public:
  explicit Seeds(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add(const std::string& fuzzer, const std::string& bytes) {
    std::filesystem::create_directories(folder_ / fuzzer);
    std::ofstream(folder_ / fuzzer / std::to_string(++count_), std::ios::binary) << bytes;
  }
  void add_written(const std::string& fuzzer, const std::function<void(std::ostream&)>& write) {
    std::ostringstream out;
    write(out);
    add(fuzzer, out.str());
  }

 private:
  std::filesystem::path folder_;
  int count_ = 0;
};

void add_models(Seeds& seeds) {
  for (const std::string model :
       {"bilinear", "bilinear-ridge", "concat", "mlp", "linear", "quadratic", "nearest", "extreme"}) {
    FitOptions options = quick_options(model);
    options.pool = 20;
    const Table table = training_table(12);
    const FitResult fitted = fit_model({table, options});
    seeds.add("model", fitted.predictor.to_bytes());
    seeds.add("safetensors", fitted.predictor.to_bytes());
    seeds.add("program", fitted.predictor.program().to_json());
    seeds.add("options", to_json(options));
    seeds.add("json", to_json(options));
  }
  const std::string taken_in =
      R"({"separator":"comma","decimal":"point","header":"yes","columns":[{"name":"x","kind":"number","fill":1.5},)"
      R"({"name":"angle","kind":"date","form":"year-first"},{"name":"size","kind":"number"}],"constants":["k"]})";
  FitOptions with_intake = quick_options("linear");
  with_intake.pool = 20;
  const Table rows = training_table(12);
  FitResult fitted = fit_model({rows, with_intake});
  fitted.predictor.set_intake(intake_from_json(taken_in));
  seeds.add("model", fitted.predictor.to_bytes());
  FitOptions weighted = quick_options("bilinear");
  weighted.pool = 20;
  weighted.weights.source = WeightSource::examples;
  weighted.anchors.rule = AnchorRule::weight;
  const Table table = training_table(12);
  const PairExamples examples{.pairs = {{0, 1}, {2, 3}, {4, 5}}, .weights = {1, 0, 1}};
  seeds.add("model", fit_model({table, weighted, examples}).predictor.to_bytes());
}

void add_policies(Seeds& seeds) {
  for (const std::string model : {"bilinear", "mlp-time", "replay", "ridge-by-step"}) {
    const PolicyOptions options = quick_policy(model, 20);
    seeds.add("policy", imitate({point_demonstrations(6), options}).policy.to_bytes());
    seeds.add("options", to_json(options));
  }
}

void add_tables(Seeds& seeds) {
  for (const size_t rows : {1u, 7u}) {
    seeds.add_written("csv", [&](std::ostream& out) { write_csv(out, training_table(rows)); });
    seeds.add_written("npy", [&](std::ostream& out) { write_npy(out, query_rows(rows)); });
  }
  seeds.add("csv", "\xef\xbb\xbfname,\"a \"\"b\"\", c\",=x\r\nmug,1e-3,nan\r\n\"two\nlines\",+inf,-.5\r\n");
  seeds.add("csv", "a;\"b;c\";d\n1,5;NA;2024-03-01\n-2,25;x;01.03.2024\n");
  seeds.add("csv", "1\t2.5\n3\t4\n");
  seeds.add("pair_examples", "query,anchor,weight\n0,1,1\n2,3,0\n9,8,1\n");
  seeds.add("column_text",
            "theta=angle,phi=degrees,size=log,w+x+y+z=rotation\ntheta\nphi\nsize\nw\nx\ny\nz\nout");
  seeds.add("column_text", "a\\,b+c,d\\=+e\na,b\nc\nd=\ne\nf");
  for (const std::string rule : {"many=20", "radius=0.5", "percentile=10", "weight=greatest"})
    seeds.add("column_text", rule + "\nx\ny");
}

void add_results(Seeds& seeds) {
  Result result{};
  result.id = "table-scaled";
  result.cells = {{"Mug", "Ours", "default", "oos", Measured{0.1, 0.2, 1}, {0.3, 0.4, 50}},
                  {"Mug", "Linear", "default", "in", {}, {0.5, 0.1, 50}}};
  Chart chart{};
  chart.title = "a chart";
  chart.series.push_back({.name = "line", .x = {0, 1, 2}, .y = {1, 4, 2}});
  result.charts.push_back(chart);
  result.notes = {"a note"};
  seeds.add("result", to_json(result));
  seeds.add("json", to_json(result));
}

}  // namespace
}  // namespace kedge

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: seeds FOLDER\n";
    return 2;
  }
  kedge::Seeds seeds(argv[1]);
  kedge::add_models(seeds);
  kedge::add_policies(seeds);
  kedge::add_tables(seeds);
  kedge::add_results(seeds);
}
