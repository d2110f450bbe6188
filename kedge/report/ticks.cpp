#include "kedge/report/ticks.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "kedge/core/format.h"

namespace kedge {
namespace {

constexpr double largest_magnitude = 1e300;    // so that differences do not overflow
constexpr double smallest_magnitude = 1e-290;  // below it powers of ten lose digits
constexpr double constant_below = 1e-9;        // relative range that counts as no range

// digit * 10^exponent with digit 1, 2 or 5. Multiples are formed by one rounding, so 3 * 0.1 is 0.3.
struct Step {
  double digit;
  int exponent;

  double times(double count) const {
    const double power = std::pow(10.0, std::abs(exponent));
    return exponent < 0 ? count * digit / power : count * digit * power;
  }
};

Step round_step(double raw) {
  int exponent = static_cast<int>(std::floor(std::log10(raw)));
  const double fraction = raw / std::pow(10.0, exponent);
  if (fraction >= std::sqrt(50.0)) return {1, exponent + 1};
  return {fraction < std::sqrt(2.0) ? 1.0 : fraction < std::sqrt(10.0) ? 2.0 : 5.0, exponent};
}

std::string superscript(int number) {
  constexpr std::string_view digits[] = {"\u2070", "\u00B9", "\u00B2", "\u00B3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string text;
  for (char c : std::to_string(number)) text += c == '-' ? "\u207B" : digits[c - '0'];
  return text;
}

std::string fixed(double value, int decimals) {
  std::string digits = fmt::format("{:.{}f}", std::abs(value), decimals);
  if (std::abs(value) >= 1e4) {
    for (size_t at = std::min(digits.find('.'), digits.size()); at > 3;) {
      at -= 3;
      digits.insert(digits.begin() + static_cast<std::ptrdiff_t>(at), ',');
    }
  }
  return value < 0 ? "\u2212" + digits : digits;
}

std::vector<std::string> labels_of(const std::vector<double>& values, const Step& step) {
  const double largest = std::max(std::abs(values.front()), std::abs(values.back()));
  const bool scientific = largest >= 1e6 || (largest > 0 && largest < 1e-3);
  const int power = scientific ? static_cast<int>(std::floor(std::log10(largest) + 1e-9)) : 0;
  const int decimals = std::max(0, power - step.exponent);
  std::vector<std::string> labels;
  for (double value : values) {
    if (!scientific) {
      labels.push_back(fixed(value, decimals));
    } else if (value == 0) {
      labels.push_back("0");
    } else {
      const double mantissa = power < 0 ? value * std::pow(10.0, -power) : value / std::pow(10.0, power);
      labels.push_back(fixed(mantissa, decimals) + "\u00D710" + superscript(power));
    }
  }
  return labels;
}

std::string without_needless_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return "\u2013";
  if (value == 0) return "0";
  // The exponent of what rounding leaves: 9.999 has three digits as 10.0.
  const std::string rounded = fmt::format("{:.{}e}", value, digits - 1);
  const int power = std::stoi(rounded.substr(rounded.find('e') + 1));
  if (power >= -4 && power < 6) return without_needless_zeros(fixed(value, std::max(0, digits - 1 - power)));
  const double mantissa = std::stod(rounded.substr(0, rounded.find('e')));
  return without_needless_zeros(fixed(mantissa, digits - 1)) + "\u00D710" + superscript(power);
}

AxisTicks make_log_ticks(double low, double high, int about) {
  assert(low > 0 && std::isfinite(high) && low <= high && about >= 1);
  low = std::clamp(low, smallest_magnitude, largest_magnitude);
  high = std::clamp(high, smallest_magnitude, largest_magnitude);
  if (high / low < 1 + constant_below) {
    low /= 2;
    high *= 2;
  }
  AxisTicks ticks{.low = low, .high = high, .values = {}, .labels = {}};
  const auto take = [&](std::initializer_list<double> digits, int stride) {
    ticks.values.clear();
    const int first = static_cast<int>(std::floor(std::log10(low)));
    for (int power = first; power <= std::log10(high); ++power) {
      if (power % stride != 0) continue;
      for (double digit : digits) {
        const double value = Step{digit, power}.times(1);
        if (value >= low * (1 - constant_below) && value <= high * (1 + constant_below))
          ticks.values.push_back(value);
      }
    }
    return static_cast<int>(ticks.values.size());
  };
  if (take({1, 2, 5}, 1) > about + 1) {
    int stride = 1;
    while (take({1}, stride) > about + 1) ++stride;
  }
  if (ticks.values.size() < 2) {
    const AxisTicks even = make_ticks(low, high, about, AxisEnds::exact);
    return {.low = low, .high = high, .values = even.values, .labels = even.labels};
  }
  for (double value : ticks.values) ticks.labels.push_back(number_text(value));
  return ticks;
}

AxisTicks make_ticks(double low, double high, int about, AxisEnds ends) {
  assert(std::isfinite(low) && std::isfinite(high) && low <= high && about >= 1);
  low = std::clamp(low, -largest_magnitude, largest_magnitude);
  high = std::clamp(high, -largest_magnitude, largest_magnitude);
  const double magnitude = std::max(std::abs(low), std::abs(high));
  if (magnitude < smallest_magnitude) {
    low = -1;
    high = 1;
  } else if (high - low < constant_below * magnitude) {
    const double middle = low;
    low = middle - 0.5 * magnitude;
    high = middle + 0.5 * magnitude;
  }

  Step step = round_step((high - low) / about);
  // A tick that misses an end by rounding alone still counts as on it.
  const double slack = 1e-6;
  double first = 0, last = 0;
  if (ends == AxisEnds::rounded) {
    first = std::floor(low / step.times(1) + slack);
    last = std::ceil(high / step.times(1) - slack);
    low = std::min(low, step.times(first));
    high = std::max(high, step.times(last));
  } else {
    // A short axis between two multiples may hold none; finer steps will.
    for (;; step = round_step(step.times(1) / 2.2)) {
      first = std::ceil(low / step.times(1) - slack);
      last = std::floor(high / step.times(1) + slack);
      if (first <= last) break;
    }
  }

  AxisTicks ticks{.low = low, .high = high, .values = {}, .labels = {}};
  for (double k = first; k <= last; ++k) ticks.values.push_back(step.times(k) + 0.0);
  ticks.labels = labels_of(ticks.values, step);
  return ticks;
}

}  // namespace kedge
