#include "kedge/domains/slider/slider.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/domains/goals.h"
#include "kedge/domains/physics/physics.h"
#include "kedge/domains/slider/rolling.h"
#include "kedge/domains/slider/strike.h"
#include "kedge/domains/slider/strike_search.h"
#include "kedge_embedded.h"

namespace kedge {
namespace {

constexpr int frame_skip = 10;

class SliderSimulation : public Simulation {
 public:
  SliderSimulation()
      : physics_(embedded::slider_slider_xml, "slider"), ball_(physics_.joint_position("ball")) {}

  void reset(std::span<const double> goal) override {
    if (!(goal[0] > 0 && std::isfinite(goal[0])))
      throw Error("slider", fmt::format("needs a ball of positive mass; found {}", goal[0]));
    mass_ = goal[0];
    physics_.set_mass("ball", mass_);
    physics_.reset();
    physics_.forward();
  }
  void observe(std::span<double> observation) const override {
    const std::span<const double> places = physics_.positions(), speeds = physics_.velocities();
    const auto after_places = std::copy(places.begin(), places.end(), observation.begin());
    *std::copy(speeds.begin(), speeds.end(), after_places) = mass_;
  }
  void act(std::span<const double> action) override {
    physics_.controls()[0] = action[0];  // MuJoCo clips it to the motor's range
    physics_.step(frame_skip);
  }
  double error() const override { return std::abs(physics_.positions()[ball_] - slider::target); }

 private:
  Physics physics_;
  size_t ball_;
  double mass_ = 0;
};

EpisodeColumns slider_columns() {
  return {.observations = {"pusher_x", "pusher_y", "ball_x", "ball_y", "ball_z", "ball_qw", "ball_qx",
                           "ball_qy", "ball_qz", "pusher_vx", "pusher_vy", "ball_vx", "ball_vy", "ball_vz",
                           "ball_wx", "ball_wy", "ball_wz", "mass"},
          .actions = {"pusher_force"},
          .goals = {"mass"}};
}

Matrix<double> slider_goals(Split split, size_t count, uint64_t seed) {
  const std::array<double, 2>& range = split == Split::oos ? slider_oos_mass : slider_train_mass;
  return box_goals({range.data(), 1}, {range.data() + 1, 1}, count, split, seed);
}

/// `mechanics` first: its speed follows from the equations of motion and not from masses of training alone.
/// In support `smooth` errs less.
std::vector<Expert> ordered_experts(std::string_view json_text) {
  std::vector<Expert> experts = slider_experts(json_text);
  std::stable_partition(experts.begin(), experts.end(),
                        [](const Expert& expert) { return expert.name == "mechanics"; });
  return experts;
}

}  // namespace

SimulatedDomain slider_domain() {
  const SimulationSpec simulation = {.columns = slider_columns(), .steps = slider::steps, .make = [] {
                                       return std::make_unique<SliderSimulation>();
                                     }};
  return {.name = "slider",
          .title = "A pusher strikes a ball of varying mass so that it rolls to x = -1.",
          .source = "section 4.2, appendix D.1",
          .simulation = simulation,
          .experts = ordered_experts(embedded::slider_experts_json),
          .search_expert =
              [simulation](const ExpertSearch& search) {
                return search_slider_experts(simulation, {.search = search});
              },
          .read_experts = ordered_experts,
          .goals = slider_goals,
          .published_goals = goals_of_texts(embedded::slider_goals_train_csv, embedded::slider_goals_oos_csv),
          .path = {"ball_x", "ball_y", "ball_z"},
          .demonstrations = 100};
}

}  // namespace kedge
