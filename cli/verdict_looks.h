#pragma once

// The looks of a verdict, the same in tables and in charts.

#include "kedge/coverage/verdict.h"
#include "kedge/report/emphasis.h"

namespace kedge {

constexpr Emphasis emphasis_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::interpolation:
      return Emphasis::good;
    case Verdict::reachable:
      return Emphasis::fine;
    case Verdict::edge:
      return Emphasis::caution;
    case Verdict::unreachable:
      return Emphasis::bad;
    case Verdict::undetermined:
      break;
  }
  return Emphasis::muted;
}

/// Whether a query can be answered.
constexpr bool is_answered(Verdict verdict) {
  return verdict == Verdict::interpolation || verdict == Verdict::reachable;
}

}  // namespace kedge
