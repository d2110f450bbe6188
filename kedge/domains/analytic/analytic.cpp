#include "kedge/domains/analytic/analytic.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kedge/core/find_named.h"
#include "kedge/core/rng.h"

namespace kedge {
namespace {

/// x = count * period + rest with a whole count and rest in [0, period).
struct Repeats {
  double count, rest;
};

Repeats divide(double x, double period) {
  double rest = std::fmod(x, period);
  if (rest < 0) rest += period;
  if (rest >= period) rest = 0;  // -1e-20 + 9 rounds to 9
  // From the rest and not by floor: the two can never disagree on which side of a boundary x is.
  return {std::round((x - rest) / period), rest};
}

/// The shape three of the functions repeat: a sinusoid on [0, 1), a line on [1, 2), a parabola on [2, 3).
double shape(double x) {
  if (x < 1) return std::sin(10 * x);
  if (x < 2) return std::sin(10.0) + (x - 1);
  return std::sin(10.0) + 1 + (x - 2) * (x - 2);
}

double draw(const AnalyticFunction& ranges, Split split, Rng& rng) {
  if (split != Split::oos) return rng.uniform(ranges.train_low, ranges.train_high);
  const double below = ranges.train_low - ranges.oos_low, above = ranges.oos_high - ranges.train_high;
  const double place = rng.uniform(0, below + above);
  // Rounding may carry a number onto the end of its range, and the ends of the train range belong to train.
  if (place < below)
    return std::min(ranges.oos_low + place, std::nextafter(ranges.train_low, ranges.oos_low));
  return std::max(ranges.train_high + (place - below), std::nextafter(ranges.train_high, ranges.oos_high));
}

}  // namespace

Domain analytic_domain(const AnalyticFunction& function) {
  const auto sample = [function](Split split, size_t rows, uint64_t seed) {
    Rng rng(seed, Stream::domain, static_cast<uint64_t>(split));
    Column x{.name = "x", .role = Role::input, .values = {}, .words = {}};
    Column y{.name = "y", .role = Role::output, .values = {}, .words = {}};
    for (size_t row = 0; row < rows; ++row) {
      x.values.push_back(draw(function, split, rng));
      y.values.push_back(function.value(x.values.back()));
    }
    Table table(function.name);
    table.add(std::move(x));
    table.add(std::move(y));
    return table;
  };
  return {.name = function.name,
          .title = function.title,
          .source = function.figure + ", appendix D.1",
          .sample = sample,
          .fourier_in_paper = true};
}

double mixed_periodic(double x) {
  const double rest = divide(x, 9).rest;
  return rest < 3 ? shape(rest) : shape((rest - 3) / 2);
}

double sawtooth(double x) {
  const auto [count, rest] = divide(x, sawtooth_period);
  const double rise = rest * sawtooth_amplitude / sawtooth_period;
  return std::fmod(count, 2) == 0 ? rise : sawtooth_amplitude - rise;
}

double polynomial(double x) {
  return (x - 0.1) * (x + 0.4) * (x + 0.7) * (x - 0.5) * (x - 1.5) * (x + 1.75) * (x + 1) * (x - 1.2);
}

double growing_periodic(double x) {
  const auto [count, rest] = divide(x, 3);
  return count * shape(rest);
}

double equivariant(double x) {
  const auto [count, rest] = divide(x, 3);
  return count * 3 + shape(rest);
}

const std::vector<AnalyticFunction>& analytic_functions() {
  static const std::vector<AnalyticFunction> functions = {
      {"mixed-periodic", "A periodic function whose shape appears at two widths.", "figure 4a",
       mixed_periodic, 10, 20, 40, 50},
      {"sawtooth", "A triangle wave between 0 and 4.", "figure 4b", sawtooth, 10, 20, 40, 50},
      {"polynomial", "A polynomial of degree 8, which nothing learned from inside predicts outside.",
       "figure 4c", polynomial, -1.6, -1, 1, 1.6},
      {"growing-periodic", "A periodic shape whose size grows with every repeat.", "figures 5 and 7",
       growing_periodic, 10, 20, 40, 50},
      {"equivariant", "A periodic shape that climbs by 3 with every repeat.", "figure 6", equivariant, 10, 20,
       40, 50},
  };
  return functions;
}

const AnalyticFunction& find_function(std::string_view name) {
  return find_named(analytic_functions(), name, "function", "a function");
}

std::vector<Domain> analytic_domains() {
  std::vector<Domain> domains;
  for (const AnalyticFunction& function : analytic_functions()) domains.push_back(analytic_domain(function));
  return domains;
}

}  // namespace kedge
