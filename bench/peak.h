#pragma once

// The most one core can compute: fused multiply-adds on the widest vectors it has, in registers alone.

namespace kedge {

/// GFLOP/s of single precision over about `seconds`; a multiply-add counts as two.
double peak_gflops(double seconds);

}  // namespace kedge
