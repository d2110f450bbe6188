#include "kedge/table/number.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

namespace kedge {
namespace {

constexpr long long farthest =
    1'000'000'000'000'000;  // more than the digits of any text, less than overflows

/// Whether a well-formed number that no double can hold lies beyond the largest, not below the smallest: both
/// are one error to std::from_chars. Decided by the power of ten of the first digit that is not zero.
bool lies_beyond_the_largest(std::string_view number) {
  const size_t exponent_mark = number.find_first_of("eE");
  const std::string_view mantissa = number.substr(0, exponent_mark);
  const size_t point = mantissa.find('.') == mantissa.npos ? mantissa.size() : mantissa.find('.');
  const auto leading = static_cast<long long>(mantissa.find_first_of("123456789"));
  long long power = static_cast<long long>(point) - leading;
  if (exponent_mark != number.npos) {
    std::string_view text = number.substr(exponent_mark + 1);
    if (text.front() == '+') text.remove_prefix(1);
    long long exponent = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (result.ec == std::errc::result_out_of_range) return text.front() != '-';
    power += std::clamp(exponent, -farthest, farthest);
  }
  return power > 0;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

NumberFault parse_number(std::string_view text, double& value, Decimal decimal) {
  text = trimmed(text);
  if (decimal == Decimal::comma) {
    if (text.find('.') != text.npos) return NumberFault::not_a_number;
    if (const size_t comma = text.find(','); comma != text.npos) {
      std::string with_point(text);
      with_point[comma] = '.';
      return parse_number(with_point, value);
    }
  }
  if (text.empty()) return NumberFault::empty;
  if (text.front() == '+') {
    text.remove_prefix(1);
    if (text.empty() || text.front() == '-') return NumberFault::not_a_number;
  }
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (stop != end || fault == std::errc::invalid_argument) return NumberFault::not_a_number;
  if (fault == std::errc::result_out_of_range) {
    if (lies_beyond_the_largest(text)) return NumberFault::too_large;
    value = text.front() == '-' ? -0.0 : 0.0;
  }
  return NumberFault::none;
}

}  // namespace kedge
