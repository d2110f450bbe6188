#define KEDGE_LANES 4
#define KEDGE_TILE_ROWS 4
#define KEDGE_KERNELS kernels_v1
#define KEDGE_KERNELS_NAME "x86-64"
#include "kedge/core/kernels_body.h"

#define KEDGE_SEARCH search_v1
#include "kedge/core/search_kernels_body.h"
