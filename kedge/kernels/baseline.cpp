#define KEDGE_LANES 4
#define KEDGE_TILE_ROWS 4
#define KEDGE_KERNELS kernels_baseline
#if defined(__x86_64__)
#define KEDGE_KERNELS_NAME "x86-64"
#else
#define KEDGE_KERNELS_NAME "portable"
#endif
#include "kedge/kernels/kernels_body.h"
