#pragma once

// How often the test program has asked the heap for memory, through operator new.

#include <cstddef>

namespace kedge {

size_t allocations();

}  // namespace kedge
