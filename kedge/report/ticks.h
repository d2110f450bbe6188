#pragma once

// AxisTicks: the round numbers on an axis.
//
// Laws: neighbours are 1, 2 or 5 times a power of ten apart; a tick at zero is exactly zero; with rounded
// ends the first and the last tick are the ends of the axis and hold the data between them; with exact ends
// the axis is what was asked for and every tick is inside it. Labels of one axis have the same number of
// decimals.

#include <string>
#include <vector>

namespace kedge {

enum class AxisEnds { exact, rounded };

struct AxisTicks {
  double low = 0;  ///< the axis runs from low to high, low < high
  double high = 1;
  std::vector<double> values;       ///< rising, at least one
  std::vector<std::string> labels;  ///< one per value, with a true minus sign
};

/// Ticks for finite `low` <= `high`, `about` of them (within a factor of two or so). A range too small for
/// its magnitude to be told from a constant is widened around it first.
AxisTicks make_ticks(double low, double high, int about, AxisEnds ends);

/// Ticks for an axis on which equal distances are equal ratios, 0 < `low` <= `high`: powers of ten; 1, 2 and
/// 5 times them where those are few, each label with the digits that its own value needs. Where a range holds
/// no two of these, the ticks of an even axis. The ends are exact.
AxisTicks make_log_ticks(double low, double high, int about);

/// The value to `digits` digits, 1 to 9, as labels write numbers: a true minus sign, no "e", no needless
/// zeros. Digits before the decimal point are never dropped below a million.
std::string number_text(double value, int digits = 3);

}  // namespace kedge
