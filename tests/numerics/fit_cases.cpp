#include "kedge/core/format.h"
#include "kedge/trials/fit.h"
#include "tests/numerics/cases.h"
#include "tests/predictor/fitted.h"

namespace kedge {
namespace {

/// A small table in which every rule finds something to go by, and noise, so that penalties differ.
Table table_of_all() {
  const Table plain = training_table(40);
  Table table("noisy.csv");
  Rng rng(5, Stream::noise);
  for (Column one : plain.columns()) {
    if (one.role == Role::output)
      for (double& y : one.values) y += rng.normal();
    table.add(one);
  }
  std::vector<double> time;
  for (size_t r = 0; r < table.rows(); ++r) time.push_back(static_cast<double>(r % 4));
  table.add(column("t", Role::time, time));
  return table;
}

/// Every third pair is related.
PairExamples example_list() {
  PairExamples examples;
  for (uint32_t r = 0; r + 1 < 40; ++r) {
    examples.pairs.push_back({r, r + 1});
    examples.weights.push_back(r % 3 == 0 ? 1.0f : 0.0f);
  }
  return examples;
}

class Fits {
 public:
  explicit Fits(BitList& list) : list_(list) {}

  void add(const std::string& name, const FitOptions& options, const PairExamples& examples = {}) {
    add(name, table_, options, examples);
  }

  void add(const std::string& name, const Table& table, const FitOptions& options,
           const PairExamples& examples = {}) {
    const Predictor predictor = fit({table, options, examples}, {.threads = 1}).predictor;
    const Predictions found = predictor.predict(queries_, {.threads = 1});
    std::vector<double> numbers = found.y.values();
    for (const std::vector<double>* part : {&found.expected_error, &found.expected_error_beyond,
                                            &found.delta_distance, &found.delta_percentile})
      append(numbers, *part);
    for (const std::vector<int64_t>* part :
         {&found.anchor, &found.analog_query, &found.analog_anchor, &found.admissible_anchors})
      append(numbers, *part);
    for (Verdict verdict : found.verdict) numbers.push_back(static_cast<double>(verdict));
    append(numbers, found.support_distance);
    append(numbers, found.spread);
    list_.add(name, numbers);
  }

  /// A fit for each name that users have for a value.
  template <class E, class Set>
  void add_each(const std::string& option, const Set& set) {
    for (const auto& [value, name] : names_of(E{})) {
      FitOptions options = quick_options("bilinear");
      set(options, value);
      const bool weighs = options.weights.source == WeightSource::examples;
      add(fmt::format("fit {} {}", option, name), options, weighs ? example_list() : PairExamples{});
    }
  }

 private:
  BitList& list_;
  const Table table_ = table_of_all();
  const Matrix<double> queries_ = query_rows(25);
};

void add_models(Fits& fits) {
  for (const Model& model : all_models()) fits.add("fit of " + model.name, quick_options(model.name));
  for (const char* base : {"linear", "ridge", "quadratic"}) {
    FitOptions options = quick_options("bilinear");
    options.base = base;
    options.share = 0.6;
    fits.add(fmt::format("fit over {}", base), options);
  }
  for (const Preset& preset : all_presets()) {
    FitOptions options = preset_options(preset.name, "bilinear");
    options.space = curved_space;
    options.epochs = 0;
    options.training.steps = 12;
    options.pool = 200;
    fits.add("preset " + preset.name, options);
  }
}

void add_enums(Fits& fits) {
  fits.add_each<Fourier>("Fourier", [](FitOptions& o, Fourier v) { o.architecture.fourier = v; });
  fits.add_each<Predicts>("predicts", [](FitOptions& o, Predicts v) { o.architecture.predicts = v; });
  fits.add_each<Schedule>("schedule", [](FitOptions& o, Schedule v) { o.training.adam.schedule = v; });
  fits.add_each<Loss>("loss", [](FitOptions& o, Loss v) { o.training.loss = v; });
  fits.add_each<Scaling>("inputs", [](FitOptions& o, Scaling v) { o.inputs = v; });
  fits.add_each<Scaling>("outputs", [](FitOptions& o, Scaling v) { o.outputs = v; });
  fits.add_each<PairRule>("pairs", [](FitOptions& o, PairRule v) { o.pairs = v; });
  fits.add_each<SelfPairs>("self", [](FitOptions& o, SelfPairs v) { o.self = v; });
  fits.add_each<Calibration>("calibration", [](FitOptions& o, Calibration v) { o.calibration = v; });
  fits.add_each<WeightSource>("weights", [](FitOptions& o, WeightSource v) {
    if (v == WeightSource::none) return;
    o.weights.architecture = {.layers = 2, .width = 6, .embedding = 3};
    o.weights.training.steps = 40;
    o.weights.rounds = 2;
    o.weights.cut = 0.05;
    weigh_pairs(o, v);
    o.anchors.count = 4;
  });
}

void add_others(Fits& fits) {
  FitOptions options = quick_options("bilinear");
  options.replicas = 3;
  options.inside_anchors = AnchorOptions{.rule = AnchorRule::near, .count = 3};
  fits.add("fit of replicas with a rule inside", options);
  options = quick_options("bilinear");
  options.outward = parse_outward("from=0.6,low=0.5,high=1,anchors=near=4");
  fits.add("fit moved outward", options);
  options = quick_options("bilinear");
  options.space = curved_space + ",y=log";
  options.training.adam.weight_decay = 0.01;
  options.epochs = 20;
  Table table = training_table(40);
  std::vector<double> weights;
  for (size_t r = 0; r < table.rows(); ++r) weights.push_back(static_cast<double>(1 + r % 3));
  table.add(column("weight", Role::weight, weights));
  fits.add("fit of weighted rows, an output on a log scale", table, options);
  options = quick_options("bilinear");
  options.same_unit = "y+z";
  options.anchor_rows = 20;
  fits.add("fit of few anchors, outputs of one unit", options);
}

}  // namespace

void add_fits(BitList& list) {
  Fits fits(list);
  add_models(fits);
  add_enums(fits);
  add_others(fits);
}

}  // namespace kedge
