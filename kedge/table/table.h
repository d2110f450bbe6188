#pragma once

// Table: named columns of numbers, each with a role. What users bring, before anything is made of it.
//
// Laws: all columns have the same number of rows; every column has a name and no two share one. A text column
// (a label such as "mug") holds the index of each cell's word in `words`, numbered by first appearance.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/core/name_index.h"

namespace kedge {

/// What a column is for. `label` groups rows that may be paired, `episode` and `time` order demonstrations,
/// `ignored` is carried along and never read, `weight` says how much a row counts in training (see
/// kedge/table/row_weights.h).
enum class Role { input, output, label, episode, time, ignored, weight };

struct Column {
  std::string name;
  Role role = Role::input;
  std::vector<double> values;
  std::vector<std::string> words;  ///< empty for a column of numbers
};

class Table {
 public:
  Table() = default;

  /// `source` names where the rows came from in errors: a file, or something like "X".
  explicit Table(std::string source) : source_(std::move(source)) {}

  /// Throws Error when the name is empty or taken, the length differs from the other columns', or a value of
  /// a text column is not the index of a word.
  void add(Column column);

  size_t rows() const { return columns_.empty() ? 0 : columns_.front().values.size(); }
  const std::vector<Column>& columns() const { return columns_; }
  const std::string& source() const { return source_; }

  bool has(std::string_view name) const { return places_.has(name); }
  /// Throws Error naming the columns there are.
  const Column& column(std::string_view name) const;

  /// Gives the named columns this role. Throws Error on an unknown name, and then changes nothing.
  void assign(Role role, const std::vector<std::string>& names);
  /// Names of the columns with this role, in table order.
  std::vector<std::string> names(Role role) const;

  /// The named columns side by side, one table row per matrix row. Throws Error on an unknown name.
  Matrix<double> matrix(const std::vector<std::string>& names) const;

  /// The table of these rows, in this order.
  Table select(const std::vector<size_t>& rows) const;
  /// A table of other columns, whose rows come from the same places. Throws Error like `add`.
  Table with_columns(std::vector<Column> columns) const;

  /// Where a row stands, for error texts: "train.csv, line 17" (from 1, as editors count) where lines are
  /// known, otherwise "X, row 16" (from 0, as arrays count).
  std::string where(size_t row) const;
  /// Lines of the rows in the file; set by readers of text files.
  void set_lines(std::vector<uint32_t> lines) { lines_ = std::move(lines); }

 private:
  std::string source_ = "table";
  std::vector<Column> columns_;
  NameIndex places_;  // of the columns
  std::vector<uint32_t> lines_;
};

/// One column for every matrix column, named prefix0, prefix1, ...
Table table_from_matrix(MatrixView<const double> matrix, const std::string& source,
                        const std::string& prefix = "x");

/// Throws Error naming row and column of the first value that is not finite, in the named columns.
void require_finite(const Table& table, const std::vector<std::string>& names, const std::string& verb);

}  // namespace kedge
