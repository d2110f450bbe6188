#pragma once

// kedge: prediction beyond the data by bilinear transduction. What this header does not include is not
// public.

#include "kedge/core/error.h"
#include "kedge/core/matrix.h"
#include "kedge/coverage/block_completion.h"
#include "kedge/coverage/theorem.h"
#include "kedge/domains/domain.h"
#include "kedge/models/models.h"
#include "kedge/predictor/options.h"
#include "kedge/predictor/predictor.h"
#include "kedge/predictor/row_predictor.h"
#include "kedge/table/csv.h"
#include "kedge/table/npy.h"
#include "kedge/table/table.h"
#include "kedge/trials/cross_validation.h"
#include "kedge/trials/diagnosis.h"
#include "kedge/trials/fit.h"
#include "kedge/weights/pair_examples.h"
#include "kedge/weights/pair_weights.h"
