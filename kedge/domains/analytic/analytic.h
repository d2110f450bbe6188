#pragma once

// The paper's five functions of one variable (section 4.1, appendix D.1): input x, output y = f(x), no noise.
//
//   name              train     oos                      extrapolates because
//   mixed-periodic    [20, 40]  [10, 20) and (40, 50]    it repeats every 9
//   sawtooth          [20, 40]  [10, 20) and (40, 50]    it repeats every 4
//   polynomial        [-1, 1]   [-1.6, -1) and (1, 1.6]  it does not: nothing in it repeats
//   growing-periodic  [20, 40]  [10, 20) and (40, 50]    its shape repeats every 3, larger each time
//   equivariant       [20, 40]  [10, 20) and (40, 50]    its shape repeats every 3, higher by 3 each time
//
// Rows are uniform over their range (over both parts of it for oos, by length).
//
// What the paper leaves open, and what we take. The factor x_m of the mixed periodic function is not defined
// there: it is 1. Pieces are given for open intervals (x_v < 1, 1 < x_v < 2, ...): here each piece owns its
// left end. Period and amplitude of the sawtooth are not given: 2 and 4, a triangle wave between 0 and 4 with
// standard deviation 4 / sqrt(12) = 1.15, so that a model which only knows the mean has an error above 1. mod
// and floor are those of mathematics for negative x too: x mod p is in [0, p).

#include <string>
#include <string_view>
#include <vector>

#include "kedge/domains/domain.h"

namespace kedge {

inline constexpr double sawtooth_period = 2;
inline constexpr double sawtooth_amplitude = 4;

double mixed_periodic(double x);
double sawtooth(double x);
double polynomial(double x);
double growing_periodic(double x);
double equivariant(double x);

/// A function and where its domain draws x: train rows from the inner range, oos rows from the rest of the
/// outer one.
struct AnalyticFunction {
  std::string name, title, figure;
  double (*value)(double);
  double oos_low, train_low, train_high, oos_high;
};

/// The five, named as above.
const std::vector<AnalyticFunction>& analytic_functions();

/// Throws Error listing the names there are.
const AnalyticFunction& find_function(std::string_view name);

/// A function as a domain; its ranges may be others than those of the list.
Domain analytic_domain(const AnalyticFunction& function);

/// The five as domains.
std::vector<Domain> analytic_domains();

}  // namespace kedge
