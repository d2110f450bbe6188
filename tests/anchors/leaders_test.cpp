#include "kedge/anchors/leaders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

TEST(Leaders, bound_is_the_last_of_the_least_values_at_every_moment) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const size_t count : {1, 2, 7, 40}) {
    Rng rng(count, Stream::domain);
    Leaders leaders(40, count);
    std::vector<double> values(40, infinity);
    for (int step = 0; step < 500; ++step) {
      const uint32_t name = static_cast<uint32_t>(rng.below(40));
      // Whole numbers: many are equal.
      const double value = std::isinf(values[name]) ? static_cast<double>(rng.below(100))
                                                    : std::floor(values[name] * rng.uniform());
      values[name] = value;
      leaders.offer(name, value);
      std::vector<double> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      ASSERT_EQ(leaders.bound(), sorted[count - 1]) << "of " << count << " after " << step << " offers";
    }
  }
}

}  // namespace
}  // namespace kedge
