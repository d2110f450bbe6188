#pragma once

// Interrupt: Ctrl-C (SIGINT) and SIGTERM as a wish to stop, for work that can end early and still leave
// something. The first signal is only remembered; the second ends the program at once, as it would have
// without us.

#include <csignal>

namespace kedge {

/// Listens as long as it lives. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Safe from any thread.
  bool requested() const;

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
};

}  // namespace kedge
