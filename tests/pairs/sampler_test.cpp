#include "kedge/pairs/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <stdexcept>

namespace kedge {
namespace {

constexpr uint64_t seed = 42;
constexpr uint32_t draws = 60000;
// A count of n expected draws deviates by sqrt(n); six of them happen once in a billion counts.
constexpr double deviations = 6;

std::map<std::pair<uint32_t, uint32_t>, int> counts(const PairSampler& sampler) {
  std::map<std::pair<uint32_t, uint32_t>, int> found;
  for (uint32_t slot = 0; slot < draws; ++slot) {
    const Pair pair = sampler.draw(seed, Stream::pairs, 3, slot);
    ++found[{pair.query, pair.anchor}];
  }
  return found;
}

void expect_uniform(const std::map<std::pair<uint32_t, uint32_t>, int>& found, size_t pairs) {
  EXPECT_EQ(found.size(), pairs);
  const double expected = static_cast<double>(draws) / static_cast<double>(pairs);
  for (const auto& [pair, count] : found)
    EXPECT_NEAR(count, expected, deviations * std::sqrt(expected)) << pair.first << " " << pair.second;
}

TEST(PairSampler, draws_every_pair_of_two_rows_equally_often) {
  const auto found = counts({9, SelfPairs::exclude});
  expect_uniform(found, 9 * 8);
  for (const auto& [pair, count] : found) EXPECT_NE(pair.first, pair.second);
}

TEST(PairSampler, draws_every_pair_equally_often_where_a_row_may_meet_itself) {
  expect_uniform(counts({9, SelfPairs::allow}), 9 * 9);
}

TEST(PairSampler, pairs_rows_of_the_same_key_only) {
  const std::vector<double> keys = {2, 1, 2, -0.5, 1, 2, 1, -0.5, 0.0, -0.0};
  for (SelfPairs self : {SelfPairs::exclude, SelfPairs::allow}) {
    const auto found = counts({keys, self});
    std::map<uint32_t, int> queries;
    for (const auto& [pair, count] : found) {
      EXPECT_EQ(keys[pair.first], keys[pair.second]);
      EXPECT_TRUE(self == SelfPairs::allow || pair.first != pair.second);
      queries[pair.first] += count;
    }
    const size_t allowed = self == SelfPairs::exclude ? 3 * 2 + 3 * 2 + 2 + 2 : 9 + 9 + 4 + 4;
    EXPECT_EQ(found.size(), allowed);
    for (const auto& [query, count] : queries)
      EXPECT_NEAR(count, draws / 10.0, deviations * std::sqrt(draws / 10.0));
  }
}

TEST(PairSampler, a_row_alone_with_its_key_meets_itself) {
  const PairSampler sampler({1, 2, 2}, SelfPairs::exclude);
  for (const auto& [pair, count] : counts(sampler)) EXPECT_EQ(pair.first == 0, pair.first == pair.second);
  EXPECT_TRUE(sampler.has_pairs());
  EXPECT_FALSE(PairSampler({1, 2, 3}, SelfPairs::exclude).has_pairs());
  EXPECT_FALSE(PairSampler(1, SelfPairs::allow).has_pairs());
}

TEST(PairSampler, a_draw_depends_on_seed_stream_step_and_slot_and_on_nothing_else) {
  const PairSampler sampler(1000000, SelfPairs::exclude), same(1000000, SelfPairs::exclude);
  const Pair pair = sampler.draw(1, Stream::pairs, 2, 3);
  sampler.draw(9, Stream::pairs, 9, 9);
  EXPECT_EQ(sampler.draw(1, Stream::pairs, 2, 3), pair);
  EXPECT_EQ(same.draw(1, Stream::pairs, 2, 3), pair);
  EXPECT_NE(sampler.draw(2, Stream::pairs, 2, 3), pair);
  EXPECT_NE(sampler.draw(1, Stream::pool, 2, 3), pair);
  EXPECT_NE(sampler.draw(1, Stream::pairs, 3, 3), pair);
  EXPECT_NE(sampler.draw(1, Stream::pairs, 2, 4), pair);
}

TEST(PairSampler, the_draws_of_a_step_are_the_numbers_of_the_steps_sequence) {
  constexpr size_t rows = 77;
  const PairSampler allow(rows, SelfPairs::allow), exclude(rows, SelfPairs::exclude);
  for (uint64_t step : {uint64_t{0}, uint64_t{5}, uint64_t{1} << 40}) {
    Rng with(seed, Stream::pairs, step), without(seed, Stream::pairs, step);
    for (uint32_t slot = 0; slot < 50; ++slot) {
      const Pair any = allow.draw(seed, Stream::pairs, step, slot);
      EXPECT_EQ(any.query, with.below(rows));
      EXPECT_EQ(any.anchor, with.below(rows));
      const Pair other = exclude.draw(seed, Stream::pairs, step, slot);
      EXPECT_EQ(other.query, without.below(rows));
      const uint64_t anchor = without.below(rows - 1);
      EXPECT_EQ(other.anchor, anchor < other.query ? anchor : anchor + 1);
    }
  }
}

TEST(PairSampler, lists_all_pairs_in_order_or_none_above_the_limit) {
  const PairSampler any(3, SelfPairs::allow);
  const std::vector<Pair> all = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};
  EXPECT_EQ(any.all_pairs(6), all);
  EXPECT_TRUE(any.all_pairs(5).empty());
  const PairSampler keyed({5, 1, 5, 1, 7}, SelfPairs::exclude);
  const std::vector<Pair> within = {{0, 2}, {1, 3}, {2, 0}, {3, 1}};
  EXPECT_EQ(keyed.all_pairs(100), within);
}

/// How often a draw gives a pair: the query by its weight, the anchor by its weight among those it may meet.
double probability(const std::vector<double>& keys, const std::vector<double>& weights, SelfPairs self,
                   size_t query, size_t anchor) {
  double all = 0, met = 0;
  size_t others = 0;
  for (size_t r = 0; r < keys.size(); ++r) {
    all += weights[r];
    if (keys[r] != keys[query]) continue;
    if (r != query) ++others;
    if (r != query || self == SelfPairs::allow) met += weights[r];
  }
  if (others == 0) return query == anchor ? weights[query] / all : 0;
  if (keys[query] != keys[anchor] || (query == anchor && self == SelfPairs::exclude)) return 0;
  return weights[query] / all * weights[anchor] / met;
}

TEST(PairSampler, draws_query_and_anchor_in_proportion_to_row_weights) {
  const std::vector<double> weights = {1, 0.25, 3, 2, 0.5, 1.5};
  for (const std::vector<double>& keys :
       {std::vector<double>(6), std::vector<double>{1, 1, 0, 1, 0, 0}, {2, 0, 1, 2, 1, 2}}) {
    for (SelfPairs self : {SelfPairs::exclude, SelfPairs::allow}) {
      const auto found = counts({keys, self, weights});
      for (uint32_t query = 0; query < 6; ++query) {
        for (uint32_t anchor = 0; anchor < 6; ++anchor) {
          const double expected = draws * probability(keys, weights, self, query, anchor);
          const auto at = found.find({query, anchor});
          EXPECT_NEAR(at == found.end() ? 0 : at->second, expected, deviations * std::sqrt(expected))
              << query << " " << anchor;
        }
      }
    }
  }
}

TEST(PairSampler, leaves_out_a_heavy_query_exactly) {
  const std::vector<double> weights = {1e15, 1, 3};
  const auto found = counts({3, SelfPairs::exclude, weights});
  EXPECT_EQ(found.size(), 2u);
  EXPECT_NEAR(found.at({0, 1}), draws / 4.0, deviations * std::sqrt(draws / 4.0));
  EXPECT_NEAR(found.at({0, 2}), draws * 3 / 4.0, deviations * std::sqrt(draws * 3 / 4.0));
}

TEST(PairSampler, equal_row_weights_draw_every_pair_equally_often) {
  expect_uniform(counts({9, SelfPairs::exclude, std::vector<double>(9, 0.3)}), 9 * 8);
}

TEST(PairSampler, of_row_weights_only_ratios_count) {
  const std::vector<double> weights = {1, 5, 0.25, 2}, larger = {64, 320, 16, 128};
  EXPECT_EQ(counts({4, SelfPairs::exclude, weights}), counts({4, SelfPairs::exclude, larger}));
}

TEST(PairSampler, can_draw_rows_whose_weight_is_lost_beside_the_others) {
  const std::vector<double> keys = {0, 1, 1, 0}, weights = {1, 1e-300, 1e-290, 1};
  const PairSampler sampler(keys, SelfPairs::exclude, weights);
  for (const auto& [pair, count] : counts(sampler)) EXPECT_EQ(keys[pair.first], 0);
  EXPECT_EQ(sampler.all_pairs(4), (std::vector<Pair>{{0, 3}, {1, 2}, {2, 1}, {3, 0}}));
}

TEST(DrawPool, draws_by_row_weights_or_gives_every_pair_with_the_product_of_them) {
  std::vector<double> weights(100, 1.0);
  weights[7] = 50;
  const PairSampler sampler(100, SelfPairs::exclude, weights);
  const std::vector<Pair> drawn = draw_pool(sampler, 5000, 1), all = draw_pool(sampler, 9900, 1);
  double heavy = 0;
  for (const Pair& pair : drawn) heavy += pair.query == 7;
  const double expected = 5000 * 50 / 149.0;
  EXPECT_NEAR(heavy, expected, deviations * std::sqrt(expected));
  EXPECT_TRUE(sampler.pool_weights(drawn).empty());
  const std::vector<double> products = sampler.pool_weights(all);
  ASSERT_EQ(products.size(), 9900u);
  for (size_t p = 0; p < all.size(); ++p)
    EXPECT_NEAR(products[p] / products[0], weights[all[p].query] * weights[all[p].anchor], 1e-9);
  EXPECT_TRUE(PairSampler(100, SelfPairs::exclude).pool_weights(all).empty());
}

TEST(PairSampler, draws_listed_pairs_in_proportion_to_their_weights) {
  const std::vector<Pair> pairs = {{0, 1}, {1, 0}, {2, 4}, {4, 2}, {3, 0}, {1, 4}};
  const std::vector<float> weights = {1, 0.25f, 0, 3, 0.05f, 0.7f};
  const auto found = counts({5, pairs, weights});
  EXPECT_EQ(found.size(), 5u);
  for (size_t p = 0; p < pairs.size(); ++p) {
    const double expected = draws * static_cast<double>(weights[p]) / 5.0;
    const auto at = found.find({pairs[p].query, pairs[p].anchor});
    EXPECT_NEAR(at == found.end() ? 0 : at->second, expected, deviations * std::sqrt(expected)) << p;
  }
}

TEST(PairSampler, draws_as_if_listed_pairs_of_weight_zero_were_not_there) {
  const std::vector<Pair> pairs = {{0, 1}, {1, 0}, {2, 1}, {2, 0}}, kept = {{1, 0}, {2, 0}};
  const PairSampler with(3, pairs, std::vector<float>{0, 0.5f, 0, 0.9f});
  const PairSampler without(3, kept, std::vector<float>{0.5f, 0.9f});
  EXPECT_EQ(counts(with), counts(without));
  EXPECT_EQ(with.all_pairs(2), kept);
  EXPECT_TRUE(with.all_pairs(1).empty());
  EXPECT_TRUE(with.has_pairs());
  EXPECT_EQ(with.rows(), 3u);
}

TEST(PairSampler, balanced_draws_the_two_parts_by_turns_however_unlike_they_are) {
  const std::vector<Pair> list = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  const PairSampler sampler =
      PairSampler::balanced(5, list, {false, true, false, false}, Stream::pair_weights);
  std::map<uint32_t, int> found;
  for (uint32_t slot = 0; slot < draws; ++slot) {
    const DrawnPair drawn = draw_pair(sampler.tables(), seed, Stream::pair_weights, 0, slot);
    EXPECT_EQ(drawn.pair, list[drawn.entry]);
    EXPECT_EQ(drawn.entry == 1, slot % 2 == 0);
    ++found[drawn.entry];
  }
  for (uint32_t entry : {0u, 2u, 3u})
    EXPECT_NEAR(found[entry], draws / 6.0, deviations * std::sqrt(draws / 6.0));
}

TEST(PairSampler, balanced_with_one_part_alone_draws_all_alike) {
  for (const bool part : {true, false}) {
    const PairSampler sampler =
        PairSampler::balanced(4, {{0, 1}, {1, 2}, {2, 3}}, {part, part, part}, Stream::pair_weights);
    expect_uniform(counts(sampler), 3);
  }
}

TEST(PairSampler, in_order_gives_the_pairs_one_after_the_other_and_begins_again) {
  const std::vector<Pair> list = {{0, 1}, {1, 2}, {2, 0}, {0, 2}, {1, 1}};
  const PairSampler sampler = PairSampler::in_order(3, list, 2);
  for (uint64_t step = 0; step < 7; ++step)
    for (uint32_t slot = 0; slot < 2; ++slot)
      EXPECT_EQ(sampler.draw(seed, Stream::pairs, step, slot), list[(2 * step + slot) % 5]);
  EXPECT_EQ(sampler.all_pairs(10), (std::vector<Pair>{{0, 1}, {0, 2}, {1, 2}, {2, 0}}));
}

TEST(DrawPool, can_be_stopped_while_it_is_drawn) {
  const PairSampler sampler(10000, SelfPairs::exclude);
  int asked = 0;
  const StopCheck stop = [&] {
    if (++asked == 2) throw std::runtime_error("stop");
  };
  EXPECT_THROW(draw_pool(sampler, 3 << 20, 1, stop), std::runtime_error);
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace kedge
