#pragma once

// How often the test program has asked the heap for memory, through operator new. Not counted under the
// address sanitizer, which has an operator new of its own.

#include <cstddef>

namespace kedge {

bool counts_allocations();
size_t allocations();
/// From now on only so many more succeed.
void allow_allocations(size_t count);

}  // namespace kedge
