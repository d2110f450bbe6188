#include "kedge/nn/pair_errors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace kedge {
namespace {

/// Two outputs, each a constant of its replica.
std::unique_ptr<Engine> constants(const std::vector<std::vector<float>>& biases) {
  Program p(1, 2);
  p.dense(Program::input(Input::query), 2, Activation::none);
  std::vector<std::vector<float>> parameters;
  for (const std::vector<float>& bias : biases) parameters.push_back({0, 0, bias[0], bias[1]});
  return make_engine(p, parameters);
}

struct Rows {
  Matrix<double> points{3, 1};
  Matrix<float> features{3, 1}, outputs{3, 2, std::vector<float>{0, 0, 3, 4, 1, 1}};
  EncodedRows encoded() const {
    return {.points = points, .features = features, .outputs = outputs, .curved = {}};
  }
};

TEST(PairErrors, are_root_mean_squares_over_outputs_of_the_mean_of_replicas) {
  const Rows rows;
  const std::vector<Pair> pairs = {{0, 1}, {1, 0}, {2, 2}};
  const std::vector<double> one = pair_errors(*constants({{0, 0}}), rows.encoded(), pairs);
  EXPECT_EQ(one, (std::vector<double>{0, std::sqrt(12.5), 1}));
  EXPECT_EQ(pair_errors(*constants({{0, 0}, {2, 2}}), rows.encoded(), pairs),
            (std::vector<double>{1, std::sqrt(6.5), 0}));
}

TEST(PairErrors, can_be_stopped) {
  const Rows rows;
  const std::vector<Pair> pairs(5000, Pair{0, 1});
  int asked = 0;
  const StopCheck stop = [&] {
    if (++asked == 3) throw std::runtime_error("stop");
  };
  EXPECT_THROW(pair_errors(*constants({{0, 0}}), rows.encoded(), pairs, stop), std::runtime_error);
}

}  // namespace
}  // namespace kedge
