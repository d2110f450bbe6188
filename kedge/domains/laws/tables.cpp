// The laws of several inputs.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kedge/domains/laws/laws.h"

namespace kedge {
namespace {

constexpr double pi = std::numbers::pi;

/// Curves of head and shaft power of a pump of 250 mm at 1450 rpm, carried to pumps of the same shape by the
/// affinity laws: flow as n D^3, head as n^2 D^2, power as n^3 D^5.
std::vector<double> pump(std::span<const double> x) {
  const double n = x[1] / 1450, d = x[2] / 250;
  const double flow = x[0] / (n * d * d * d);
  const double head = 24 - 0.001 * flow * flow, power = 2 + 0.035 * flow;
  return {n * n * d * d * head, n * n * n * std::pow(d, 5) * power};
}

/// The tip of a planar arm; theta2 is counted from the direction of the first link.
std::vector<double> arm(std::span<const double> x) {
  const double first = x[0], second = x[0] + x[1], l1 = x[2], l2 = x[3];
  return {l1 * std::cos(first) + l2 * std::cos(second), l1 * std::sin(first) + l2 * std::sin(second)};
}

/// A reaction of first order in both substances, its constant by Arrhenius.
std::vector<double> reaction(std::span<const double> x) {
  const double gas_constant = 8.314462618e-3;  // kJ/(mol K)
  const double factor = 5e9;                   // L/(mol s), times 1000 mmol/mol
  return {factor * std::exp(-x[1] / (gas_constant * x[0])) * x[2] * x[3]};
}

std::vector<double> projectile(std::span<const double> x) {
  const double mass = x[2], area = x[3] * 1e-4, coefficient = x[4], density = x[5];
  const Flight flight = fly(x[0], x[1] * pi / 180, density * coefficient * area / (2 * mass));
  return {flight.range, flight.apex, flight.time};
}

/// Deflection and bending moment at midspan of a beam on two supports, summed over its loads: a load P at a
/// distance c from the nearer support gives P c (3 L^2 - 4 c^2) / (48 E I) and P c / 2.
std::vector<double> beam(std::span<const double> x) {
  const double span = x[0], width = x[1] * 1e-3, depth = x[2] * 1e-3, modulus = x[3] * 1e6;  // m, kN/m^2
  const double stiffness = modulus * width * depth * depth * depth / 12;
  double deflection = 0, moment = 0;
  for (size_t k = 0; k < 4; ++k) {
    const double load = x[4 + k], place = x[8 + k], c = span * std::min(place, 1 - place);
    deflection += load * c * (3 * span * span - 4 * c * c) / (48 * stiffness);
    moment += load * c / 2;
  }
  return {1e3 * deflection, moment};
}

}  // namespace

std::vector<Law> table_laws() {
  return {
      {.name = "pump",
       .title = "Head (m) and power (kW) of a pump by flow (m3/h), speed (rpm) and diameter (mm).",
       .source = "affinity laws of similar pumps",
       .inputs = {{"flow", 20, 60, Beyond::above},
                  {"speed", 1200, 1700, Beyond::above},
                  {"diameter", 220, 280, Beyond::above}},
       .outputs = {{"head", 0.063}, {"power", 0.0139}},
       .value = pump},
      {.name = "arm",
       .title = "Where the tip of a planar arm of two links is (m), by joint angles (radians) and lengths.",
       .source = "forward kinematics",
       .inputs = {{"theta1", -pi / 2, pi / 2, Beyond::both},
                  {"theta2", pi / 6, 2 * pi / 3, Beyond::both},
                  {"l1", 0.3, 0.5, Beyond::both},
                  {"l2", 0.2, 0.4, Beyond::both}},
       .outputs = {{"x", 0.0026}, {"y", 0.0036}},
       .value = arm,
       .space = "theta1=angle,theta2=angle",
       .same_unit = "x+y"},
      {.name = "reaction",
       .title = "Rate (mmol/(L s)) by temperature (K), activation energy (kJ/mol) and concentrations.",
       .source = "Arrhenius equation, mass action",
       .inputs = {{"temperature", 320, 360, Beyond::both},
                  {"energy", 48, 52, Beyond::both},
                  {"ca", 0.6, 1.4, Beyond::both},
                  {"cb", 0.6, 1.4, Beyond::both}},
       .outputs = {{"rate", 1.09}},
       .value = reaction},
      {.name = "projectile",
       .title = "Range, apex (m) and time (s) of a flight against air drag, by shot, body and air.",
       .source = "equation of motion with quadratic drag",
       .inputs = {{"speed", 20, 40, Beyond::both},
                  {"angle", 30, 60, Beyond::both},
                  {"mass", 0.1, 0.2, Beyond::both},
                  {"area", 20, 50, Beyond::both},
                  {"drag", 0.3, 0.5},
                  {"density", 1.0, 1.25}},
       .outputs = {{"range", 0.203}, {"apex", 0.086}, {"time", 0.0087}},
       .value = projectile},
      {.name = "beam",
       .title = "Deflection (mm) and moment (kN m) at midspan of a timber beam under four loads.",
       .source = "Euler-Bernoulli beam on two supports",
       .inputs = {{"span", 4, 6, Beyond::both},
                  {"width", 100, 160},
                  {"depth", 250, 350, Beyond::both},
                  {"modulus", 10, 14},
                  {"p1", 1, 5, Beyond::above},
                  {"p2", 1, 5, Beyond::above},
                  {"p3", 1, 5, Beyond::above},
                  {"p4", 1, 5, Beyond::above},
                  {"a1", 0.1, 0.3},
                  {"a2", 0.3, 0.5},
                  {"a3", 0.5, 0.7},
                  {"a4", 0.7, 0.9}},
       .outputs = {{"deflection", 0.041}, {"moment", 0.0231}},
       .value = beam},
  };
}

}  // namespace kedge
