#pragma once

// Interrupt: Ctrl-C (SIGINT) and SIGTERM as a wish to stop, for work that can end early and still leave
// something. The first signal is only remembered; the second ends the program at once, as it would have
// without us. A signal that was ignored when the program started stays ignored.

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
  /// Whether it was the key of somebody at a terminal, who can see what becomes of it.
  bool is_from_terminal() const;

 private:
  struct Listened {
    int number;
    struct sigaction before;
  };
  Listened signals_[2] = {{SIGINT, {}}, {SIGTERM, {}}};
};

}  // namespace kedge
