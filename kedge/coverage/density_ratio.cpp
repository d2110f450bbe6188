#include "kedge/coverage/density_ratio.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace kedge {
namespace {

enum class Side { rows, columns };

std::vector<double> normalized(std::vector<double> masses) {
  const double sum = std::accumulate(masses.begin(), masses.end(), 0.0);
  if (sum > 0)
    for (double& m : masses) m /= sum;
  return masses;
}

std::vector<double> marginal(MatrixView<const double> joint, Side side) {
  std::vector<double> masses(side == Side::rows ? joint.rows() : joint.cols());
  for (size_t a = 0; a < joint.rows(); ++a)
    for (size_t b = 0; b < joint.cols(); ++b) masses[side == Side::rows ? a : b] += joint(a, b);
  return normalized(std::move(masses));
}

double total(MatrixView<const double> m) {
  return std::accumulate(m.data(), m.data() + m.rows() * m.cols(), 0.0);
}

using Chosen = std::vector<char>;  // by cell

size_t holes(MatrixView<const double> train, Side side, size_t cell, const Chosen& others) {
  size_t count = 0;
  for (size_t o = 0; o < others.size(); ++o)
    if (others[o] && !((side == Side::rows ? train(cell, o) : train(o, cell)) > 0)) ++count;
  return count;
}

// Cells of one side that were seen with every needed cell of the other.
Chosen complete(MatrixView<const double> train, Side side, const std::vector<double>& needed) {
  Chosen wanted(needed.size());
  for (size_t o = 0; o < needed.size(); ++o) wanted[o] = needed[o] > 0;
  Chosen chosen(side == Side::rows ? train.rows() : train.cols());
  for (size_t c = 0; c < chosen.size(); ++c) chosen[c] = holes(train, side, c, wanted) == 0;
  return chosen;
}

// Leaves out rows and columns until all of the rest were seen together.
void close_holes(MatrixView<const double> train, Chosen& rows, Chosen& columns) {
  for (;;) {
    size_t most = 0;
    char* worst = nullptr;
    const auto look = [&](Side side, Chosen& own, const Chosen& others) {
      for (size_t c = 0; c < own.size(); ++c) {
        const size_t h = own[c] ? holes(train, side, c, others) : 0;
        if (h > most) {
          most = h;
          worst = &own[c];
        }
      }
    };
    look(Side::rows, rows, columns);
    look(Side::columns, columns, rows);
    if (!worst) return;
    *worst = 0;
  }
}

// D1 and D2 of one side.
std::array<std::vector<double>, 2> parts(const Chosen& first, const std::vector<double>& train,
                                         const std::vector<double>& test) {
  std::vector<double> one = train, two = test;
  for (size_t c = 0; c < first.size(); ++c) (first[c] ? two : one)[c] = 0;
  one = normalized(std::move(one));
  const bool empty = std::all_of(two.begin(), two.end(), [](double m) { return m == 0; });
  two = empty ? one : normalized(std::move(two));
  return {std::move(one), std::move(two)};
}

// The product of the marginals in the cells that `is_covered` says.
template <class IsCovered>
CoveredCells independent_in(MatrixView<const double> train, IsCovered is_covered) {
  const std::vector<double> rows = marginal(train, Side::rows), columns = marginal(train, Side::columns);
  CoveredCells out{.test = Matrix<double>(train.rows(), train.cols()), .share = 0};
  for (size_t a = 0; a < train.rows(); ++a)
    for (size_t b = 0; b < train.cols(); ++b)
      if (is_covered(a, b)) out.share += out.test(a, b) = rows[a] * columns[b];
  return out;
}

bool any(const Chosen& chosen) {
  return std::any_of(chosen.begin(), chosen.end(), [](char c) { return c != 0; });
}

}  // namespace

DensityRatio density_ratio(MatrixView<const double> train, MatrixView<const double> test, double unseen) {
  assert(train.rows() == test.rows() && train.cols() == test.cols());
  const double train_sum = total(train), test_sum = total(test);
  assert(train_sum > 0);
  const std::vector<double> train_rows = marginal(train, Side::rows),
                            train_columns = marginal(train, Side::columns),
                            test_rows = marginal(test, Side::rows),
                            test_columns = marginal(test, Side::columns);
  DensityRatio out;
  out.unseen = unseen;
  out.differences = {train_rows, train_rows};
  out.anchors = {train_columns, train_columns};
  if (!(test_sum > 0)) return out;
  for (size_t a = 0; a < test.rows(); ++a)
    for (size_t b = 0; b < test.cols(); ++b)
      if (!(train(a, b) > 0)) out.new_together += test(a, b) / test_sum * (1 - unseen);

  Chosen rows = complete(train, Side::rows, test_columns),
         columns = complete(train, Side::columns, test_rows);
  close_holes(train, rows, columns);
  if (!any(rows) || !any(columns)) return out;
  out.differences = parts(rows, train_rows, test_rows);
  out.anchors = parts(columns, train_columns, test_columns);
  if (unseen > 0) return out;
  out.kappa = 0;
  for (size_t a = 0; a < train.rows(); ++a) {
    for (size_t b = 0; b < train.cols(); ++b) {
      const double d1 = out.differences[0][a], d2 = out.differences[1][a], e1 = out.anchors[0][b],
                   e2 = out.anchors[1][b];
      const double known = d1 * e1 + d1 * e2 + d2 * e1, all = known + d2 * e2;
      if (known > 0) out.kappa = std::max(out.kappa, known / (train(a, b) / train_sum));
      if (test(a, b) > 0) out.kappa = std::max(out.kappa, test(a, b) / test_sum / all);
    }
  }
  return out;
}

double plain_density_ratio(MatrixView<const double> train, MatrixView<const double> test, double unseen) {
  assert(train.rows() == test.rows() && train.cols() == test.cols());
  const double train_sum = total(train), test_sum = total(test);
  assert(train_sum > 0);
  if (unseen > 0 || !(test_sum > 0)) return std::numeric_limits<double>::infinity();
  double kappa = 0;
  for (size_t a = 0; a < train.rows(); ++a)
    for (size_t b = 0; b < train.cols(); ++b)
      if (test(a, b) > 0) kappa = std::max(kappa, test(a, b) / test_sum / (train(a, b) / train_sum));
  return kappa;
}

CoveredCells widest_block(MatrixView<const double> train) {
  const std::vector<double> rows = marginal(train, Side::rows), columns = marginal(train, Side::columns);
  double widest = 0;
  size_t pivot_row = 0, pivot_column = 0;
  for (size_t a = 0; a < train.rows(); ++a) {
    for (size_t b = 0; b < train.cols(); ++b) {
      if (!(train(a, b) > 0)) continue;
      double of_rows = 0, of_columns = 0;
      for (size_t i = 0; i < train.rows(); ++i) of_rows += train(i, b) > 0 ? rows[i] : 0;
      for (size_t j = 0; j < train.cols(); ++j) of_columns += train(a, j) > 0 ? columns[j] : 0;
      if (of_rows * of_columns > widest) {
        widest = of_rows * of_columns;
        pivot_row = a;
        pivot_column = b;
      }
    }
  }
  return independent_in(
      train, [&](size_t a, size_t b) { return train(a, pivot_column) > 0 && train(pivot_row, b) > 0; });
}

CoveredCells seen_together(MatrixView<const double> train) {
  return independent_in(train, [&](size_t a, size_t b) { return train(a, b) > 0; });
}

}  // namespace kedge
