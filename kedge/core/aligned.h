#pragma once

// AlignedVector: a vector whose first element starts a cache line, so that a register of sixteen floats is
// never split over two; large ones ask the system for large pages, since searches jump about in them.

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace kedge {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr size_t line = 64, page = size_t{1} << 21;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(size_t count) {
    const size_t bytes = count * sizeof(T);
    const size_t unit = bytes >= 2 * page ? page : line;
    const size_t rounded = (bytes + unit - 1) / unit * unit;
    void* const memory = std::aligned_alloc(unit, rounded);
    if (!memory) throw std::bad_alloc();
    // A refusal costs speed only.
    if (unit == page) static_cast<void>(::madvise(memory, rounded, MADV_HUGEPAGE));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t) { std::free(memory); }

  template <class U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace kedge
