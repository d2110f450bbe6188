#define KEDGE_LANES 8
#define KEDGE_TILE_ROWS 4
#define KEDGE_KERNELS kernels_v3
#define KEDGE_KERNELS_NAME "x86-64-v3"
#include "kedge/kernels/kernels_body.h"
