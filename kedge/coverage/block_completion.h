#pragma once

// Block completion: the corner of a low-rank matrix that was not measured (paper, lemma B.2).
//
// Of a matrix in four blocks, three are known. Where M11 has the rank p of the whole, the fourth follows:
//
//     | M11  M12 |
//     | M21   ?  |        M22 = M21 M11^+ M12
//
// exactly, and stably: when each known block is off by at most epsilon (Frobenius norm) from the block of a
// matrix of rank p, and epsilon <= sigma_p / 2, then M22 is off by at most 8 epsilon M^2 / sigma_p^2, where M
// is the greatest norm of the known blocks and sigma_p the p-th singular value of M11.

#include <cstddef>
#include <optional>
#include <vector>

#include "kedge/core/matrix.h"

namespace kedge {

struct BlockCompletionOptions {
  /// Rank of the pseudoinverse; when absent, the number of singular values of M11 above tolerance times the
  /// largest of them.
  std::optional<size_t> rank = {};
  /// 0 means the rounding of M11's own numbers: its longer side times 2^-52. Blocks measured with noise need
  /// a tolerance above noise / sigma_1, or a rank.
  double tolerance = 0;
};

struct BlockCompletion {
  Matrix<double> m22;
  size_t rank = 0;                      ///< used
  std::vector<double> singular_values;  ///< of M11, largest first: all of them, whatever the rank
  double norm = 0;                      ///< greatest Frobenius norm of the known blocks

  double sigma() const { return singular_values[rank - 1]; }

  /// The lemma's bound on the Frobenius norm of the error of m22, for known blocks that are each off by at
  /// most epsilon. Norm and sigma_p of the true blocks are not known, so they are taken as the worst the
  /// given ones allow, norm + epsilon and sigma - epsilon. Infinite when the premise fails for these: the
  /// lemma then says nothing. Throws Error unless epsilon is finite and not negative.
  double error_bound(double epsilon) const;
};

/// M11 is n1 x m1, M12 n1 x m2, M21 n2 x m1; m22 comes out n2 x m2. Throws Error when shapes do not fit, a
/// number is not finite, M11 is zero, or a rank is asked for that M11 does not have.
BlockCompletion complete_block(MatrixView<const double> m11, MatrixView<const double> m12,
                               MatrixView<const double> m21, const BlockCompletionOptions& options = {});

}  // namespace kedge
