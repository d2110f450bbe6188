#define KEDGE_LANES 16
#define KEDGE_TILE_ROWS 8
#define KEDGE_KERNELS kernels_v4
#define KEDGE_KERNELS_NAME "x86-64-v4"
#include "kedge/kernels/kernels_body.h"
