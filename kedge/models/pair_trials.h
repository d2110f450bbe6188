#pragma once

// Fits of pairs without some of the rows, to be judged by those rows. Pairs share rows, so an error over
// pairs that were not fitted flatters: here no fitted pair has a row that judges.

#include <span>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/core/stop_check.h"
#include "kedge/pairs/pair_features.h"
#include "kedge/pairs/sampler.h"

namespace kedge {

/// Pairs with their terms (see PairTerms) and the changes of the outputs, one row each.
struct PairDesign {
  std::vector<Pair> pairs;
  Matrix<double> terms, changes;
  std::vector<double> weights = {};      ///< how much each pair counts; none: alike
  std::vector<double> row_weights = {};  ///< how much each row counts as a judge; none: alike
};

/// Products of terms with each other and with changes, means over pairs: all that a ridge regression reads.
struct PairMoments {
  Matrix<double> gram, changes;

  /// `weights` say how much each pair counts; none: alike.
  PairMoments(MatrixView<const double> terms, MatrixView<const double> changes,
              std::span<const double> weights = {});
};

/// A fit without some rows, and what it is asked: each of these from the rows that are left. An answer is the
/// mean over the row's anchors, so that the mean of its terms is all that it takes.
struct PairTrial {
  PairMoments fitted;
  Matrix<double> terms, changes;  ///< by row that was held out and has an anchor: means over its anchors
  std::vector<double> weights;    ///< by the same rows: how much each judges
};

/// Trials that hold rows out: a fifth at random several times, and the outermost fifth and two fifths. Empty
/// where too few rows have pairs.
struct PairTrials {
  std::vector<PairTrial> inside, outside;

  PairTrials(const EncodedRows& rows, const PairDesign& design, const StopCheck& stop_check);
};

}  // namespace kedge
