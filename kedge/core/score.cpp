#include "kedge/core/score.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "kedge/core/error.h"
#include "kedge/core/format.h"

namespace kedge {
namespace {

/// From 0; equal values share the mean of their ranks.
std::vector<double> ranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    for (size_t i = first; i < end; ++i) rank[order[i]] = static_cast<double>(first + end - 1) / 2;
    first = end;
  }
  return rank;
}

/// Marks so many of the greatest; of equal ones the earlier.
std::vector<bool> among_greatest(std::span<const double> values, size_t count) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] > values[b]; });
  std::vector<bool> marked(values.size());
  for (size_t i = 0; i < count; ++i) marked[order[i]] = true;
  return marked;
}

void require_alike(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size() || a.empty())
    throw Error("score", fmt::format("needs two lists of the same length with values; found {} and {}",
                                     a.size(), b.size()));
}

}  // namespace

std::vector<double> distances(MatrixView<const double> predicted, MatrixView<const double> truth) {
  if (predicted.rows() != truth.rows() || predicted.cols() != truth.cols() || truth.rows() == 0)
    throw Error("score",
                fmt::format("needs two arrays of the same shape with rows; found {} x {} and {} x {}",
                            predicted.rows(), predicted.cols(), truth.rows(), truth.cols()));
  std::vector<double> found;
  for (size_t r = 0; r < truth.rows(); ++r) {
    double sum = 0;
    for (size_t c = 0; c < truth.cols(); ++c) {
      const double error = predicted(r, c) - truth(r, c);
      sum += error * error;
    }
    found.push_back(std::sqrt(sum));
  }
  return found;
}

double r_squared(std::span<const double> distances, MatrixView<const double> truth) {
  if (distances.size() != truth.rows())
    throw Error("score", fmt::format("needs a distance for each row; found {} for {} rows", distances.size(),
                                     truth.rows()));
  double missed = 0, varied = 0;
  for (double distance : distances) missed += distance * distance;
  for (size_t c = 0; c < truth.cols(); ++c) {
    double center = 0;
    for (size_t r = 0; r < truth.rows(); ++r) center += truth(r, c) / static_cast<double>(truth.rows());
    for (size_t r = 0; r < truth.rows(); ++r) varied += (truth(r, c) - center) * (truth(r, c) - center);
  }
  return varied > 0 ? 1 - missed / varied : std::numeric_limits<double>::quiet_NaN();
}

double root_mean_square(std::span<const double> values) {
  double squares = 0;
  for (double value : values) squares += value * value;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

double rmse(MatrixView<const double> predicted, MatrixView<const double> truth) {
  return root_mean_square(distances(predicted, truth));
}

double rank_correlation(std::span<const double> a, std::span<const double> b) {
  require_alike(a, b);
  const std::vector<double> p = ranks(a), q = ranks(b);
  const double center = static_cast<double>(a.size() - 1) / 2;
  double both = 0, first = 0, second = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    both += (p[i] - center) * (q[i] - center);
    first += (p[i] - center) * (p[i] - center);
    second += (q[i] - center) * (q[i] - center);
  }
  if (first == 0 || second == 0) return std::numeric_limits<double>::quiet_NaN();
  return both / std::sqrt(first * second);
}

double top_share(std::span<const double> predicted, std::span<const double> truth) {
  require_alike(predicted, truth);
  const size_t count = std::max<size_t>(1, truth.size() / 10);
  return found_share(predicted, among_greatest(truth, count));
}

double found_share(std::span<const double> scores, const std::vector<bool>& wanted) {
  const auto count = static_cast<size_t>(std::count(wanted.begin(), wanted.end(), true));
  if (scores.size() != wanted.size() || count == 0)
    throw Error("score",
                fmt::format("needs a score for each item, some of them wanted; found {} for {}, {} wanted",
                            scores.size(), wanted.size(), count));
  std::vector<double> sorted(scores.begin(), scores.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const double last = sorted[count - 1];
  double above = 0, wanted_above = 0, equal = 0, wanted_equal = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    above += scores[i] > last;
    wanted_above += scores[i] > last && wanted[i];
    equal += scores[i] == last;
    wanted_equal += scores[i] == last && wanted[i];
  }
  const double places = static_cast<double>(count);
  return (wanted_above + wanted_equal * (places - above) / equal) / places;
}

double mean(std::span<const double> values) {
  if (values.empty()) throw Error("score", "a mean needs values; found none");
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation(std::span<const double> values) {
  const double center = mean(values);
  if (values.size() == 1) return 0;
  double sum = 0;
  for (double value : values) sum += (value - center) * (value - center);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double auroc(std::span<const double> score, const std::vector<bool>& bad) {
  if (score.size() != bad.size())
    throw Error("score",
                fmt::format("needs as many scores as items; found {} and {}", score.size(), bad.size()));
  if (std::any_of(score.begin(), score.end(), [](double s) { return std::isnan(s); }))
    throw Error("score", "needs scores that are numbers; found NaN");
  std::vector<size_t> order(score.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return score[a] < score[b]; });
  double wins = 0, bad_count = 0, good_before = 0;
  for (size_t i = 0; i < order.size();) {
    double tied_bad = 0, tied_good = 0;
    const double value = score[order[i]];
    for (; i < order.size() && score[order[i]] == value; ++i) (bad[order[i]] ? tied_bad : tied_good) += 1;
    wins += tied_bad * (good_before + tied_good / 2);
    bad_count += tied_bad;
    good_before += tied_good;
  }
  return wins / (bad_count * good_before);
}

bool all_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace kedge
