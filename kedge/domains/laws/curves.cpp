// The laws of one input.

#include <cmath>
#include <numbers>

#include "kedge/domains/laws/laws.h"

namespace kedge {
namespace {

constexpr double turn = 2 * std::numbers::pi;

/// A pendulum of 1 m let go at 10 degrees, by the linear equation a'' + 2 a' / 20 s + (g / 1 m) a = 0.
std::vector<double> swing(std::span<const double> x) {
  const double start = 10, decay = 1 / 20.0;
  const double frequency = std::sqrt(gravity - decay * decay), t = x[0];
  const double phase = frequency * t;
  return {start * std::exp(-decay * t) * (std::cos(phase) + decay / frequency * std::sin(phase))};
}

/// The lunar and the solar semidiurnal constituent, with amplitudes as on the coast of Brittany. The solar
/// one lags by 40 degrees: springs come a day and a half after the moon's phase.
std::vector<double> tide(std::span<const double> x) {
  const double mean = 4, lunar = 2.05, lunar_hours = 12.4206012, solar = 0.75, solar_hours = 12;
  const double lag = turn * 40 / 360, t = x[0];
  return {mean + lunar * std::cos(turn * t / lunar_hours) + solar * std::cos(turn * t / solar_hours - lag)};
}

/// A fee, a price for every kilogram begun and a fuel charge by exact mass.
std::vector<double> parcel(std::span<const double> x) {
  const double fee = 4.5, kilogram = 1.2, fuel = 0.15;
  return {fee + kilogram * std::ceil(x[0]) + fuel * x[0]};
}

/// Pearl's logistic curve of a culture that Carlson counted.
std::vector<double> yeast(std::span<const double> x) { return {665 / (1 + std::exp(4.16 - 0.531 * x[0]))}; }

/// A second of reaction, then m v' = -friction m g - drag v^2 solved for the way until v = 0.
std::vector<double> braking(std::span<const double> x) {
  const double mass = 1500, friction = 0.7, reaction = 1;  // kg, 1, s
  const double drag = 0.5 * 1.2 * 0.7;                     // air of 1.2 kg/m^3, drag area 0.7 m^2
  const double v = x[0] / 3.6;
  return {v * reaction + mass / (2 * drag) * std::log1p(drag * v * v / (friction * mass * gravity))};
}

}  // namespace

std::vector<Law> curve_laws() {
  return {
      {.name = "swing",
       .title = "Angle of a damped pendulum, in degrees, over seconds.",
       .source = "linear pendulum with linear damping",
       .inputs = {{"t", 5, 15, Beyond::both}},
       .outputs = {{"angle"}},
       .value = swing},
      {.name = "tide",
       .title = "Height of the tide of moon and sun, in metres, over hours.",
       .source = "harmonic tide, constituents M2 and S2",
       .inputs = {{"t", 120, 360, Beyond::both}},
       .outputs = {{"height"}},
       .value = tide},
      {.name = "parcel",
       .title = "Price of a parcel over its mass in kilograms: steps, and a slope between them.",
       .source = "tariff made up in the usual form",
       .inputs = {{"mass", 10, 20, Beyond::both}},
       .outputs = {{"price"}},
       .value = parcel},
      {.name = "yeast",
       .title = "Amount of yeast in a culture over hours: logistic growth, nothing repeats.",
       .source = "Carlson 1913, curve of Pearl",
       .inputs = {{"t", 4.5, 13.5, Beyond::both}},
       .outputs = {{"amount"}},
       .value = yeast},
      {.name = "braking",
       .title = "Way to stop a car, in metres, over its speed in km/h: nothing repeats.",
       .source = "equation of motion with friction and air drag",
       .inputs = {{"speed", 60, 120, Beyond::both}},
       .outputs = {{"distance"}},
       .value = braking},
  };
}

}  // namespace kedge
