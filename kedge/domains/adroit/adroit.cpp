#include "kedge/domains/adroit/adroit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>

#include "kedge/domains/adroit/carry.h"
#include "kedge/domains/adroit/grasp_search.h"
#include "kedge/domains/goals.h"
#include "kedge/domains/physics/physics.h"
#include "kedge_embedded.h"

namespace kedge {
namespace {

constexpr int substeps = 5;
constexpr size_t episode_steps = 200;
constexpr double held_above = 0.06;

class AdroitSimulation final : public Simulation {
 public:
  AdroitSimulation() : physics_(embedded::adroit_adroit_xml, "adroit") {}

  void reset(std::span<const double> goal) override {
    std::copy_n(goal.begin(), target_.size(), target_.begin());
    physics_.reset();
    physics_.forward();
  }

  void observe(std::span<double> observation) const override {
    double* out = std::copy_n(physics_.positions().begin(), adroit_joints, observation.data());
    out = std::copy_n(ball().begin(), 3, out);
    out = std::copy_n(physics_.site_place("S_grasp").begin(), 3, out);
    std::copy_n(target_.begin(), 3, out);
  }

  void act(std::span<const double> action) override {
    const std::span<double> controls = physics_.controls();
    for (size_t i = 0; i < controls.size(); ++i) {
      const std::span<const double> range = physics_.control_range(i);
      controls[i] =
          std::midpoint(range[0], range[1]) + 0.5 * (range[1] - range[0]) * std::clamp(action[i], -1.0, 1.0);
    }
    physics_.step(substeps);
    // A step leaves places and contacts as they were before it.
    physics_.forward();
  }

  double error() const override {
    const std::span<const double> place = ball();
    return std::hypot(place[0] - target_[0], place[1] - target_[1], place[2] - target_[2]);
  }

  std::optional<bool> is_held() const override {
    return ball()[2] > held_above && physics_.touches("Object", "") && !physics_.touches("Object", "table");
  }

 private:
  std::span<const double> ball() const { return physics_.body_place("Object"); }

  Physics physics_;
  std::array<double, 3> target_{};
};

EpisodeColumns adroit_columns() {
  EpisodeColumns columns;
  for (const char* joint : adroit_joint_names) {
    columns.observations.push_back(joint);
    columns.actions.push_back(std::string("A_") + joint);
  }
  for (const char* name : {"object_x", "object_y", "object_z", "palm_x", "palm_y", "palm_z"})
    columns.observations.push_back(name);
  columns.goals = {"target_x", "target_y", "target_z"};
  columns.observations.insert(columns.observations.end(), columns.goals.begin(), columns.goals.end());
  return columns;
}

}  // namespace

SimulationSpec adroit_simulation() {
  return {.columns = adroit_columns(), .steps = episode_steps, .make = [] {
            return std::make_unique<AdroitSimulation>();
          }};
}

Matrix<double> adroit_targets(Split split, size_t count, uint64_t seed) {
  const double low = split == Split::oos ? -0.3 : 0.0;
  const std::array<double, 3> from = {low, low, 0.15}, to = {low + 0.3, low + 0.3, 0.35};
  return box_goals(from, to, count, split, seed);
}

Expert adroit_expert(std::string_view plan) {
  return {.name = "carry",
          .title = "Takes the ball by a grasp that was searched for and carries it on a smooth path.",
          .make = [plan = CarryPlan::parse(plan), ranges = adroit_ranges()] {
            return std::make_unique<CarryController>(plan, ranges);
          }};
}

SimulatedDomain adroit_domain() {
  return {
      .name = "adroit",
      .title = "A hand takes a ball off a table and carries it to a place in the air.",
      .source = "Adroit relocate",
      .simulation = adroit_simulation(),
      .experts = {adroit_expert(embedded::adroit_expert_json)},
      .search_expert = [](const ExpertSearch& search) { return search_adroit_expert({.search = search}); },
      .read_experts = [](std::string_view plan) { return std::vector<Expert>{adroit_expert(plan)}; },
      .goals = adroit_targets,
      .published_goals = goals_of_texts(embedded::adroit_goals_train_csv, embedded::adroit_goals_oos_csv),
      .path = {"object_x", "object_y", "object_z"},
      .demonstrations = 100};
}

}  // namespace kedge
