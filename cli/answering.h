#pragma once

// Answering: a file of queries answered block by block, by one process or by the ranks of a run in turn:
// block b is that of rank b modulo their number. Rank 0 writes all of them in order. Each rank reads the
// whole file and parses its own blocks only.
//
// Law: what is written does not depend on the number of ranks.

#include <array>
#include <deque>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/answers.h"
#include "cli/input.h"
#include "cli/progress.h"
#include "cli/queries.h"
#include "kedge/core/error.h"
#include "kedge/jobs/ranks.h"

namespace kedge {

struct PredictFlags {
  std::string model, queries, output, anchors, keep, on_unreachable = "keep";
  ThresholdFlags thresholds;
  FormatFlags format;
  int threads = 0;
  bool json = false, with_inputs = false, quiet = false;
};

/// A block of the file, answered.
struct AnsweredBlock {
  std::string csv = {};       ///< text of its rows
  Json rows = Json::array();  ///< in its place with --json
  size_t count = 0;           ///< of its rows
  size_t bad = 0;             ///< rows without an answer
  std::string first_bad = {};
  size_t unreachable = 0;  ///< or undetermined
  std::string first_unreachable = {};
  std::array<size_t, all_verdicts.size()> verdicts = {};
};

/// What all ranks have to agree on: the program, what it was asked for, and the content of both files.
std::string identity_of(const PredictFlags& flags);

/// What rank 0 hears of the others. In the end all are heard out, so that none waits for ever for its message
/// to be taken.
class OtherRanks {
 public:
  /// `ranks` may be null: there are none.
  explicit OtherRanks(Ranks* ranks);
  ~OtherRanks();
  OtherRanks(const OtherRanks&) = delete;
  OtherRanks& operator=(const OtherRanks&) = delete;

  /// With rank 0.
  size_t size() const { return arrived_.size(); }
  /// Throws Error unless all of them answer the same queries by the same model.
  void require(const std::string& identity);
  /// The next block of a rank; nothing after its last. Throws Error in place of one that it could not answer.
  std::optional<AnsweredBlock> next_of(size_t rank, bool is_json);

 private:
  const std::vector<std::string>& first_of(size_t rank);
  void receive();

  Ranks* const ranks_;
  std::vector<std::deque<std::vector<std::string>>> arrived_;  // by rank, not yet taken
};

class Answering {
 public:
  Answering(const PredictFlags& flags, const Predictor& predictor, const PredictOptions& options);

  /// Of rank 0, or of a process alone.
  void write_csv(std::ostream& out, OtherRanks& others);
  void write_json(std::ostream& out, OtherRanks& others);
  /// Of the other ranks: sends their blocks to rank 0.
  void send_blocks(Ranks& ranks);

  /// Says how many queries have no answer, where there are such.
  void tell_bad_rows() const;

 private:
  template <class Take>
  void each_block(OtherRanks& others, const Take& take);
  std::optional<AnsweredBlock> own_block(Header header);
  void add(const AnsweredBlock& block);

  const PredictFlags& flags_;
  const Predictor& predictor_;
  PredictOptions options_;
  QueryFile queries_;
  ProgressBar bar_;
  double block_begin_ = 0;  ///< where in the file the block at hand begins
  size_t count_ = 0, bad_ = 0;
  std::string first_bad_;
  std::array<size_t, all_verdicts.size()> verdicts_ = {};
};

/// Tells rank 0, in place of a block, that this rank has none and why.
void send_fault(Ranks& ranks, const Error& error);

}  // namespace kedge
