#pragma once

// Departure: one reason why a query is not among the training rows. Mostly a column beyond its training
// range; where every column is in range, the combination of them, which no training row is near.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kedge {

struct Departure {
  static constexpr size_t combination = static_cast<size_t>(-1);

  size_t column = combination;  ///< number of the input
  /// In units of the table: above 0 past the high end of the training range, below 0 before its low end. Of
  /// an angle, past the end or before the beginning of the arc that was seen. Of a combination, the distance
  /// to the nearest training row.
  double amount = 0;
  /// The same over the width of the range (of logarithms for a log column) or of the arc, without a sign;
  /// infinite where the training rows have one value only. Of a combination, over the support radius.
  double relative = 0;

  bool is_combination() const { return column == combination; }
  bool operator==(const Departure&) const = default;
};

/// "speed +12.5; load -3": the first `most`; "combination" for that; empty for none.
std::string to_text(std::span<const Departure> departures, const std::vector<std::string>& inputs,
                    size_t most = 3);

}  // namespace kedge
