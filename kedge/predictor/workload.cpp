#include "kedge/predictor/workload.h"

#include <algorithm>

#include "kedge/models/pair_ridge.h"
#include "kedge/predictor/requirements.h"
#include "kedge/weights/joint_weights.h"

namespace kedge {
namespace {

// Seconds, measured on tables of 1,000 to 50,000 rows of 1 to 30 columns.
constexpr double trained_product = 0.085e-9;  // of a parameter and a pair, forward and back, with Adam
constexpr double parameters_of_a_draw = 100, pairs_of_an_update = 8;
constexpr double answered_product = 0.06e-9;      // of a parameter and a pair, forward
constexpr double compared_difference = 0.068e-9;  // with a target of eight columns or more
constexpr double columns_of_a_full_search = 8;    // with fewer, a tree excludes more
constexpr double probed_number = 2.4e-9;          // of a difference that support is measured on
constexpr double indexed_number = 150e-9;         // of a row
constexpr double solved_product = 0.5e-9;         // of two numbers of a design
constexpr double support_probes = 300, stretch_probes = 32;

double numbers(const FitRequest& request) {
  return static_cast<double>(request.table.names(Role::input).size());
}

/// An open choice of the Fourier layer counts as none.
Program program_of(const FitRequest& request) {
  FitOptions options = request.options;
  if (options.architecture.fourier == Fourier::automatic) options.architecture.fourier = Fourier::off;
  return program_for(options, FitColumns(request));
}

double parameters_of(const FitRequest& request) {
  return static_cast<double>(program_of(request).parameters());
}

bool searches_anchors(const FitRequest& request) {
  const AnchorRule rule = request.options.anchors.rule;
  return program_of(request).uses_anchor() && !find_model(request.options.model).anchors &&
         rule != AnchorRule::given && goes_by_difference(rule);
}

/// Of comparing one query with so many anchors and every difference of the pool.
double search_work(const FitRequest& request, double anchors) {
  return anchors * static_cast<double>(request.options.pool) * compared_difference *
         std::min(1.0, numbers(request) / columns_of_a_full_search);
}

double closed_form_work(const FitRequest& request, double rows) {
  const Solver solver = find_model(request.options.model).solver;
  if (solver == Solver::none) return 0;
  if (solver == Solver::pair_ridge) return pair_ridge_products(program_of(request)) * solved_product;
  const double width = parameters_of(request) / static_cast<double>(request.table.names(Role::output).size());
  return (rows + 10 * width) * width * width * solved_product;
}

}  // namespace

double draft_work(const FitRequest& request, size_t rows) {
  const double columns = numbers(request);
  if (request.options.anchors.rule == AnchorRule::given) return 0;
  return support_probes * static_cast<double>(request.options.pool) * columns * probed_number +
         static_cast<double>(rows) * columns * indexed_number;
}

Workload fit_load(const FitRequest& request, size_t rows) {
  const FitOptions& options = request.options;
  Workload load{.work = draft_work(request, rows)};
  if (!find_model(options.model).is_trained()) {
    load.work += closed_form_work(request, static_cast<double>(rows));
    return load;
  }
  const uint64_t training = training_steps(options, request.table.rows());
  load.steps = weight_steps(options.weights, training, request.examples.size()) + training;
  load.work += static_cast<double>(load.steps) * static_cast<double>(options.replicas) *
               (parameters_of(request) + parameters_of_a_draw) *
               (static_cast<double>(options.training.batch) + pairs_of_an_update) * trained_product;
  return load;
}

double prediction_work(const FitRequest& request, size_t rows, size_t queries) {
  const FitOptions& options = request.options;
  const double columns = numbers(request), parameters = parameters_of(request);
  double one = static_cast<double>(rows) * columns * compared_difference;  // the nearest row
  if (searches_anchors(request)) {
    const double anchors =
        static_cast<double>(options.anchor_rows == 0 ? rows : std::min(rows, options.anchor_rows));
    one += search_work(request, anchors);
  }
  const double answering = takes_count(options.anchors.rule) ? static_cast<double>(options.anchors.count) : 1;
  one += find_model(options.model).is_trained()
             ? answering * static_cast<double>(options.replicas) * parameters * answered_product
             : parameters * answered_product;
  return one * static_cast<double>(queries);
}

double measuring_work(const FitRequest& request) {
  const size_t rows = request.table.rows(), most = request.options.anchor_rows;
  if (!searches_anchors(request) || most == 0 || rows <= most) return 0;
  return stretch_probes * search_work(request, static_cast<double>(rows + most)) +
         static_cast<double>(rows) * numbers(request) * indexed_number;
}

}  // namespace kedge
