#pragma once

// fmt, compiled once. Its headers would compile the whole of it again in every file, which takes longer than
// most files of ours; here they only declare, and format.cpp defines. The inline namespace keeps our copy
// apart from one that a program of the user's may link. Included by sources alone, never by public headers.

#define FMT_BEGIN_NAMESPACE \
  namespace fmt {           \
  inline namespace kedge {
#define FMT_END_NAMESPACE \
  }                       \
  }

#include <fmt/format.h>
#include <fmt/ranges.h>
