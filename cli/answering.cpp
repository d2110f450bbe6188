#include "cli/answering.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <span>
#include <sstream>

#include "cli/output.h"
#include "kedge/core/checksum.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/message_of.h"
#include "kedge/jobs/numerics.h"
#include "kedge/table/csv.h"

namespace kedge {
namespace {

Json word_or_null(const std::string& word) { return word.empty() ? Json() : Json(word); }

/// An object of names that are known to differ: none is looked for among the others.
struct DistinctMembers : std::vector<JsonMember> {
  using mapped_type = Json;
};

/// Adds one JSON object for each row; null where there is nothing to say.
void add_rows(Json& rows, const Table& table, const Predictions& predictions) {
  // As answer_table adds them.
  const Column &outside = table.columns()[table.columns().size() - 3],
               &outputs = table.columns()[table.columns().size() - 2];
  for (size_t r = 0; r < table.rows(); ++r) {
    DistinctMembers row;
    for (const Column& column : table.columns()) {
      const double value = column.values[r];
      if (&column == &outside)
        row.push_back({column.name, outside_json(predictions.outside[r], predictions.inputs)});
      else if (&column == &outputs)
        row.push_back({column.name, outside_json(predictions.outputs_outside[r], predictions.outputs)});
      else if (!column.words.empty())
        row.push_back({column.name, word_or_null(column.words[static_cast<size_t>(value)])});
      else if (counts_rows(column.name) && std::isfinite(value))
        row.push_back({column.name, static_cast<int64_t>(value)});
      else
        row.push_back({column.name, number_or_null(value)});
    }
    rows.push_back(row);
  }
}

/// A query whose answer is no number has none.
void note(size_t row, const std::string& why, Predictions& predictions) {
  predictions.note.resize(predictions.rows());
  predictions.note[row] = why;
  std::fill(predictions.y.row(row).begin(), predictions.y.row(row).end(),
            std::numeric_limits<double>::quiet_NaN());
}

/// Counts what nothing vouches for, and empties it where that was asked for.
void judge(const QueryBlock& block, const std::string& on_unreachable, Predictions& predictions,
           AnsweredBlock& answered) {
  for (size_t r = 0; r < predictions.rows(); ++r) {
    const std::span<double> y = predictions.y.row(r);
    const bool finite = std::all_of(y.begin(), y.end(), [](double value) { return std::isfinite(value); });
    bool is_bad = !predictions.note.empty() && !predictions.note[r].empty();
    if (!finite && !is_bad) {
      note(r, "it lies too far out for arithmetic", predictions);
      is_bad = true;
    }
    if (is_bad && answered.bad++ == 0)
      answered.first_bad = fmt::format("{}: {}", block.table.where(r), predictions.note[r]);
    const Verdict verdict = predictions.verdict[r];
    if (finite && verdict != Verdict::unreachable && verdict != Verdict::undetermined) continue;
    if (answered.unreachable++ == 0) answered.first_unreachable = block.table.where(r);
    if (on_unreachable == "nan") std::fill(y.begin(), y.end(), std::numeric_limits<double>::quiet_NaN());
  }
  for (Verdict verdict : predictions.verdict) ++answered.verdicts[static_cast<size_t>(verdict)];
}

// What a rank sends: first who it is, then a block, the end of its blocks, a fault in place of a block.
constexpr const char *identity_word = "identity", *block_word = "block", *end_word = "end",
                     *fault_word = "fault";

uint64_t content_of(const std::string& path) {
  Checksum sum;
  std::ifstream file(path, std::ios::binary);
  for (std::vector<char> part(1 << 20); file;) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    sum.add(std::as_bytes(std::span(part)).first(static_cast<size_t>(file.gcount())));
  }
  return sum.value();
}

std::string message_of_block(const AnsweredBlock& block, bool is_json) {
  std::vector<std::string> words = {block_word,
                                    is_json ? block.rows.dump(JsonText::replaced) : block.csv,
                                    std::to_string(block.count),
                                    std::to_string(block.bad),
                                    block.first_bad,
                                    std::to_string(block.unreachable),
                                    block.first_unreachable};
  for (size_t count : block.verdicts) words.push_back(std::to_string(count));
  return packed(words);
}

AnsweredBlock block_of(const std::vector<std::string>& words, bool is_json) {
  const auto number = [&](size_t w) { return static_cast<size_t>(std::stoull(words.at(w))); };
  AnsweredBlock block{.csv = is_json ? "" : words.at(1),
                      .count = number(2),
                      .bad = number(3),
                      .first_bad = words.at(4),
                      .unreachable = number(5),
                      .first_unreachable = words.at(6)};
  if (is_json) block.rows = Json::parse(words.at(1));
  for (size_t v = 0; v < block.verdicts.size(); ++v) block.verdicts[v] = number(7 + v);
  return block;
}

}  // namespace

