#include "cli/progress.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <stdexcept>

namespace kedge {
namespace {

// Columns that a line of plain letters and bar characters takes.
size_t columns_of(const std::string& line) {
  size_t columns = 0;
  for (char c : line) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return columns;
}

// A stream in memory and a clock that a test sets.
struct Watched {
  std::FILE* out = std::tmpfile();
  std::shared_ptr<double> now = std::make_shared<double>(100.0);

  ~Watched() { std::fclose(out); }
  ProgressOptions options(ProgressSurface surface) {
    return {.out = out, .surface = surface, .glyphs = Glyphs::ascii, .columns = 61, .seconds = [clock = now] {
              return *clock;
            }};
  }
  std::string text() {
    std::fflush(out);
    std::rewind(out);
    std::string result;
    for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) result += static_cast<char>(c);
    return result;
  }
};

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Progress, durations_read_as_a_person_would_say_them) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(4.4), "4 s");
  EXPECT_EQ(duration_text(59.7), "1 min 00 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(2 * 3600 + 5 * 60), "2 h 05 min");
  EXPECT_EQ(duration_text(86400 + 3 * 3600), "1 d 03 h");
  EXPECT_EQ(duration_text(NAN), "?");
  EXPECT_EQ(duration_text(INFINITY), "?");
  EXPECT_EQ(duration_text(-1), "?");
}

TEST(Progress, log_lines_name_step_loss_and_time) {
  JobProgress progress{.job = "fit", .step = 6000, .steps = 20000, .loss = 0.01234, .elapsed = 2};
  EXPECT_EQ(progress_log_line(progress), "fit: 30 % (step 6000 of 20000), loss 0.0123, 5 s left");
  progress.loss = NAN;
  EXPECT_EQ(progress_log_line(progress), "fit: 30 % (step 6000 of 20000), 5 s left");
  progress.step = 20000;
  EXPECT_EQ(progress_log_line(progress), "fit: 100 % (step 20000 of 20000), in 2 s");
  progress.step = 19999;
  EXPECT_EQ(progress_log_line(progress), "fit: 99 % (step 19999 of 20000), 0 s left");
  progress.step = 0;
  EXPECT_EQ(progress_log_line(progress), "fit: 0 % (step 0 of 20000)");
}

TEST(Progress, a_line_shows_all_when_there_is_room_and_never_exceeds_the_columns) {
  const JobProgress progress{.job = "fit", .step = 5, .steps = 10, .loss = 0.0123, .elapsed = 4};
  EXPECT_EQ(progress_line(progress, 60, Glyphs::ascii),
            "fit  ########.........   50 %  loss 0.0123  4 s  4 s left");
  JobProgress other = progress;
  other.loss = 0.000123;
  EXPECT_EQ(progress_line(other, 60, Glyphs::ascii).find("50 %"),
            progress_line(progress, 60, Glyphs::ascii).find("50 %"))
      << "the bar keeps its length when the loss gets more digits";
  for (int columns = 0; columns <= 200; ++columns) {
    for (Glyphs glyphs : {Glyphs::ascii, Glyphs::unicode}) {
      EXPECT_LE(columns_of(progress_line(progress, columns, glyphs)), static_cast<size_t>(columns));
    }
  }
  EXPECT_EQ(progress_line(progress, 12, Glyphs::ascii), "fit  50 %");
  EXPECT_NE(progress_line(progress, 45, Glyphs::ascii).find("4 s left"), std::string::npos);
}

TEST(Progress, the_bar_is_full_exactly_at_the_end) {
  JobProgress progress{.job = "fit", .step = 999, .steps = 1000};
  EXPECT_NE(progress_line(progress, 80, Glyphs::ascii).find('.'), std::string::npos);
  progress.step = 1000;
  EXPECT_EQ(progress_line(progress, 80, Glyphs::ascii).find('.'), std::string::npos);
  EXPECT_NE(progress_line({.job = "fit"}, 80, Glyphs::ascii).find("100 %"), std::string::npos)
      << "a job of no steps is done";
}

TEST(ProgressBar, logs_one_line_at_each_tenth_of_the_way) {
  Watched watched;
  ProgressBar bar("fit", 1000, watched.options(ProgressSurface::log));
  for (uint64_t step = 1; step <= 1000; ++step) {
    *watched.now += 0.01;
    bar.update(step, 0.5);
  }
  bar.finish();
  bar.finish();
  const std::string text = watched.text();
  EXPECT_EQ(count(text, "\n"), 10u);
  EXPECT_EQ(text.find("fit: 10 % (step 100 of 1000), loss 0.5, 9 s left\n"), 0u) << text;
  EXPECT_TRUE(text.ends_with("fit: 100 % (step 1000 of 1000), loss 0.5, in 10 s\n")) << text;
  EXPECT_EQ(text.find_first_of("\r\x1b"), std::string::npos);
}

TEST(ProgressBar, logs_where_a_job_stopped_early) {
  Watched watched;
  ProgressBar bar("fit", 100, watched.options(ProgressSurface::log));
  bar.update(50, 1);
  bar.update(55, 1);
  bar.finish();
  EXPECT_EQ(count(watched.text(), "\n"), 2u);
  EXPECT_NE(watched.text().find("fit: 55 %"), std::string::npos);
}

