#pragma once

// Predictor: a fitted model with all it needs to answer: the network's parameters, the space, the scales, the
// training rows that serve as anchors. Made by a fit (kedge/predictor/fit.h, kedge/trials/fit.h) or loaded.
//
// Laws: a prediction is a pure function of (predictor, row, rule); not of the other rows of the call, their
// order, or how often it was asked. load(save(p)) predicts the same numbers, bit for bit. The same seed gives
// the same predictor for any number of threads. All const members are safe from many threads.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/core/safetensors.h"
#include "kedge/core/stop_check.h"
#include "kedge/coverage/departure.h"
#include "kedge/coverage/stored_coverage.h"
#include "kedge/coverage/theorem.h"
#include "kedge/coverage/verdict.h"
#include "kedge/predictor/options.h"
#include "kedge/table/intake.h"
#include "kedge/table/table.h"
#include "kedge/weights/pair_weights.h"

namespace kedge {

/// Version of this library, "0.1.0".
std::string version();

struct Predictions {
  static constexpr int64_t none = -1;

  std::vector<std::string> inputs, outputs;
  Matrix<double>
      y;  ///< one row per query, one column per output; not finite where a query is too far for arithmetic
  /// The training row that answers, and the training pair (query row, anchor row) whose difference is nearest
  /// to query - anchor: both 0-based, `none` when no anchor was searched.
  std::vector<int64_t> anchor, analog_query, analog_anchor;
  /// Between those two differences, in units of the metric. A model without anchors has it where a query is
  /// no interpolation: of the training row whose difference is nearest to one that was seen. NaN without.
  std::vector<double> delta_distance;
  std::vector<double> spread;  ///< deviation of the prediction over replicas and anchors (norm over outputs)

  // What can be said of each query; see kedge/coverage.
  std::vector<double> support_distance;  ///< to the nearest training row, in units of the metric
  std::vector<double> delta_percentile;  ///< percent of training differences nearer to the pool; NaN without
  std::vector<int64_t> admissible_anchors;  ///< of the anchors that answer, those whose difference is in
                                            ///< support; `none` without
  std::vector<double> expected_error;  ///< mean error of such queries (norm over outputs); NaN if unknown
  /// The same for those whose true outputs lie beyond all training outputs, which nobody knows before.
  std::vector<double> expected_error_beyond = {};
  std::vector<Verdict> verdict;
  std::vector<std::vector<Departure>> outside;  ///< by query: why it is no interpolation; empty where it is
  /// By query: the outputs of the answer that lie beyond all training outputs, `column` numbers them.
  std::vector<std::vector<Departure>> outputs_outside = {};
  /// Why a row has no prediction, see BadRows::mark; empty for the others, and no notes where there are none.
  std::vector<std::string> note = {};

  size_t rows() const { return y.rows(); }
};

/// What is found out beside the answers and their spread: all that can be said of each query, or nothing.
enum class Judging { verdicts, none };

/// What becomes of a query that is not finite or not in the space: an Error, or an undetermined row without
/// numbers whose note says why.
enum class BadRows { refuse, mark };

struct PredictOptions {
  /// Instead of the rule the model was fitted with. Answers are then plain means over these anchors: what
  /// options.outward says holds for the model's own rule.
  std::optional<AnchorOptions> anchors = {};
  /// Given anchors: for each query the training row that answers it, instead of a search.
  std::optional<std::span<const uint32_t>> anchor_rows = {};
  std::optional<Thresholds> thresholds = {};  ///< instead of the model's own
  Judging judging = Judging::verdicts;
  int threads = 0;            ///< 0: every core
  StopCheck stop_check = {};  ///< asked between rows, from several threads at once
  /// Counts the queries that are answered. Comes from the threads that work, one call at a time. Where it
  /// returns false, `predict` throws Error.
  ProgressFn progress = {};
  /// Numbers that a thread keeps at once of its pairs, their features and all replicas' answers: 16 MiB. A
  /// query that has more is answered in parts. Answers do not depend on it.
  size_t kept_numbers = size_t{1} << 22;
  BadRows bad_rows = BadRows::refuse;
};

/// The answers to some rows of a larger table, put where those rows stand; `notes` say why the others have
/// none.
Predictions among_bad_rows(const Predictions& answers, const std::vector<size_t>& rows,
                           std::vector<std::string> notes);

struct AnchorRules;  // which rule answers which query

class Predictor {
 public:
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;
  ~Predictor();

