#pragma once

// PairSampler: which (query, anchor) pairs of training rows are trained on.
//
// A draw is a pure function of (tables, seed, stream, step, slot): one Philox block gives both rows, so any
// engine can draw the pairs of any step by itself. What is drawn from is plain arrays, PairTables, which an
// engine on another device can copy; `draw_pair` is the one rule, for every compiler.
//
// Rows may have weights. Then the query is drawn in proportion to its weight, and so is the anchor among the
// rows that the query may meet. Equal weights are drawn with the same distribution as none.

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kedge/core/host_device.h"
#include "kedge/core/rng.h"
#include "kedge/core/stop_check.h"

namespace kedge {

enum class PairRule { any, same_label, same_time };
/// Whether a row may be its own anchor (the released code) or not (the paper's sum over j != i).
enum class SelfPairs { exclude, allow };

/// Rows of the training table; delta = query - anchor.
struct Pair {
  uint32_t query = 0, anchor = 0;
  bool operator==(const Pair&) const = default;
};

enum class PairDraw {
  by_group,   ///< the query out of all rows, the anchor out of the rows of the query's group
  by_weight,  ///< one of a list, in proportion to its weight
  balanced,   ///< even slots take one of the first part of a list, odd slots one of the second part
  in_order,   ///< a list, one pair after the other: for measurements and golden values
};

/// A column of an alias table (Walker 1977): its own pair below the threshold, another one above.
struct AliasColumn {
  Pair pair;
  uint32_t threshold = 0, other = 0;
  uint32_t entry = 0;  ///< the pair's place in the list it came from
};

/// What pairs are drawn from. Shows arrays that somebody else owns; those of other kinds are empty.
struct PairTables {
  PairDraw draw = PairDraw::by_group;
  Stream stream = Stream::pairs;  ///< of the training steps
  // by_group
  SelfPairs self = SelfPairs::exclude;
  std::span<const uint32_t> group_of;  ///< by row
  std::span<const uint32_t> place;     ///< by row: its place in `order`
  std::span<const uint32_t> order;     ///< rows, group by group
  std::span<const uint32_t> start;     ///< by group: its first place; one more at the end
  // by_group, where rows have weights: whole numbers, place after place on one running total
  std::span<const uint64_t> before;  ///< by place: the total of all before it; one more at the end
  std::span<const uint32_t> guide;  ///< by part of the total: the place that holds its first number; one more
  uint32_t part_bits = 0;           ///< a part is 2^part_bits long
  // by_weight
  std::span<const AliasColumn> alias;
  // balanced and in_order
  std::span<const Pair> list;
  std::span<const uint32_t> entries;  ///< balanced: of the list, the first part and then the second
  size_t first_part = 0;              ///< balanced: entries of the first part
  size_t batch = 0;                   ///< in_order: slots of a step
};

/// A pair, and its place in the list it came from; 0 without a list.
struct DrawnPair {
  Pair pair;
  uint32_t entry = 0;
};

/// The place whose weight holds `number` of the running total.
KEDGE_HOST_DEVICE inline uint32_t place_holding(const PairTables& t, uint64_t number) {
  const uint64_t part = number >> t.part_bits;
  uint32_t first = t.guide[part], last = t.guide[part + 1] + 1;
  while (last - first > 1) {
    const uint32_t middle = first + (last - first) / 2;
    (t.before[middle] <= number ? first : last) = middle;
  }
  return first;
}

/// A pair of rows in proportion to their weights, by_group. Weights are whole numbers, so that taking the
/// query's own off the total is exact.
KEDGE_HOST_DEVICE inline Pair draw_weighted_rows(const PairTables& t, const std::array<uint32_t, 4>& block) {
  const uint32_t place = place_holding(t, Rng::scale(block[0], block[1], t.before.back()));
  const uint32_t query = t.order[place], group = t.group_of[query];
  const uint32_t first = t.start[group], last = t.start[group + 1];
  const uint64_t own = t.before[place + 1] - t.before[place], all = t.before[last] - t.before[first];
  const bool meets_itself = t.self == SelfPairs::allow || last - first == 1;
  uint64_t number = t.before[first] + Rng::scale(block[2], block[3], meets_itself ? all : all - own);
  if (!meets_itself && number >= t.before[place]) number += own;
  return {query, t.order[place_holding(t, number)]};
}

KEDGE_HOST_DEVICE inline DrawnPair draw_pair(const PairTables& t, uint64_t seed, Stream stream, uint64_t step,
                                             uint32_t slot) {
  const auto block = Rng::block(seed, stream, step, slot);
  switch (t.draw) {
    case PairDraw::by_weight: {
      const auto column = static_cast<uint32_t>(Rng::scale(block[0], block[1], t.alias.size()));
      const AliasColumn& own = t.alias[column];
      const AliasColumn& drawn = block[2] < own.threshold ? own : t.alias[own.other];
      return {drawn.pair, drawn.entry};
    }
    case PairDraw::balanced: {
      const size_t all = t.entries.size();
      const bool one_part = t.first_part == 0 || t.first_part == all, first = slot % 2 == 0;
      const size_t from = one_part || first ? 0 : t.first_part;
      const size_t count = one_part ? all : first ? t.first_part : all - t.first_part;
      const uint32_t entry = t.entries[from + Rng::scale(block[0], block[1], count)];
      return {t.list[entry], entry};
    }
    case PairDraw::in_order: {
      const auto entry = static_cast<uint32_t>((step * t.batch + slot) % t.list.size());
      return {t.list[entry], entry};
    }
    case PairDraw::by_group:
      break;
  }
  if (!t.before.empty()) return {draw_weighted_rows(t, block), 0};
  const auto query = static_cast<uint32_t>(Rng::scale(block[0], block[1], t.order.size()));
  const uint32_t first = t.start[t.group_of[query]], size = t.start[t.group_of[query] + 1] - first;
  if (t.self == SelfPairs::allow || size == 1)
    return {{query, t.order[first + Rng::scale(block[2], block[3], size)]}, 0};
  const uint32_t place = first + static_cast<uint32_t>(Rng::scale(block[2], block[3], size - 1));
  return {{query, t.order[place < t.place[query] ? place : place + 1]}, 0};
}

/// Owns the tables of one way of drawing.
class PairSampler {
 public:
  /// Every row may meet every row. `row_weights` are positive, one a row; none: rows count alike.
  PairSampler(size_t rows, SelfPairs self, std::span<const double> row_weights = {});
  /// Rows meet rows with the same key. A row alone with its key meets itself.
  PairSampler(const std::vector<double>& keys, SelfPairs self, std::span<const double> row_weights = {});
  /// These pairs of `rows` rows and no others, in proportion to their weights, of which one is positive. A
  /// pair of weight 0 changes nothing: it is as if it were not in the list.
  PairSampler(size_t rows, std::span<const Pair> pairs, std::span<const float> weights);
  /// Pairs of a list, one of the first part for every one of the second; `is_first` says of each which. With
  /// an empty part all are drawn alike. `stream` is that of the steps.
  static PairSampler balanced(size_t rows, std::vector<Pair> list, const std::vector<bool>& is_first,
                              Stream stream);
  /// The pairs of a list one after the other, `batch` in a step, from the first again after the last.
  static PairSampler in_order(size_t rows, std::vector<Pair> list, size_t batch);

