#include "kedge/coverage/block_completion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kedge/core/rng.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

constexpr double tolerance = 1e-8;  // of well-conditioned sums of products of normals

struct Blocks {
  Matrix<double> m11, m12, m21, m22;
};

Matrix<double> normals(size_t rows, size_t cols, Rng& rng) {
  Matrix<double> m(rows, cols);
  for (size_t r = 0; r < rows; ++r)
    for (double& x : m.row(r)) x = rng.normal();
  return m;
}

Matrix<double> product(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> m(a.rows(), b.rows());
  for (size_t r = 0; r < a.rows(); ++r)
    for (size_t c = 0; c < b.rows(); ++c)
      for (size_t k = 0; k < a.cols(); ++k) m(r, c) += a(r, k) * b(c, k);
  return m;
}

Blocks low_rank(size_t n1, size_t m1, size_t n2, size_t m2, size_t rank, Rng& rng) {
  const Matrix<double> a1 = normals(n1, rank, rng), a2 = normals(n2, rank, rng);
  const Matrix<double> b1 = normals(m1, rank, rng), b2 = normals(m2, rank, rng);
  return {product(a1, b1), product(a1, b2), product(a2, b1), product(a2, b2)};
}

double norm(const Matrix<double>& a, const Matrix<double>& b) {
  double squares = 0;
  for (size_t i = 0; i < a.values().size(); ++i) {
    const double d = a.values()[i] - b.values()[i];
    squares += d * d;
  }
  return std::sqrt(squares);
}

// Noise of exactly this Frobenius norm.
Matrix<double> noisy(const Matrix<double>& m, double epsilon, Rng& rng) {
  const Matrix<double> noise = normals(m.rows(), m.cols(), rng);
  const double length = norm(noise, Matrix<double>(m.rows(), m.cols()));
  Matrix<double> out = m;
  for (size_t r = 0; r < m.rows(); ++r)
    for (size_t c = 0; c < m.cols(); ++c) out(r, c) += epsilon * noise(r, c) / length;
  return out;
}

TEST(BlockCompletion, the_missing_block_of_a_low_rank_matrix_comes_back_exactly) {
  Rng rng(1, Stream::domain);
  for (size_t n1 : {1, 4, 9, 30})
    for (size_t m1 : {1, 5, 8, 17})
      for (size_t n2 : {1, 6})
        for (size_t m2 : {1, 13})
          for (size_t rank = 1; rank <= std::min<size_t>({n1, m1, 4}); ++rank) {
            const Blocks b = low_rank(n1, m1, n2, m2, rank, rng);
            const BlockCompletion done = complete_block(b.m11, b.m12, b.m21);
            EXPECT_EQ(done.rank, rank) << n1 << " x " << m1;
            EXPECT_EQ(done.singular_values.size(), std::min(n1, m1));
            ASSERT_EQ(done.m22.rows(), n2);
            ASSERT_EQ(done.m22.cols(), m2);
            const double scale = done.norm * done.norm / done.sigma();
            EXPECT_LE(norm(done.m22, b.m22), tolerance * scale);
          }
}

TEST(BlockCompletion, the_bound_holds_for_every_noise_that_keeps_its_premise) {
  Rng rng(2, Stream::noise);
  int trials = 0;
  for (size_t rank : {1, 2, 3, 5}) {
    for (double share : {1e-6, 1e-3, 0.05, 0.3}) {
      for (int repeat = 0; repeat < 20; ++repeat) {
        const Blocks b = low_rank(6 + rank, 9, 5, 7, rank, rng);
        const double epsilon = share * complete_block(b.m11, b.m12, b.m21).sigma();
        const BlockCompletion done = complete_block(noisy(b.m11, epsilon, rng), noisy(b.m12, epsilon, rng),
                                                    noisy(b.m21, epsilon, rng), {.rank = rank});
        const double bound = done.error_bound(epsilon);
        if (std::isinf(bound)) continue;
        EXPECT_LE(norm(done.m22, b.m22), bound);
        ++trials;
      }
    }
  }
  EXPECT_GT(trials, 200);
}

TEST(BlockCompletion, the_bound_is_the_lemmas_with_the_worst_norm_and_singular_value_the_noise_allows) {
  const Matrix<double> m11(2, 2, std::vector<double>{3, 0, 0, 2}), m12(2, 1, std::vector<double>{1, 1}),
      m21(1, 2, std::vector<double>{5, 0});
  const BlockCompletion done = complete_block(m11, m12, m21);
  EXPECT_DOUBLE_EQ(done.norm, 5);
  EXPECT_DOUBLE_EQ(done.sigma(), 2);
  EXPECT_EQ(done.error_bound(0), 0);
  EXPECT_DOUBLE_EQ(done.error_bound(0.5), 8 * 0.5 * 5.5 * 5.5 / (1.5 * 1.5));
  EXPECT_TRUE(std::isfinite(done.error_bound(0.66)));
  EXPECT_TRUE(std::isinf(done.error_bound(0.67)));
  EXPECT_NE(error_text([&] { done.error_bound(-1); }), "");
  EXPECT_NE(error_text([&] { done.error_bound(std::nan("")); }), "");
}

TEST(BlockCompletion, the_tolerance_counts_singular_values_relative_to_the_largest) {
  const Matrix<double> m11(3, 3, std::vector<double>{100, 0, 0, 0, 1, 0, 0, 0, 1e-3}),
      m12(3, 1, std::vector<double>{1, 1, 1}), m21(1, 3, std::vector<double>{1, 1, 1});
  const auto rank = [&](double t) { return complete_block(m11, m12, m21, {.tolerance = t}).rank; };
  EXPECT_EQ(rank(0), 3u);
  EXPECT_EQ(rank(1e-4), 2u);
  EXPECT_EQ(rank(0.1), 1u);
  EXPECT_DOUBLE_EQ(complete_block(m11, m12, m21, {.rank = 2}).m22(0, 0), 1.01);
}

TEST(BlockCompletion, what_cannot_be_completed_is_refused_with_one_line_that_says_why) {
  const Matrix<double> square(3, 3, std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 0}), zero(3, 3),
      thin(3, 1, 1.0), flat(1, 3, 1.0), empty(3, 0);
  Matrix<double> broken = thin;
  broken(1, 0) = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<std::string, std::string>> errors = {
      {"M12 needs the 3 rows", error_text([&] { complete_block(square, flat, flat); })},
      {"M21 needs the 3 columns", error_text([&] { complete_block(square, thin, thin); })},
      {"M12 needs rows and columns; found 3 x 0", error_text([&] { complete_block(square, empty, flat); })},
      {"M12 needs finite numbers; found inf in row 1, column 0",
       error_text([&] { complete_block(square, broken, flat); })},
      {"found all zeros", error_text([&] { complete_block(zero, thin, flat); })},
      {"1 to 2", error_text([&] { complete_block(square, thin, flat, {.rank = 3}); })},
      {"found 0", error_text([&] { complete_block(square, thin, flat, {.rank = 0}); })},
      {"tolerance", error_text([&] { complete_block(square, thin, flat, {.tolerance = -1}); })},
      {"tolerance", error_text([&] { complete_block(square, thin, flat, {.tolerance = std::nan("")}); })},
  };
  for (const auto& [words, error] : errors) {
    EXPECT_NE(error.find(words), std::string::npos) << words << "\n" << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace kedge
