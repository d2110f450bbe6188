#pragma once

// ProgressBar: how far a long job has come, drawn for whoever watches.
//
// On a terminal it is one line that redraws itself, at most ten times a second; elsewhere it is a plain line
// at each tenth of the way, which reads well in a log. Whatever happens, what is printed next starts on a
// line of its own.

#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>

#include "kedge/nn/engine.h"

namespace kedge {

struct JobProgress {
  std::string job{};  ///< "fit"
  uint64_t step = 0;  ///< done so far, at most steps
  uint64_t steps = 0;
  double loss = 0;      ///< NaN when there is none
  std::string phase{};  ///< of a job that has several; its steps are not shown then
  double elapsed = 0;   ///< seconds
};

/// Which characters the terminal can show.
enum class Glyphs { unicode, ascii };

/// One line of at most `columns` columns. As they get fewer the elapsed time goes first, then the loss, the
/// time left, and last the bar.
std::string progress_line(const JobProgress& progress, int columns, Glyphs glyphs);

/// "fit: 30 % (step 6000 of 20000), loss 0.0123, 4 s left", or "fit: 30 %, training, loss 0.0123, 4 s left";
/// at the end "in 12 s" instead of the time left.
std::string progress_log_line(const JobProgress& progress);

/// "4 s", "3 min 20 s", "2 h 05 min", "1 d 03 h"; "?" for what is not a time.
std::string duration_text(double seconds);

/// `detect` asks the stream whether it is a terminal.
enum class ProgressSurface { detect, terminal, log, hidden };

struct ProgressOptions {
  std::FILE* out = stderr;
  ProgressSurface surface = ProgressSurface::detect;
  Glyphs glyphs = Glyphs::unicode;       ///< with `detect`, ascii where the locale is not UTF-8
  int columns = 0;                       ///< of the terminal; 0 asks it before each drawing
  double delay = 0;                      ///< seconds in which nothing is shown: a short job shows nothing
  std::function<double()> seconds = {};  ///< a clock that never goes back; empty is the machine's own
};

/// Seconds of work that need no bar, as ProgressOptions::delay.
inline constexpr double shortest_watched = 0.5;

/// Used by one thread at a time. Leaving without finish(), as an exception does, ends the line where it
/// stands.
class ProgressBar {
 public:
  ProgressBar(std::string job, uint64_t steps, ProgressOptions options = {});
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Cheap when there is nothing to draw.
  void update(uint64_t step, double loss);
  /// The same where the job itself tells how many steps it has.
  void update(uint64_t step, uint64_t steps, double loss) {
    progress_.steps = steps;
    if (steps > 0) update(step, loss);
  }
  /// The same for a job that tells its phase and its work, by which time is told.
  void update(const Progress& progress);
  /// Shows the last update, whatever the time, and ends the line. Later calls do nothing.
  void finish();
  /// Wipes the line off a terminal, for something that is printed meanwhile; the next update draws it again.
  void wipe();
  /// Wipes the line off a terminal and ends, for a job whose outcome is printed next. Later calls do nothing.
  void clear();

 private:
  void draw(uint64_t tenth);

  ProgressOptions options_;
  JobProgress progress_;
  double start_ = 0;
  double drawn_at_ = -std::numeric_limits<double>::infinity();
  uint64_t logged_tenth_ = 0;
  bool line_open_ = false;  ///< the cursor stands behind a drawn line
  bool up_to_date_ = true;  ///< the last update has been shown
  bool done_ = false;
};

}  // namespace kedge
