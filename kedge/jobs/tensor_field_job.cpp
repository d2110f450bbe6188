#include "kedge/jobs/tensor_field_job.h"

#include "kedge/core/json.h"
#include "kedge/core/score.h"
#include "kedge/domains/grasp/grasp.h"

namespace kedge {
namespace {

constexpr size_t test_rows = 50;

Json to_json(const AdamOptions& adam) {
  return {{"learning_rate", adam.learning_rate},
          {"beta1", adam.beta1},
          {"beta2", adam.beta2},
          {"epsilon", adam.epsilon},
          {"cosine", adam.schedule == Schedule::cosine}};
}

}  // namespace

Job tensor_field_job(const std::string& domain, size_t train_rows, const TensorFieldOptions& options) {
  const Json key{{"job", "tensor field"},          {"domain", domain},
                 {"train_rows", train_rows},       {"test_rows", test_rows},
                 {"seed", options.seed},           {"steps", options.steps},
                 {"batch", options.batch},         {"adam", to_json(options.adam)},
                 {"layers", options.shape.layers}, {"width", options.shape.width},
                 {"radial", options.shape.radial}};
  return {.key = key.dump(), .run = [=](const std::function<bool()>& stopped) {
            const GraspTask& task = find_grasp_task(domain);
            const auto grasps = [&](Split split, size_t rows) {
              return grasp_table(task, split, rows, options.seed).matrix({"gx", "gy", "gz"});
            };
            const auto keys = [&](Split split, size_t rows) {
              return grasp_key_points(task, split, rows, options.seed);
            };
            const TensorField network = TensorField::fit(keys(Split::train, train_rows),
                                                         grasps(Split::train, train_rows), options, stopped);
            const auto errors = [&](Split split) {
              return distances(network.predict(keys(split, test_rows)), grasps(split, test_rows));
            };
            const std::vector<double> in = errors(Split::in), oos = errors(Split::oos);
            if (!all_finite(in) || !all_finite(oos)) return failed_result("predictions are not finite");
            return Json{{"in", in}, {"oos", oos}, {"in_deviation", 0}, {"oos_deviation", 0}}.dump();
          }};
}

}  // namespace kedge
