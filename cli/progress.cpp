#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "kedge/core/format.h"

namespace kedge {
namespace {

// Nobody may be watching any more; the job goes on all the same, so failures are not looked at.
void put(std::FILE* out, const std::string& text) { std::fputs(text.c_str(), out); }

constexpr double seconds_between_drawings = 0.1;
constexpr int least_bar = 8;
constexpr int largest_bar = 40;
constexpr int usual_tail =
    36;  // kept free behind the bar, so that it does not breathe with the loss's digits
constexpr int columns_unless_told = 80;
constexpr int longest_phase = 10;          // "rehearsing"; the bar does not move from phase to phase
constexpr double parts_of_work = 1000000;  // what work is counted in

double machine_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double fraction_of(const JobProgress& progress) {
  if (progress.steps == 0) return 1;
  return std::min(1.0, static_cast<double>(progress.step) / static_cast<double>(progress.steps));
}

// Rounded down, so that 100 % means done.
int percent_of(const JobProgress& progress) { return static_cast<int>(100 * fraction_of(progress) + 1e-9); }

std::string loss_text(double loss) { return std::isnan(loss) ? "" : fmt::format("loss {:.3g}", loss); }

std::string left_text(const JobProgress& progress) {
  const double fraction = fraction_of(progress);
  if (fraction <= 0 || fraction >= 1) return "";
  return duration_text(progress.elapsed * (1 - fraction) / fraction) + " left";
}

std::string bar(double fraction, int width, Glyphs glyphs) {
  const int filled = static_cast<int>(fraction * width + 1e-9);
  std::string text;
  for (int i = 0; i < width; ++i) {
    const bool done = i < filled;
    text += glyphs == Glyphs::unicode ? (done ? "\u2501" : "\u2500") : (done ? "#" : ".");
  }
  return text;
}

bool is_terminal(std::FILE* out) {
  const char* term = std::getenv("TERM");
  return isatty(fileno(out)) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view text = value;
    return text.find("UTF-8") != text.npos || text.find("utf8") != text.npos ||
           text.find("utf-8") != text.npos;
  }
  return false;
}

int columns_of(std::FILE* out) {
  winsize size{};
  if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return columns_unless_told;
  return size.ws_col;
}

}  // namespace

std::string duration_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "?";
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
  return fmt::format("{} d {:02} h", whole / 86400, whole / 3600 % 24);
}

std::string progress_line(const JobProgress& progress, int columns, Glyphs glyphs) {
  const std::string percent = fmt::format("{:3} %", percent_of(progress));
  const std::string loss = loss_text(progress.loss);
  const std::string left = left_text(progress);
  const std::string elapsed = duration_text(progress.elapsed);
  const std::string name = progress.phase.empty()
                               ? progress.job
                               : fmt::format("{} {:<{}}", progress.job, progress.phase, longest_phase);

  const std::vector<std::vector<std::string>> details = {{loss, elapsed, left}, {loss, left}, {left}, {}};
  for (const auto& parts : details) {
    std::string tail = percent;
    for (const std::string& part : parts) {
      if (!part.empty()) tail += "  " + part;
    }
    const int tail_columns = std::max(static_cast<int>(tail.size()), parts.size() == 3 ? usual_tail : 0);
    const int room = columns - static_cast<int>(name.size()) - tail_columns - 4;
    if (room < least_bar) continue;
    return fmt::format("{}  {}  {}", name, bar(fraction_of(progress), std::min(room, largest_bar), glyphs),
                       tail);
  }
  return fmt::format("{} {}", progress.job, percent).substr(0, static_cast<size_t>(std::max(columns, 0)));
}

std::string progress_log_line(const JobProgress& progress) {
  std::string line = fmt::format("{}: {} %", progress.job, percent_of(progress));
  line += progress.phase.empty() ? fmt::format(" (step {} of {})", progress.step, progress.steps)
                                 : ", " + progress.phase;
  const std::string loss = loss_text(progress.loss);
  if (!loss.empty()) line += ", " + loss;
  const std::string left = left_text(progress);
  if (!left.empty()) return line + ", " + left;
  return progress.step > 0 ? line + ", in " + duration_text(progress.elapsed) : line;
}

ProgressBar::ProgressBar(std::string job, uint64_t steps, ProgressOptions options)
    : options_(std::move(options)) {
  if (!options_.seconds) options_.seconds = machine_seconds;
  if (options_.surface == ProgressSurface::detect) {
    options_.surface = is_terminal(options_.out) ? ProgressSurface::terminal : ProgressSurface::log;
    if (!locale_is_utf8()) options_.glyphs = Glyphs::ascii;
  }
  progress_.job = std::move(job);
  progress_.steps = steps;
  start_ = options_.seconds();
}

ProgressBar::~ProgressBar() {
  if (!line_open_) return;
  std::fputc('\n', options_.out);
  std::fflush(options_.out);
}

void ProgressBar::update(uint64_t step, double loss) {
  if (done_ || options_.surface == ProgressSurface::hidden) return;
  if (options_.delay > 0 && options_.seconds() - start_ < options_.delay) return;
  progress_.step = std::min(step, progress_.steps);
  progress_.loss = loss;
  up_to_date_ = false;
  if (options_.surface == ProgressSurface::log) {
    const auto tenth = static_cast<uint64_t>(percent_of(progress_) / 10);
    if (tenth > logged_tenth_) draw(tenth);
    return;
  }
  const double now = options_.seconds();
  if (now - drawn_at_ >= seconds_between_drawings) {
    drawn_at_ = now;
    draw(0);
  }
}

void ProgressBar::update(const Progress& progress) {
  progress_.phase = progress.phase;
  if (!(progress.total_work > 0)) return update(progress.step, progress.steps, progress.loss);
  const double share = std::min(1.0, progress.work / progress.total_work);
  update(static_cast<uint64_t>(parts_of_work * share), static_cast<uint64_t>(parts_of_work), progress.loss);
}

void ProgressBar::finish() {
  if (done_) return;
  if (!up_to_date_) draw(logged_tenth_);
  if (line_open_) {
    std::fputc('\n', options_.out);
    std::fflush(options_.out);
  }
  line_open_ = false;
  done_ = true;
}

void ProgressBar::wipe() {
  if (!line_open_) return;
  std::fputs("\r\x1b[K", options_.out);
  std::fflush(options_.out);
  line_open_ = false;
}

void ProgressBar::clear() {
  wipe();
  done_ = true;
}

void ProgressBar::draw(uint64_t tenth) {
  progress_.elapsed = options_.seconds() - start_;
  up_to_date_ = true;
  if (options_.surface == ProgressSurface::log) {
    logged_tenth_ = tenth;
    put(options_.out, progress_log_line(progress_) + "\n");
  } else {
    // The last column stays free: a full line makes some terminals wrap.
    const int columns = (options_.columns > 0 ? options_.columns : columns_of(options_.out)) - 1;
    put(options_.out, fmt::format("\r{}\x1b[K", progress_line(progress_, columns, options_.glyphs)));
    line_open_ = true;
  }
  std::fflush(options_.out);
}

}  // namespace kedge
