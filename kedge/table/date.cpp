#include "kedge/table/date.h"

#include <chrono>
#include <cmath>

#include "kedge/table/number.h"

namespace kedge {
namespace {

/// Takes digits and signs off the front of a text.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  bool is_at_end() const { return text_.empty(); }
  /// The sign in front is this one, and is taken.
  bool take(char sign) {
    if (!text_.starts_with(sign)) return false;
    text_.remove_prefix(1);
    return true;
  }
  /// A whole number of `least` to `most` digits; nothing where there are fewer.
  std::optional<int> number(size_t least, size_t most) {
    int value = 0;
    size_t digits = 0;
    for (; digits < most && digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9'; ++digits)
      value = 10 * value + (text_[digits] - '0');
    if (digits < least) return std::nullopt;
    text_.remove_prefix(digits);
    return value;
  }
  /// What stands behind a decimal point, as a part of one.
  double fraction() {
    double value = 0, unit = 0.1;
    while (!text_.empty() && text_[0] >= '0' && text_[0] <= '9') {
      value += unit * (text_[0] - '0');
      unit /= 10;
      text_.remove_prefix(1);
    }
    return value;
  }

 private:
  std::string_view text_;
};

struct Parts {
  std::optional<int> first = {}, second = {}, third = {};
  char sign = 0;
};

std::optional<Parts> three_numbers(Scan& scan, DateForm form) {
  const bool year_first = form == DateForm::year_first;
  Parts parts{.first = year_first ? scan.number(4, 4) : scan.number(1, 2)};
  for (char sign : {'-', '/', '.'})
    if (parts.sign == 0 && scan.take(sign)) parts.sign = sign;
  parts.second = scan.number(1, 2);
  if (!parts.first || !parts.second || parts.sign == 0 || !scan.take(parts.sign)) return std::nullopt;
  parts.third = year_first ? scan.number(1, 2) : scan.number(4, 4);
  const char needed = form == DateForm::day_first_dots ? '.' : '/';
  const bool fits = year_first ? parts.sign != '.' : parts.sign == needed;
  if (!parts.third || !fits) return std::nullopt;
  return parts;
}

/// Hours, minutes and seconds behind a date, less their zone, in days.
std::optional<double> time_of(Scan& scan) {
  const auto hour = scan.number(1, 2);
  if (!hour || *hour > 23 || !scan.take(':')) return std::nullopt;
  const auto minute = scan.number(2, 2);
  if (!minute || *minute > 59) return std::nullopt;
  double seconds = 3600.0 * *hour + 60.0 * *minute;
  if (scan.take(':')) {
    const auto second = scan.number(2, 2);
    if (!second || *second > 59) return std::nullopt;
    seconds += *second;
    if (scan.take('.')) seconds += scan.fraction();
  }
  const bool is_east = scan.take('+'), is_west = !is_east && scan.take('-');
  if (is_east || is_west) {
    const auto hours = scan.number(2, 2);
    scan.take(':');
    const auto minutes = scan.number(2, 2);
    if (!hours || !minutes || *hours > 14 || *minutes > 59) return std::nullopt;
    seconds += (is_east ? -1 : 1) * (3600.0 * *hours + 60.0 * *minutes);
  } else {
    scan.take('Z');
  }
  return seconds / 86400;
}

std::chrono::sys_days day_of(double days) {
  return std::chrono::sys_days(std::chrono::days(static_cast<int>(std::floor(days))));
}

}  // namespace

std::optional<double> parse_date(std::string_view text, DateForm form) {
  Scan scan(trimmed(text));
  const auto parts = three_numbers(scan, form);
  if (!parts) return std::nullopt;
  const bool year_first = form == DateForm::year_first, month_first = form == DateForm::month_first_slashes;
  const int year = year_first ? *parts->first : *parts->third;
  const int month = month_first ? *parts->first : *parts->second;
  const int day = year_first ? *parts->third : month_first ? *parts->second : *parts->first;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const auto days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (scan.is_at_end()) return days;
  if (!scan.take('T') && !scan.take(' ')) return std::nullopt;
  const auto time = time_of(scan);
  if (!time || !scan.is_at_end()) return std::nullopt;
  return days + *time;
}

double place_in(CalendarCycle cycle, double days) {
  using namespace std::chrono;
  const double time = days - std::floor(days);
  if (cycle == CalendarCycle::day) return time;
  constexpr double from_monday = 3;  // 1970-01-01 was a Thursday
  if (cycle == CalendarCycle::week)
    return (std::fmod(std::fmod(std::floor(days) + from_monday, 7) + 7, 7) + time) / 7;
  const sys_days day = day_of(days);
  const year_month_day date(day);
  const sys_days begin = cycle == CalendarCycle::year ? sys_days(date.year() / January / 1)
                                                      : sys_days(date.year() / date.month() / 1);
  const sys_days end = cycle == CalendarCycle::year ? sys_days((date.year() + years(1)) / January / 1)
                                                    : sys_days((date.year() / date.month() + months(1)) / 1);
  return (static_cast<double>((day - begin).count()) + time) / static_cast<double>((end - begin).count());
}

}  // namespace kedge