  size_t rows() const { return rows_; }
  /// Whether any row can meet another.
  bool has_pairs() const;

  /// Every pair of two rows that can be drawn, by query, then anchor; none at all when there are over
  /// `limit`.
  std::vector<Pair> all_pairs(size_t limit) const;

  /// How much each pair of a pool (see draw_pool) counts: where the pool is every pair, by the product of the
  /// weights of its rows. Empty: alike, because rows count alike, or because the pool was drawn in
  /// proportion.
  std::vector<double> pool_weights(std::span<const Pair> pool) const;

  /// Valid as long as this sampler lives and stays where it is.
  PairTables tables() const;

  Pair draw(uint64_t seed, Stream stream, uint64_t step, uint32_t slot) const {
    return draw_pair(tables(), seed, stream, step, slot).pair;
  }

 private:
  explicit PairSampler(size_t rows) : rows_(rows) {}
  void weigh_rows(std::span<const double> weights);
  /// Pairs of two rows that draws by group can give.
  size_t pairs_in_groups() const;

  size_t rows_ = 0;
  PairDraw draw_ = PairDraw::by_group;
  Stream stream_ = Stream::pairs;
  SelfPairs self_ = SelfPairs::exclude;
  std::vector<uint32_t> group_of_, place_, order_, start_;
  std::vector<uint64_t> before_;
  std::vector<uint32_t> guide_;
  uint32_t part_bits_ = 0;
  std::vector<AliasColumn> alias_;
  std::vector<Pair> list_;
  std::vector<uint32_t> entries_;
  size_t first_part_ = 0, batch_ = 0;
};

/// `count` training pairs, drawn without looking at what training drew; every pair, once and in order, when
/// there are no more than that.
std::vector<Pair> draw_pool(const PairSampler& sampler, size_t count, uint64_t seed,
                            const StopCheck& stop_check = {});

}  // namespace kedge
