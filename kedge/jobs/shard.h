#pragma once

// Shard: one of N parts of a list of jobs, each for a machine of its own.
//
// Laws: every piece of work is in exactly one shard; which one depends on the whole list and on N alone, not
// on what has been done. So machines that know nothing of each other agree, as long as they are given the
// same list.

#include <cstddef>
#include <string>
#include <vector>

namespace kedge {

/// From 1 on: {2, 4} is the second of four.
struct Shard {
  size_t index = 1, count = 1;

  bool operator==(const Shard&) const = default;
};

inline constexpr size_t most_shards = 100000;

/// "2/4". Throws Error on anything else and unless 1 <= index <= count.
Shard parse_shard(const std::string& text);
std::string to_text(const Shard& shard);

/// A piece of work that is not shared out further.
struct Piece {
  std::string key;  ///< unlike that of any other piece
  double work = 0;  ///< seconds of one core by an estimate; 0 where there is none
};

/// By piece the index of its shard. The largest piece goes first, each to the shard with the least work so
/// far; pieces without an estimate count as the mean of the others. Pieces of the same work are taken in the
/// order of a hash of their keys, so that no regularity of the list (every third fit is a large one) meets
/// that of the shards.
std::vector<size_t> share_out(const std::vector<Piece>& pieces, size_t shards);

}  // namespace kedge
