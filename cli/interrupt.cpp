#include "cli/interrupt.h"

#include <unistd.h>

#include <atomic>

namespace kedge {
namespace {

// A signal handler can reach nothing but a global. 0: none came.
std::atomic<int> first_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  int none = 0;
  if (first_signal.compare_exchange_strong(none, number)) return;
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

Interrupt::Interrupt() {
  first_signal = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (Listened& listened : signals_) {
    sigaction(listened.number, nullptr, &listened.before);
    // Who started us with a signal ignored, as nohup and shells do for background jobs, wants it so.
    if (listened.before.sa_handler != SIG_IGN) sigaction(listened.number, &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (const Listened& listened : signals_) sigaction(listened.number, &listened.before, nullptr);
}

bool Interrupt::requested() const { return first_signal != 0; }

bool Interrupt::is_from_terminal() const {
  return first_signal == SIGINT && (isatty(STDIN_FILENO) == 1 || isatty(STDERR_FILENO) == 1);
}

}  // namespace kedge
