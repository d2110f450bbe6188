#include "cli/interrupt.h"

#include <atomic>

namespace kedge {
namespace {

enum class Came { nothing, signal, key };

// A signal handler can reach nothing but a global.
std::atomic<Came> came = Came::nothing;
static_assert(std::atomic<Came>::is_always_lock_free);

void on_signal(int number, siginfo_t* info, void*) {
  Came nothing = Came::nothing;
  // Ctrl-C is sent by the terminal, so by the kernel; other programs are named as senders.
  const bool is_key = number == SIGINT && info->si_code == SI_KERNEL;
  if (came.compare_exchange_strong(nothing, is_key ? Came::key : Came::signal)) return;
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

Interrupt::Interrupt() {
  came = Came::nothing;
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (Listened& listened : signals_) {
    sigaction(listened.number, nullptr, &listened.before);
    // Who started us with a signal ignored, as shells do for background jobs, wants it so.
    if (listened.before.sa_handler != SIG_IGN) sigaction(listened.number, &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (const Listened& listened : signals_) sigaction(listened.number, &listened.before, nullptr);
}

bool Interrupt::requested() const { return came != Came::nothing; }

bool Interrupt::is_from_terminal() const { return came == Came::key; }

}  // namespace kedge
