#pragma once

// How often the test program has asked the heap for memory, through operator new. Not counted under the
// address sanitizer, which has an operator new of its own.

#include <cstddef>

namespace kedge {

bool counts_allocations();
size_t allocations();

}  // namespace kedge
