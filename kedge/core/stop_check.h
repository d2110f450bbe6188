#pragma once

// StopCheck: how long work that reports no steps hears of a wish to stop.

#include <functional>

namespace kedge {

/// Called a few times a second by work that takes long; throws what ends the work. Empty: nobody stops it.
using StopCheck = std::function<void()>;

inline void check_stop(const StopCheck& stop_check) {
  if (stop_check) stop_check();
}

}  // namespace kedge