TEST(ProgressBar, names_the_phase_of_a_job_and_goes_by_its_work) {
  Watched watched;
  ProgressBar bar("fit", 0, watched.options(ProgressSurface::log));
  *watched.now += 3;
  bar.update({.step = 1, .steps = 1000, .loss = 0.5, .work = 3, .total_work = 10, .phase = "training"});
  bar.finish();
  EXPECT_EQ(watched.text(), "fit: 30 %, training, loss 0.5, 7 s left\n");
  const JobProgress choosing{.job = "fit", .step = 1, .steps = 2, .loss = 1, .phase = "choosing"};
  JobProgress rehearsing = choosing;
  rehearsing.phase = "rehearsing";
  const std::string line = progress_line(choosing, 80, Glyphs::ascii);
  EXPECT_EQ(line.find("fit choosing "), 0u);
  EXPECT_EQ(line.find('#'), progress_line(rehearsing, 80, Glyphs::ascii).find('#'));
}

TEST(ProgressBar, is_right_within_a_third_about_the_time_left_of_a_recorded_fit) {
  // Processor seconds at which a default fit of 1,000 rows and 5 columns had done each tenth of its work.
  const std::vector<double> recorded = {2.07, 4.51, 6.79, 9.00, 11.03, 13.06, 15.12, 17.36, 19.60, 21.83};
  Watched watched;
  ProgressBar bar("fit", 0, watched.options(ProgressSurface::log));
  for (size_t tenth = 1; tenth < recorded.size(); ++tenth) {
    *watched.now = 100 + recorded[tenth - 1];
    bar.update({.loss = NAN, .work = 0.1 * static_cast<double>(tenth), .total_work = 1, .phase = "training"});
    const std::string text = watched.text(), before = " s left\n";
    ASSERT_TRUE(text.ends_with(before)) << text;
    const size_t comma = text.rfind(", ");
    const double left = std::stod(text.substr(comma + 2)), truly = recorded.back() - recorded[tenth - 1];
    EXPECT_NEAR(left, truly, truly / 3 + 0.5) << text;  // it is told in whole seconds
  }
}

TEST(ProgressBar, shows_nothing_of_a_job_that_ends_within_its_delay) {
  Watched watched;
  ProgressOptions options = watched.options(ProgressSurface::log);
  options.delay = 1;
  ProgressBar bar("diagnose", 10, options);
  *watched.now += 0.9;
  bar.update(5, 1);
  EXPECT_EQ(watched.text(), "");
  *watched.now += 0.2;
  bar.update(6, 1);
  EXPECT_EQ(count(watched.text(), "\n"), 1u);
}

TEST(ProgressBar, redraws_a_terminal_line_at_most_ten_times_a_second) {
  Watched watched;
  ProgressBar bar("fit", 100000, watched.options(ProgressSurface::terminal));
  for (uint64_t step = 1; step <= 100000; ++step) {
    *watched.now += 1e-5;
    bar.update(step, 0.5);
  }
  EXPECT_LE(count(watched.text(), "\r"), 11u);
  EXPECT_GE(count(watched.text(), "\r"), 9u);
  EXPECT_EQ(count(watched.text(), "\n"), 0u);
  bar.finish();
  const std::string text = watched.text();
  const std::string last = text.substr(text.rfind('\r'));
  EXPECT_NE(last.find("100 %"), std::string::npos) << "the end is shown whatever the time";
  EXPECT_TRUE(text.ends_with("\n"));
  EXPECT_LE(columns_of(last), 60 + std::string("\r\x1b[K\n").size()) << "the last column stays free";
}

TEST(ProgressBar, leaves_a_clean_line_behind_when_cleared_or_left_by_an_exception) {
  Watched cleared;
  {
    ProgressBar bar("fit", 10, cleared.options(ProgressSurface::terminal));
    bar.update(5, 0.5);
    bar.clear();
    bar.update(6, 0.5);
  }
  EXPECT_TRUE(cleared.text().ends_with("\r\x1b[K"));

  Watched thrown;
  try {
    ProgressBar bar("fit", 10, thrown.options(ProgressSurface::terminal));
    bar.update(5, 0.5);
    throw std::runtime_error("diverged");
  } catch (const std::runtime_error&) {
  }
  EXPECT_TRUE(thrown.text().ends_with("\n"));
}

TEST(ProgressBar, prints_nothing_when_hidden_or_never_updated_and_no_escapes_into_a_file) {
  Watched hidden, idle, file;
  {
    ProgressBar bar("fit", 10, hidden.options(ProgressSurface::hidden));
    bar.update(10, 1);
    bar.finish();
    ProgressBar other("fit", 10, idle.options(ProgressSurface::terminal));
    other.finish();
    ProgressBar third("fit", 10, file.options(ProgressSurface::detect));
    third.update(10, 1);
    third.finish();
  }
  EXPECT_EQ(hidden.text(), "");
  EXPECT_EQ(idle.text(), "");
  EXPECT_EQ(file.text(), "fit: 100 % (step 10 of 10), loss 1, in 0 s\n");
}

}  // namespace
}  // namespace kedge
