#define KEDGE_LANES 4
#define KEDGE_TILE_ROWS 4
#define KEDGE_KERNELS kernels_v1
#define KEDGE_KERNELS_NAME "x86-64"
#include "kedge/core/kernels_body.h"
