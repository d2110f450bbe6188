#include "cli/queries.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/name_index.h"
#include "kedge/core/shown.h"

namespace kedge {
namespace {

std::vector<std::string> names_of_columns(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns()) names.push_back(column.name);
  return names;
}

}  // namespace

std::vector<size_t> QueryBlock::good_rows() const {
  std::vector<size_t> rows;
  for (size_t r = 0; r < table.rows(); ++r)
    if (notes.empty() || notes[r].empty()) rows.push_back(r);
  return rows;
}

QueryFile::QueryFile(const std::string& path, const Predictor& predictor, QueryOptions options)
    : input_(path, "read"), predictor_(predictor), options_(std::move(options)) {
  const Intake& intake = predictor.intake();
  const std::vector<std::string> sources = intake.sources(predictor.inputs());
  if (holds_npy(input_)) return;
  csv_ = std::make_unique<CsvBlocks>(
      input_,
      CsvBlockOptions{.told = options_.told, .known = intake.format, .block_bytes = options_.block_bytes});
  names_ = csv_->names();
  if (csv_->format().header == Header::no && names_.size() == sources.size()) names_ = sources;
  if (!options_.is_quiet) say_format(input_.source(), csv_->format(), intake.format);
  choose_columns(names_);
}

void QueryFile::choose_columns(const std::vector<std::string>& there) {
  const Intake& intake = predictor_.intake();
  const NameIndex places(there);
  const auto missing = [&](const std::vector<std::string>& names) {
    return std::find_if(names.begin(), names.end(),
                        [&](const std::string& name) { return !places.has(name); });
  };
  rows_.odd = OddCells::tell;
  rows_.columns.text = intake.text_columns();
  rows_.columns.only = intake.sources(predictor_.inputs());
  rows_.keep = options_.keep;
  if (const auto name = missing(rows_.keep); name != rows_.keep.end())
    throw Error("options", fmt::format("--keep needs columns of {}; found {}; the columns are {}",
                                       input_.source(), shown(*name), shown_list(there)));
  if (options_.keeps_inputs)
    for (const std::string& name : rows_.columns.only)
      if (std::find(rows_.keep.begin(), rows_.keep.end(), name) == rows_.keep.end())
        rows_.keep.push_back(name);
  if (!options_.wants_outputs) return;
  const std::vector<std::string>& outputs = predictor_.outputs();
  if (const auto name = missing(outputs); name != outputs.end()) {
    outputs_fault_ = fmt::format("{} has no column {}", input_.source(), shown(*name));
    return;
  }
  rows_.columns.only.insert(rows_.columns.only.end(), outputs.begin(), outputs.end());
  has_outputs_ = true;
}

std::optional<QueryBlock> QueryFile::next() {
  std::optional<CsvRows> rows = csv_ ? csv_->next(names_, rows_) : next_npy();
  if (!rows) return std::nullopt;
  return block_of(std::move(*rows));
}

bool QueryFile::skip() {
  if (csv_) return csv_->skip();
  return !std::exchange(is_read_, true);
}

std::optional<CsvRows> QueryFile::next_npy() {
  if (is_read_) return std::nullopt;
  is_read_ = true;
  std::vector<std::string> named = predictor_.intake().sources(predictor_.inputs());
  if (options_.wants_outputs)
    named.insert(named.end(), predictor_.outputs().begin(), predictor_.outputs().end());
  Table all = read_npy_table(input_, {});
  for (const std::vector<std::string>& names : {named, predictor_.intake().sources(predictor_.inputs())})
    if (names.size() == all.columns().size()) {
      std::vector<Column> columns = all.columns();
      for (size_t c = 0; c < names.size(); ++c) columns[c].name = names[c];
      all = all.with_columns(std::move(columns));
      break;
    }
  choose_columns(names_of_columns(all));
  CsvRows rows;
  for (const std::string& name : rows_.keep) {
    std::vector<std::string>& cells = rows.kept.emplace_back();
    for (double value : all.column(name).values) cells.push_back(shortest(value));
  }
  std::vector<Column> chosen;
  for (const std::string& name : rows_.columns.only) chosen.push_back(all.column(name));
  rows.table = all.with_columns(std::move(chosen));
  return rows;
}

QueryBlock QueryFile::block_of(CsvRows rows) {
  rows.table.assign(Role::input, predictor_.intake().sources(predictor_.inputs()));
  if (has_outputs_) {
    rows.table.assign(Role::output, predictor_.outputs());
    const NameIndex outputs(predictor_.outputs());
    const auto odd = std::find_if(rows.odd.begin(), rows.odd.end(),
                                  [&](const OddCell& cell) { return outputs.has(cell.column); });
    if (odd != rows.odd.end() && outputs_fault_.empty())
      outputs_fault_ = fmt::format("{}, line {}, column {} holds {}, no number", input_.source(), odd->line,
                                   shown(odd->column), shown(odd->text));
    std::erase_if(rows.odd, [&](const OddCell& cell) { return outputs.has(cell.column); });
  }
  TakenIn taken = predictor_.intake().apply(std::move(rows.table), rows.odd);
  QueryBlock block{std::move(taken.table), std::move(taken.notes), {}};
  std::vector<std::string> faults = predictor_.faults(block.table);
  if (block.notes.empty()) block.notes.swap(faults);
  for (size_t r = 0; r < faults.size(); ++r)
    if (block.notes[r].empty()) block.notes[r] = std::move(faults[r]);
  for (size_t k = 0; k < rows.kept.size(); ++k) {
    Column column{.name = rows_.keep[k],
                  .role = Role::ignored,
                  .values = std::vector<double>(block.table.rows()),
                  .words = std::move(rows.kept[k])};
    std::iota(column.values.begin(), column.values.end(), 0.0);
    block.kept.push_back(std::move(column));
  }
  return block;
}

Predictions answer(const Predictor& predictor, const QueryBlock& block, const PredictOptions& options) {
  if (block.notes.empty()) return predictor.predict(block.table, options);
  const std::vector<size_t> good = block.good_rows();
  return among_bad_rows(predictor.predict(block.table.select(good), options), good, block.notes);
}

}  // namespace kedge