std::string identity_of(const PredictFlags& flags) {
  const FormatFlags& format = flags.format;
  std::string thresholds;
  for (const std::optional<double>& told :
       {flags.thresholds.support_radius, flags.thresholds.delta_radius, flags.thresholds.edge_factor})
    thresholds += told ? fmt::format("{} ", *told) : "- ";
  return packed(
      {numerics_of("cpu"), fmt::format("{:016x} {:016x}", content_of(flags.model), content_of(flags.queries)),
       flags.output, flags.anchors, flags.keep, flags.on_unreachable, format.separator, format.decimal,
       format.header, thresholds, fmt::format("{} {}", flags.json, flags.with_inputs)});
}

OtherRanks::OtherRanks(Ranks* ranks)
    : ranks_(ranks), arrived_(ranks ? static_cast<size_t>(ranks->size()) : 1) {}

OtherRanks::~OtherRanks() {
  for (size_t rank = 1; rank < arrived_.size(); ++rank)
    ranks_->send(static_cast<int>(rank), packed({end_word}));
  // The last message of a rank is not taken: it says that the rank has ended.
  for (size_t rank = 1; rank < arrived_.size(); ++rank)
    while (arrived_[rank].empty() || arrived_[rank].back().at(0) == block_word ||
           arrived_[rank].back()[0] == identity_word) {
      arrived_[rank].clear();
      receive();
    }
}

void OtherRanks::receive() {
  if (const std::optional<Message> message = ranks_->receive())
    arrived_.at(static_cast<size_t>(message->from)).push_back(unpacked(message->text));
  else
    wait_for_messages();
}

const std::vector<std::string>& OtherRanks::first_of(size_t rank) {
  while (arrived_[rank].empty()) receive();
  const std::vector<std::string>& words = arrived_[rank].front();
  if (words.at(0) == fault_word) throw Error("predict", words.at(1), words.at(2));
  return words;
}

void OtherRanks::require(const std::string& identity) {
  for (size_t rank = 1; rank < size(); ++rank) {
    if (first_of(rank).at(1) != identity)
      throw Error(
          "predict",
          fmt::format("all ranks need the same kedge, model, queries and flags; rank {} has others; to "
                      "answer other files in each rank, unset OMPI_COMM_WORLD_SIZE (or PMI_SIZE) for kedge",
                      rank));
    arrived_[rank].pop_front();
  }
}

std::optional<AnsweredBlock> OtherRanks::next_of(size_t rank, bool is_json) {
  const std::vector<std::string> words = first_of(rank);
  if (words[0] == end_word) return std::nullopt;
  arrived_[rank].pop_front();
  return block_of(words, is_json);
}

void send_fault(Ranks& ranks, const Error& error) {
  ranks.send(0, packed({fault_word, message_of(error), error.option()}));
}

Answering::Answering(const PredictFlags& flags, const Predictor& predictor, const PredictOptions& options)
    : flags_(flags),
      predictor_(predictor),
      options_(options),
      queries_(flags.queries, predictor,
               {.told = signs_of(flags.format),
                .keep = split_names(flags.keep, "--keep"),
                .keeps_inputs = flags.with_inputs,
                .is_quiet = flags.quiet}),
      bar_("predict", 0,
           {.surface = flags.quiet || queries_.input().size() == 0 ? ProgressSurface::hidden
                                                                   : ProgressSurface::detect,
            .delay = shortest_watched}) {
  options_.progress = [this](const Progress& progress) {
    const auto end = static_cast<double>(queries_.input().position());
    const double share = static_cast<double>(progress.step) / static_cast<double>(progress.steps);
    bar_.update({.loss = std::numeric_limits<double>::quiet_NaN(),
                 .work = block_begin_ + share * (end - block_begin_),
                 .total_work = static_cast<double>(queries_.input().size()),
                 .phase = "answering"});
    return true;
  };
}

