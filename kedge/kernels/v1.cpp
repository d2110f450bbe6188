#define KEDGE_LANES 4
#define KEDGE_TILE_ROWS 4
#define KEDGE_KERNELS kernels_v1
#define KEDGE_KERNELS_NAME "x86-64"
#include "kedge/kernels/kernels_body.h"

#define KEDGE_SEARCH search_v1
#include "kedge/kernels/search_kernels_body.h"
