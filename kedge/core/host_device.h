#pragma once

// KEDGE_HOST_DEVICE: marks arithmetic that host and device compilers share, so that a formula has one home.

#if defined(__CUDACC__)
#define KEDGE_HOST_DEVICE __host__ __device__
#else
#define KEDGE_HOST_DEVICE
#endif