void Answering::write_csv(std::ostream& out, OtherRanks& others) {
  each_block(others, [&](const AnsweredBlock& block) { out << block.csv; });
}

void Answering::write_json(std::ostream& out, OtherRanks& others) {
  Json rows = Json::array();
  each_block(others, [&](AnsweredBlock& block) {
    for (const Json& row : block.rows.as_list("rows")) rows.push_back(row);
  });
  Json verdicts;
  for (Verdict verdict : all_verdicts) verdicts[to_text(verdict)] = verdicts_[static_cast<size_t>(verdict)];
  const Json json{{"model", flags_.model},           {"queries", flags_.queries},
                  {"outputs", predictor_.outputs()}, {"rows", count_},
                  {"verdicts", std::move(verdicts)}, {"predictions", std::move(rows)}};
  out << json.dump(JsonText::replaced) << "\n";
}

void Answering::send_blocks(Ranks& ranks) {
  const auto size = static_cast<size_t>(ranks.size()), rank = static_cast<size_t>(ranks.rank());
  ranks.send(0, packed({identity_word, identity_of(flags_)}));
  for (size_t b = 0; !ranks.receive(); ++b) {  // rank 0 says nothing but that it has enough
    if (b % size != rank) {
      if (!queries_.skip()) break;
      continue;
    }
    const std::optional<AnsweredBlock> block = own_block(Header::no);
    if (!block) break;
    ranks.send(0, message_of_block(*block, flags_.json));
  }
  ranks.send(0, packed({end_word}));
}

void Answering::tell_bad_rows() const {
  if (bad_ > 0 && !flags_.quiet)
    say(fmt::format("{} of {} queries have no answer, as the column note says; the first: {}", bad_, count_,
                    first_bad_));
}

template <class Take>
void Answering::each_block(OtherRanks& others, const Take& take) {
  for (size_t b = 0;; ++b) {
    const size_t rank = b % others.size();
    std::optional<AnsweredBlock> block =
        rank == 0 ? own_block(b == 0 ? Header::yes : Header::no) : others.next_of(rank, flags_.json);
    if (rank > 0 && queries_.skip() != block.has_value())
      throw Error("predict", "all ranks need to read the same queries; found different ones");
    if (!block) break;
    add(*block);
    take(*block);
  }
  bar_.clear();
}

std::optional<AnsweredBlock> Answering::own_block(Header header) {
  std::optional<QueryBlock> block = queries_.next();
  if (!block) return std::nullopt;
  Predictions predictions = answer(predictor_, *block, options_);
  AnsweredBlock answered{.count = predictions.rows()};
  judge(*block, flags_.on_unreachable, predictions, answered);
  const Table answers = answer_table(predictions, std::move(block->kept));
  if (flags_.json) {
    add_rows(answered.rows, answers, predictions);
  } else {
    std::ostringstream text;
    kedge::write_csv(text, answers, {.nan = "", .header = header});
    answered.csv = std::move(text).str();
  }
  block_begin_ = static_cast<double>(queries_.input().position());
  return answered;
}

void Answering::add(const AnsweredBlock& block) {
  count_ += block.count;
  if (bad_ == 0) first_bad_ = block.first_bad;
  bad_ += block.bad;
  for (size_t v = 0; v < verdicts_.size(); ++v) verdicts_[v] += block.verdicts[v];
  if (block.unreachable > 0 && flags_.on_unreachable == "error")
    throw Error(
        "predict",
        fmt::format("every query needs to be reachable; of the first {} there are {} that are not, or it "
                    "cannot be told, the first is {}; drop them, or take --on-unreachable keep or nan",
                    count_, block.unreachable, block.first_unreachable));
}

}  // namespace kedge
