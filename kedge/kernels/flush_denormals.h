#pragma once

// FlushDenormals: while an object of this class exists, its thread takes denormal numbers for 0. Adam's
// moments of weights that no longer change decay into denormal numbers, and each operation with one costs
// about a hundred cycles. The destructor restores the thread's former mode. On processors other than x86-64
// and aarch64 it does nothing.

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace kedge {

class FlushDenormals {
 public:
  FlushDenormals() : before_(mode()) { set_mode(before_ | flush); }
  ~FlushDenormals() { set_mode(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr uint64_t flush = 0x8040;  // MXCSR: results to zero, operands to zero
  static uint64_t mode() { return _mm_getcsr(); }
  static void set_mode(uint64_t mode) { _mm_setcsr(static_cast<unsigned>(mode)); }
#elif defined(__aarch64__)
  static constexpr uint64_t flush = uint64_t{1} << 24;  // FPCR.FZ: operands and results to zero
  static uint64_t mode() {
    uint64_t mode;
    asm volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
  }
  static void set_mode(uint64_t mode) { asm volatile("msr fpcr, %0" ::"r"(mode)); }
#else
  static constexpr uint64_t flush = 0;
  static uint64_t mode() { return 0; }
  static void set_mode(uint64_t) {}
#endif

  uint64_t before_;
};

}  // namespace kedge