  /// Query columns are matched by name; others are ignored. Throws Error on missing columns and rows that are
  /// not finite or not in the space.
  Predictions predict(const Table& queries, const PredictOptions& options = {}) const;
  /// Rows hold the inputs in the order of `inputs()`.
  Predictions predict(MatrixView<const double> rows, const PredictOptions& options = {}) const;

  /// For each query what is wrong with it, see BadRows; empty texts for the others, and none at all where
  /// nothing is wrong. Throws Error on missing columns.
  std::vector<std::string> faults(const Table& queries) const;

  /// What the paper's theorem says of the first replica's product, in the units it was trained in; of a model
  /// that predicts the change from the anchor's output, of the change. Measured on some thousand training
  /// pairs that are always the same. Nothing for models that are no product of two embeddings, whose numbers
  /// overflow, or that are too wide: embeddings of at most 512 numbers, of fewer where there are more than 4
  /// outputs.
  std::optional<TheoremQuantities> theorem() const;
  /// What is too wide for `theorem`, as a text; empty when nothing is.
  std::string why_no_theorem() const;
  /// The same for these queries and the anchors that answer them. Throws Error as `predict` does.
  std::optional<TheoremQuantities> theorem(const Table& queries) const;

  /// The file is replaced at once or not at all.
  void save(const std::string& path) const;
  static Predictor load(const std::string& path);
  /// The same through memory; `source` is what errors call it.
  std::string to_bytes() const;
  static Predictor from_bytes(std::string_view bytes, const std::string& source);
  /// The same as named arrays, for files that hold more than a predictor.
  TensorFile to_tensors() const;
  static Predictor from_tensors(const TensorFile& file);

  const FitOptions& options() const;
  const std::vector<std::string>& inputs() const;
  const std::vector<std::string>& outputs() const;
  const Program& program() const;
  const Encoder& encoder() const;
  size_t training_rows() const;
  /// Training rows that may serve as anchors: all, or some of a large table.
  size_t anchor_rows() const;
  /// What that costs, see kedge/anchors/spread_rows.h. Nothing where every row serves, or where no fit has
  /// measured it.
  std::optional<double> anchor_stretch() const;
  /// Measures it.
  void measure_anchors(int threads, const StopCheck& stop_check = {});
  /// Whether each query is in support: then `inside_anchors` answer it, where options have them.
  std::vector<bool> in_support(const Table& queries) const;
  /// Where the training outputs end.
  const OutputRange& output_range() const;
  /// Canonical points of the training rows, see Space, and their outputs.
  const Matrix<double>& training_points() const;
  const Matrix<double>& training_outputs() const;
  /// What verdicts and expected errors are made of.
  StoredCoverage coverage() const;
  /// Replaces what is known of the errors to expect: what calibration learned.
  void set_errors(const ErrorModel& errors);
  /// How the columns of files become the inputs, see Intake; empty where they are the inputs.
  const Intake& intake() const;
  void set_intake(Intake intake);
  /// Which pairs may be transduced to each other; null for models that take all pairs alike.
  const PairWeights* weights() const;
  /// Steps it was trained for, of `options().training.steps`: fewer after a stop. With replicas the least of
  /// theirs; 0 for closed forms.
  uint64_t trained_steps() const;
  /// Mean loss at the end of training, in standardized units when outputs are; NaN for closed forms.
  double final_loss() const;
  /// Version of the library that wrote the file this was loaded from; this library's after a fit.
  const std::string& written_by() const;

  struct State;

 private:
  Predictions predict_good(const Table& queries, const PredictOptions& options) const;
  Predictions answers(MatrixView<const double> points, const PredictOptions& options,
                      const AnchorRules& rules) const;

  friend class FitDraft;
  friend class RowPredictor;
  explicit Predictor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kedge
