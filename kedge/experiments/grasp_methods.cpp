#include "kedge/experiments/grasp_methods.h"

#include <optional>

#include "kedge/models/models.h"

namespace kedge {

const std::vector<GraspMethod>& grasp_methods() {
  static const std::vector<GraspMethod> all = {{"Linear", "linear"},
                                               {"Neural Net", "mlp"},
                                               {"Transduction", "concat"},
                                               {"Ours", "bilinear"},
                                               {"Ridge", "ridge", false},
                                               {"Quadratic ridge", "quadratic", false},
                                               {"Nearest neighbour", "nearest", false},
                                               {"Training extreme", "extreme", false}};
  return all;
}

bool is_trained(const GraspMethod& method) { return find_model(method.model).is_trained(); }

void add_cells(const GraspRowSpec& row, size_t place, const GraspColumn& column, const FitScores& scores,
               Result& result) {
  std::optional<Measured> published;
  if (place < row.published.size()) published = row.published[place];
  add_contender({row.row, column.name, column.preset, "oos", published, measured(scores.oos), scores.failed},
                result);
  add_contender({row.row, column.name, column.preset, "in", {}, measured(scores.in), scores.failed}, result);
}

}  // namespace kedge
