#pragma once

// Laws: ten problems that took no part in any choice. Laws, constants, ranges and noise were written down
// before any model was fitted on them. Five are functions of one input, without noise; five are tables whose
// outputs are measured with noise:
//
//   name        inputs                        outputs             out of support
//   swing       t                             angle               t, both sides
//   tide        t                             height              t, both sides
//   parcel      mass                          price               mass, both sides
//   yeast       t                             amount              t, both sides
//   braking     speed                         distance            speed, both sides
//   pump        flow, speed, diameter         head, power         all, above
//   arm         theta1, theta2, l1, l2        x, y                all, both sides
//   reaction    temperature, energy, ca, cb   rate                all, both sides
//   projectile  speed, angle, mass, area,     range, apex, time   the first four, both sides
//               drag, density
//   beam        span, width, depth, modulus,  deflection, moment  span and depth, both sides;
//               p1 ... p4, a1 ... a4                              loads p1 ... p4, above
//
// Shapes of swing and tide repeat, that of parcel climbs; yeast and braking have nothing that repeats.
//
// Rows of train and in are uniform in the box of the training ranges. A side that goes out does so by half of
// the width of its range. Rows of oos are uniform in the larger box, without the training box: each has at
// least one input outside of its range, and may have several.
//
// Laws: a row is a pure function of (law, split, seed, its number), so a shorter table is the start of a
// longer one. Noise of tables is Gaussian and independent, in rows of every split; its deviation is 1 % of
// that of the output over the training range. So the law itself, asked for rows in support, has an error of
// 0.01 of the deviation.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/domains/domain.h"

namespace kedge {

/// Which sides of its training range an input leaves out of support.
enum class Beyond { none, above, both };

struct LawInput {
  std::string name;
  double low, high;  ///< training range
  Beyond beyond = Beyond::none;

  /// Ends of the range out of support; those of training where the input does not leave it.
  double oos_low() const { return beyond == Beyond::both ? low - (high - low) / 2 : low; }
  double oos_high() const { return beyond == Beyond::none ? high : high + (high - low) / 2; }
};

struct LawOutput {
  std::string name;
  double noise = 0;  ///< deviation, in the unit of the output
};

struct Law {
  std::string name, title, source;
  std::vector<LawInput> inputs;
  std::vector<LawOutput> outputs;
  /// The outputs at these inputs, without noise.
  std::vector<double> (*value)(std::span<const double> inputs);
  std::string space{}, same_unit{};  ///< of the domain
};

/// The ten, in the order of the table above.
const std::vector<Law>& all_laws();

/// Throws Error listing the names there are.
const Law& find_law(std::string_view name);

/// The ten as domains.
std::vector<Domain> law_domains();

/// The five of one input.
std::vector<Law> curve_laws();
/// The five tables.
std::vector<Law> table_laws();

inline constexpr double gravity = 9.81;  ///< m/s^2

/// Flight of a point mass against drag that grows with the square of the speed, from the ground to the
/// ground.
struct Flight {
  double range, apex, time;  ///< m, m, s
};
/// `speed` in m/s, `elevation` in radians above 0 and below pi / 2, `drag` the deceleration over the squared
/// speed, 1/m.
Flight fly(double speed, double elevation, double drag);

}  // namespace kedge
