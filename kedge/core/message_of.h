#pragma once

// The text of an Error without the verb before it, for an error that quotes another and for a program's
// users.

#include <cstring>
#include <string>

#include "kedge/core/error.h"

namespace kedge {

inline std::string message_of(const Error& error) {
  const char* end = std::strstr(error.what(), "] ");
  return end ? end + 2 : error.what();
}

}  // namespace kedge
