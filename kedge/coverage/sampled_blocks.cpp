#include "kedge/coverage/sampled_blocks.h"

#include "kedge/coverage/cells.h"

namespace kedge {
namespace {

constexpr int most_levels = 3;         // eight cells a side
constexpr size_t pairs_per_cell = 16;  // on average, before a side has more cells

// Rows of one side, sorted into cells.
struct Sorted {
  Sorted(MatrixView<const double> sample, int levels) : cells(sample, levels), sizes(cells.count()) {
    for (size_t r = 0; r < sample.rows(); ++r) {
      cell.push_back(cells.of(sample.row(r)));
      ++sizes[cell.back()];
    }
  }

  // What each sampled row weighs when the cells have these masses.
  std::vector<double> weights(const std::vector<double>& masses) const {
    std::vector<double> w;
    for (const size_t c : cell) w.push_back(masses[c] / static_cast<double>(sizes[c]));
    return w;
  }

  Cells cells;
  std::vector<size_t> cell, sizes;
};

int levels_for(size_t pairs) {
  int levels = 1;
  while (levels < most_levels && (size_t{4} << (2 * levels)) * pairs_per_cell <= pairs) ++levels;
  return levels;
}

void measure_without_queries(const Matrix<double>& train, SampledBlocks& out) {
  const CoveredCells block = widest_block(train), seen = seen_together(train);
  out.covered = block.share;
  out.ratio = density_ratio(train, block.test, 0);
  out.in_support = {.kappa = plain_density_ratio(train, seen.test, 0), .covered = seen.share};
}

void measure_queries(const TheoremSample& s, const Sorted& differences, const Sorted& anchors,
                     const Matrix<double>& train, SampledBlocks& out) {
  const size_t tests = s.test_difference.rows();
  Matrix<double> test(train.rows(), train.cols());
  size_t outside = 0;
  for (size_t r = 0; r < tests; ++r) {
    const size_t a = differences.cells.of(s.test_difference.row(r)),
                 b = anchors.cells.of(s.test_anchor.row(r));
    if (a == Cells::outside || b == Cells::outside)
      ++outside;
    else
      test(a, b) += 1;
  }
  const double unseen = static_cast<double>(outside) / static_cast<double>(tests);
  out.covered = 1;
  out.ratio = density_ratio(train, test, unseen);
  out.in_support = {.kappa = plain_density_ratio(train, test, unseen), .covered = 1};
}

}  // namespace

SampledBlocks sampled_blocks(const TheoremSample& sample) {
  const int levels = levels_for(sample.f.rows());
  const Sorted differences(sample.difference, levels), anchors(sample.anchor, levels);
  Matrix<double> train(differences.cells.count(), anchors.cells.count());
  for (size_t r = 0; r < sample.f.rows(); ++r) train(differences.cell[r], anchors.cell[r]) += 1;
  SampledBlocks out;
  if (sample.test_difference.rows() == 0)
    measure_without_queries(train, out);
  else
    measure_queries(sample, differences, anchors, train, out);
  for (size_t i : {0u, 1u}) {
    out.differences[i] = differences.weights(out.ratio.differences[i]);
    out.anchors[i] = anchors.weights(out.ratio.anchors[i]);
  }
  return out;
}

}  // namespace kedge
