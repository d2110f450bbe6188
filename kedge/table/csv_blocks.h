#pragma once

// CsvBlocks: a CSV file read in blocks of whole records, so that a file of any length needs the memory of a
// block.
//
// Law: the rows of the blocks, one after the other, are those of the whole file, with the same lines.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kedge/core/input_stream.h"
#include "kedge/table/csv_format.h"
#include "kedge/table/csv_rows.h"

namespace kedge {

struct CsvBlockOptions {
  CsvSigns told = {};
  std::optional<CsvFormat> known = {};
  size_t block_bytes = size_t{1} << 20;     ///< a block is at least this long, unless the file ends
  size_t longest_record = size_t{1} << 28;  ///< bytes; longer ones are refused
};

class CsvBlocks {
 public:
  /// Recognises the format and reads the header. Throws Error. The input must outlive this.
  CsvBlocks(InputStream& input, const CsvBlockOptions& options = {});

  const CsvFormat& format() const { return format_; }
  /// Names of all columns of the file.
  const std::vector<std::string>& names() const { return names_; }

  /// The rows of the next block under these names; nothing after the last. Throws Error, also when the file
  /// has no rows at all.
  std::optional<CsvRows> next(const std::vector<std::string>& names, const CsvRowOptions& options);
  /// Goes past the next block without parsing it; false where there is none. Throws Error.
  bool skip();

 private:
  void read_up_to(size_t bytes);
  /// Reads a block, on to the end of a record, and says where the last whole one ends.
  size_t read_records();

  InputStream& input_;
  const CsvBlockOptions options_;
  CsvFormat format_;
  std::vector<std::string> names_;
  std::string text_;  // read and not yet parsed
  size_t line_ = 1;   // on which it begins
  size_t rows_ = 0;
  bool at_end_ = false;
};

/// Where the last whole record of the text ends: behind its line end, blank lines after it left out. 0 where
/// there is none. Quotes open at the beginning of a cell; without a separator, after any.
size_t end_of_records(std::string_view text, std::optional<Separator> separator);

}  // namespace kedge
