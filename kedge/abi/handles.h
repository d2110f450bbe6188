#pragma once

// What the handles of kedge_c.h hold.

#include "kedge/demonstrations/demonstrations.h"
#include "kedge/imitation/policy.h"
#include "kedge/kedge_c.h"
#include "kedge/predictor/predictor.h"
#include "kedge/table/table.h"

struct kedge_table {
  kedge::Table table;
};

struct kedge_predictor {
  kedge::Predictor predictor;
};

struct kedge_demonstrations {
  kedge::Demonstrations demonstrations;
};

struct kedge_policy {
  kedge::Policy policy;
};
