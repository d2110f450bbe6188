#include "kedge/jobs/shard.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <queue>
#include <string_view>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"
#include "kedge/jobs/job_store.h"

namespace kedge {
namespace {

/// Nothing where the text is not a number of digits alone.
std::optional<size_t> number_of(std::string_view text) {
  size_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const size_t slash = text.find('/');
  if (slash != text.npos) {
    const std::optional<size_t> index = number_of(std::string_view(text).substr(0, slash)),
                                count = number_of(std::string_view(text).substr(slash + 1));
    if (index && count && *index >= 1 && *index <= *count && *count <= most_shards) return {*index, *count};
  }
  throw Error("options", fmt::format("needs I/N with I from 1 to N, as 2/4, and N at most {}; found {}",
                                     most_shards, shown(text)));
}

std::string to_text(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.count); }

std::vector<size_t> share_out(const std::vector<Piece>& pieces, size_t shards) {
  double total = 0;
  size_t known = 0;
  for (const Piece& piece : pieces) {
    total += piece.work;
    if (piece.work > 0) ++known;
  }
  const double mean = known > 0 ? total / static_cast<double>(known) : 1;
  struct Sized {
    double work;
    uint64_t hash;
    size_t piece;
  };
  std::vector<Sized> sized;
  for (size_t p = 0; p < pieces.size(); ++p)
    sized.push_back({pieces[p].work > 0 ? pieces[p].work : mean, hash_of(pieces[p].key), p});
  std::sort(sized.begin(), sized.end(), [&](const Sized& a, const Sized& b) {
    if (a.work != b.work) return a.work > b.work;
    if (a.hash != b.hash) return a.hash < b.hash;
    return pieces[a.piece].key < pieces[b.piece].key;
  });
  using Load = std::pair<double, size_t>;  // and the shard
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (size_t s = 1; s <= shards; ++s) loads.emplace(0, s);
  std::vector<size_t> shard_of(pieces.size());
  for (const Sized& one : sized) {
    const auto [load, shard] = loads.top();
    loads.pop();
    shard_of[one.piece] = shard;
    loads.emplace(load + one.work, shard);
  }
  return shard_of;
}

}  // namespace kedge
