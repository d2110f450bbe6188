#include "kedge/table/date.h"

#include <gtest/gtest.h>

namespace kedge {
namespace {

constexpr double second = 1.0 / 86400;

TEST(Date, counts_days_since_1970_in_every_form) {
  EXPECT_EQ(parse_date("1970-01-01", DateForm::year_first), 0);
  EXPECT_EQ(parse_date("2024-03-01", DateForm::year_first), 19783);
  EXPECT_EQ(parse_date(" 2024/3/1 ", DateForm::year_first), 19783);
  EXPECT_EQ(parse_date("01.03.2024", DateForm::day_first_dots), 19783);
  EXPECT_EQ(parse_date("01/03/2024", DateForm::day_first_slashes), 19783);
  EXPECT_EQ(parse_date("03/01/2024", DateForm::month_first_slashes), 19783);
  EXPECT_EQ(parse_date("1969-12-31", DateForm::year_first), -1);
}

TEST(Date, a_time_is_the_fraction_of_its_day_and_its_zone_is_taken_off) {
  EXPECT_EQ(parse_date("1970-01-02T12:00", DateForm::year_first), 1.5);
  EXPECT_EQ(parse_date("1970-01-02 06:00:00", DateForm::year_first), 1.25);
  EXPECT_NEAR(*parse_date("1970-01-01 00:00:01.5Z", DateForm::year_first), 1.5 * second, 1e-12);
  EXPECT_EQ(parse_date("1970-01-02T02:00+02:00", DateForm::year_first), 1);
  EXPECT_EQ(parse_date("01.01.1970 18:00-0600", DateForm::day_first_dots), 1);
}

TEST(Date, what_is_none_is_nothing) {
  for (const char* text : {"", "2024", "2024-13-01", "2023-02-29", "2024-02-30", "24-03-01", "2024-03/01",
                           "2024.03.01", "2024-03-01x", "2024-03-01T", "2024-03-01T25:00", "2024-03-01T12:60",
                           "2024-03-01 1", "01.03.2024", "2024-03-01T12:00+9"})
    EXPECT_FALSE(parse_date(text, DateForm::year_first)) << text;
  EXPECT_TRUE(parse_date("2024-02-29", DateForm::year_first));
  EXPECT_FALSE(parse_date("13/13/2024", DateForm::day_first_slashes));
  EXPECT_FALSE(parse_date("01/03/2024", DateForm::day_first_dots));
}

TEST(Date, has_a_place_in_its_day_week_month_and_year) {
  const double monday = *parse_date("2024-01-01 12:00", DateForm::year_first);
  EXPECT_EQ(place_in(CalendarCycle::day, monday), 0.5);
  EXPECT_NEAR(place_in(CalendarCycle::week, monday), 0.5 / 7, 1e-12);
  EXPECT_NEAR(place_in(CalendarCycle::week, monday - 1), 6.5 / 7, 1e-12);
  EXPECT_NEAR(place_in(CalendarCycle::week, -3.0), 0, 1e-12);  // 1969-12-29 was a Monday
  EXPECT_NEAR(place_in(CalendarCycle::month, monday), 0.5 / 31, 1e-12);
  EXPECT_NEAR(place_in(CalendarCycle::year, monday), 0.5 / 366, 1e-12);
  EXPECT_EQ(place_in(CalendarCycle::year, *parse_date("2023-01-01", DateForm::year_first)), 0);
}

}  // namespace
}  // namespace kedge
