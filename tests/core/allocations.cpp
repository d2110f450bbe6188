#include "tests/core/allocations.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

// A file of its own: where the compiler sees both halves, it takes them for mismatched.

namespace {
std::atomic<size_t> count = 0, most = SIZE_MAX;
}

#if defined(KEDGE_SANITIZED)
bool kedge::counts_allocations() { return false; }
#else
bool kedge::counts_allocations() { return true; }

void* operator new(size_t size) {
  if (++count > most) throw std::bad_alloc();
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
#endif

size_t kedge::allocations() { return count; }

void kedge::allow_allocations(size_t more) { most = more > SIZE_MAX - count ? SIZE_MAX : count + more; }
