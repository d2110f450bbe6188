#include "kedge/trials/extent.h"

#include <algorithm>
#include <cmath>

#include "kedge/core/linear_algebra.h"
#include "kedge/table/standardizer.h"

namespace kedge {
namespace {

Matrix<double> standardized(MatrixView<const double> rows, const Standardizer& scale) {
  Matrix<double> out(rows.rows(), rows.cols());
  for (size_t r = 0; r < rows.rows(); ++r)
    for (size_t c = 0; c < rows.cols(); ++c) out(r, c) = scale.redo(c, rows(r, c));
  return out;
}

/// Takes the mean from every row and returns it.
std::vector<double> centred(Matrix<double>& rows) {
  std::vector<double> mean(rows.cols());
  for (size_t r = 0; r < rows.rows(); ++r)
    for (size_t c = 0; c < mean.size(); ++c) mean[c] += rows(r, c) / static_cast<double>(rows.rows());
  for (size_t r = 0; r < rows.rows(); ++r)
    for (size_t c = 0; c < mean.size(); ++c) rows(r, c) -= mean[c];
  return mean;
}

/// Mean square of centred rows along each direction.
std::vector<double> variances_along(const Matrix<double>& rows, const Matrix<double>& directions) {
  const Matrix<double> covariance = transposed_product(rows, rows);
  const Matrix<double> images = product(directions, covariance);
  std::vector<double> variances;
  for (size_t q = 0; q < directions.rows(); ++q) {
    double sum = 0;
    for (size_t c = 0; c < directions.cols(); ++c) sum += images(q, c) * directions(q, c);
    variances.push_back(sum / static_cast<double>(rows.rows()));
  }
  return variances;
}

}  // namespace

std::vector<double> relative_extents(MatrixView<const double> all, MatrixView<const double> fitted,
                                     MatrixView<const double> queries) {
  const Standardizer scale = Standardizer::fit(all);
  Matrix<double> whole = standardized(all, scale), part = standardized(fitted, scale),
                 directions = standardized(queries, scale);
  centred(whole);
  const std::vector<double> middle = centred(part);
  for (size_t q = 0; q < directions.rows(); ++q)
    for (size_t c = 0; c < middle.size(); ++c) directions(q, c) -= middle[c];
  const std::vector<double> of_part = variances_along(part, directions),
                            of_whole = variances_along(whole, directions);
  std::vector<double> extents;
  for (size_t q = 0; q < directions.rows(); ++q)
    extents.push_back(of_whole[q] > 0 ? std::min(1.0, std::sqrt(of_part[q] / of_whole[q])) : 1);
  return extents;
}

}  // namespace kedge
