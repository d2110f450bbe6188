#pragma once

// Queries: the rows of a file as a model reads them, block by block, with what is wrong with each.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/input.h"
#include "kedge/predictor/predictor.h"
#include "kedge/table/csv_blocks.h"

namespace kedge {

/// Some rows of the file, in order.
struct QueryBlock {
  Table table;  ///< the model's inputs, and its outputs where they were wanted and are there
  std::vector<std::string> notes;  ///< why a row cannot be answered, see Predictions::note
  std::vector<Column> kept;        ///< columns of the file as they are written, as words

  /// Rows without a note.
  std::vector<size_t> good_rows() const;
};

struct QueryOptions {
  CsvSigns told = {};
  std::vector<std::string> keep = {};  ///< columns of the file to keep as they are written
  bool keeps_inputs = false;           ///< and those that the model reads
  bool wants_outputs = false;          ///< reads true outputs too, where the file has them all
  bool is_quiet = false;
  size_t block_bytes = CsvBlockOptions{}.block_bytes;
};

class QueryFile {
 public:
  /// "-" is standard input. Throws Error when columns are missing.
  QueryFile(const std::string& path, const Predictor& predictor, QueryOptions options);

  /// Nothing after the last block. Throws Error.
  std::optional<QueryBlock> next();
  /// Goes past the next block; false where there is none. Throws Error.
  bool skip();

  /// Bytes of the file, 0 where that is not known, and how many of them have been read.
  const InputStream& input() const { return input_; }
  /// Why true outputs are not read, where they were wanted.
  const std::string& outputs_fault() const { return outputs_fault_; }

 private:
  void choose_columns(const std::vector<std::string>& there);
  QueryBlock block_of(CsvRows rows);
  std::optional<CsvRows> next_npy();

  InputStream input_;
  const Predictor& predictor_;
  QueryOptions options_;
  std::unique_ptr<CsvBlocks> csv_;  // null for an NPY file
  std::vector<std::string> names_;  // of the file's columns
  CsvRowOptions rows_;
  std::string outputs_fault_;
  bool has_outputs_ = false, is_read_ = false;
};

/// The model's answers to a block; rows with a note are undetermined.
Predictions answer(const Predictor& predictor, const QueryBlock& block, const PredictOptions& options);

}  // namespace kedge
