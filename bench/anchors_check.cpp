#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "bench/anchors.h"
#include "kedge/core/rng.h"

namespace kedge::bench {
namespace {

constexpr size_t closest = 20;

bool same(const NearestDifference& a, const NearestDifference& b) {
  return a.anchor == b.anchor && a.place == b.place && a.squared == b.squared;
}

void require(bool holds, const AnchorTask& task, const char* what) {
  if (holds) return;
  fmt::print(stderr, "anchors: {}, {} rows, {} pairs: {}\n", task.name, task.pool.points.rows(),
             task.pool.pairs.size(), what);
  std::exit(1);
}

}  // namespace

void check_everything(const AnchorTask& task) {
  const DifferenceIndex index(task.pool);
  for (const Matrix<double>* queries : {&task.inside, &task.outside}) {
    std::vector<NearestDifference> all;
    for (size_t i = 0; i < task.pool.points.rows(); ++i) all.push_back(task.pool.nearest(queries->row(0), i));
    std::sort(all.begin(), all.end(), closer);
    const std::vector<NearestDifference> found = index.closest(queries->row(0), closest);
    require(std::equal(found.begin(), found.end(), all.begin(), same), task, "the closest differ");
    require(same(index.closest(queries->row(0), 1)[0], all[0]), task, "the nearest differ");
  }
  fmt::print(
      "checked: {}, {} rows, {} pairs, {} columns: 2 queries against every anchor and pair: nearest and {} "
      "closest equal to the last bit\n",
      task.name, task.pool.points.rows(), task.pool.pairs.size(), task.pool.delta_size(), closest);
}

void check_samples(const DifferenceIndex& index, const AnchorTask& task) {
  constexpr size_t of_closest = 4, at_random = 12;
  Rng rng(11, Stream::domain);
  for (const Matrix<double>* queries : {&task.inside, &task.outside}) {
    const std::span<const double> query = queries->row(0);
    const std::vector<NearestDifference> found = index.closest(query, closest);
    require(same(index.closest(query, 1)[0], found[0]), task, "the nearest is not the first of the closest");
    for (size_t i = 0; i < of_closest; ++i) {
      const NearestDifference& one = found[i * (closest - 1) / (of_closest - 1)];
      require(same(task.pool.nearest(query, one.anchor), one), task,
              "a match is not the nearest of the pool");
    }
    for (size_t i = 0; i < at_random; ++i) {
      const NearestDifference one = task.pool.nearest(query, rng.below(task.pool.points.rows()));
      const bool among = std::any_of(found.begin(), found.end(), [&](const auto& f) { return same(f, one); });
      require(among || closer(found.back(), one), task, "an anchor was missed");
    }
  }
  fmt::print(
      "checked: {}, {} rows, {} pairs, {} columns: 2 queries: {} of the {} closest anchors and {} anchors at "
      "random against every pair: the same matches to the last bit, and none missed\n",
      task.name, task.pool.points.rows(), task.pool.pairs.size(), task.pool.delta_size(), of_closest, closest,
      at_random);
}

}  // namespace kedge::bench
