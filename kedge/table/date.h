#pragma once

// Date: a day of the Gregorian calendar, with a time or without, as the number of days since 1970-01-01.
//
// Laws: a day later is 1 more, whatever the month; a time is the fraction of its day. A time zone (Z, +02:00)
// is taken off, so that equal instants are equal numbers.

#include <optional>
#include <string_view>

#include "kedge/core/names.h"

namespace kedge {

/// How a column writes its dates; a time may follow each.
enum class DateForm {
  year_first,          ///< 2024-03-01 and 2024/03/01
  day_first_dots,      ///< 01.03.2024
  day_first_slashes,   ///< 01/03/2024 is the first of March
  month_first_slashes  ///< 03/01/2024 is the first of March
};

constexpr auto names_of(DateForm) {
  return std::to_array<Named<DateForm>>({{DateForm::year_first, "year-first"},
                                         {DateForm::day_first_dots, "day-first-dots"},
                                         {DateForm::day_first_slashes, "day-first-slashes"},
                                         {DateForm::month_first_slashes, "month-first-slashes"}});
}

/// Days since 1970-01-01; nothing for a text that is no date of this form.
std::optional<double> parse_date(std::string_view text, DateForm form);

/// Parts of the calendar that repeat.
enum class CalendarCycle { day, week, month, year };

constexpr auto names_of(CalendarCycle) {
  return std::to_array<Named<CalendarCycle>>({{CalendarCycle::day, "day"},
                                              {CalendarCycle::week, "week"},
                                              {CalendarCycle::month, "month"},
                                              {CalendarCycle::year, "year"}});
}

/// How far a moment is through its day, week (from Monday), month or year: from 0 to below 1.
double place_in(CalendarCycle cycle, double days);

}  // namespace kedge
