// A crane learns to carry loads to the left from demonstrations that all go to the right.
//
// The crane is a simulation of its own: implement kedge::Simulation like it and kedge can act in yours. A
// load hangs on a rope of 0.5 to 1.5 m. How the cart must move depends on place and rope together, and on the
// time.
//
// Usage: imitation [picture.svg]

#include <kedge/kedge.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>

namespace {

constexpr double time_step = 0.05, gravity = 9.81, travel_time = 3.5, drive_lag = 0.1;
constexpr size_t steps = 80;

class Crane : public kedge::Simulation {
 public:
  void reset(std::span<const double> goal) override { *this = Crane(goal[0], goal[1]); }
  void observe(std::span<double> seen) const override {
    const double all[] = {cart_, speed_, angle_, spin_, target_, rope_};
    std::copy(std::begin(all), std::end(all), seen.begin());
  }
  void act(std::span<const double> action) override {
    const double h = time_step / 10;
    for (int i = 0; i < 10; ++i) {
      const double push = (action[0] - speed_) / drive_lag;
      spin_ -= h * (gravity * std::sin(angle_) + push * std::cos(angle_)) / rope_;
      angle_ += h * spin_;
      speed_ += h * push;
      cart_ += h * speed_;
    }
  }
  /// How far the load still swings around its target, to the side.
  double error() const override {
    const double place = cart_ + rope_ * std::sin(angle_), speed = speed_ + rope_ * spin_ * std::cos(angle_);
    return std::hypot(place - target_, speed * std::sqrt(rope_ / gravity));
  }

  Crane() = default;
  Crane(double target, double rope) : target_(target), rope_(rope) {}

 private:
  double cart_ = 0, speed_ = 0, angle_ = 0, spin_ = 0, target_ = 0, rope_ = 1;
};

/// Plans a smooth path of the load, and moves the cart so that a load on this rope follows it.
class Expert : public kedge::Controller {
 public:
  void begin(std::span<const double>) override { step_ = 0; }
  void act(std::span<const double> seen, std::span<double> action) override {
    const double t = std::min(1.0, (static_cast<double>(step_++) + 0.5) * time_step / travel_time);
    const double target = seen[4], lead = seen[5] / gravity / std::pow(travel_time, 2);
    // The path and its derivatives: t^4 (35 - 84 t + 70 t^2 - 20 t^3), at rest at both ends.
    const double path = std::pow(t, 4) * (35 - t * (84 - t * (70 - t * 20)));
    const double d1 = 140 * std::pow(t, 3) * std::pow(1 - t, 3);
    const double d2 = 420 * t * t * (1 - t) * (1 - t) * (1 - 2 * t);
    const double d3 = 840 * t * (1 - t) * (1 - 5 * t + 5 * t * t);
    const double d4 = t < 1 ? 840 * (1 - t * (12 - t * (30 - 20 * t))) : 0;
    const double place = target * (path + lead * d2), speed = target * (d1 + lead * d3) / travel_time;
    const double push = target * (d2 + lead * d4) / std::pow(travel_time, 2);
    action[0] = speed + drive_lag * push + 2 * (place - seen[0]);
  }

 private:
  size_t step_ = 0;
};

kedge::SimulationSpec crane() {
  return {.columns = {.observations = {"cart", "speed", "angle", "spin", "target", "rope"},
                      .actions = {"speed_wanted"},
                      .goals = {"target", "rope"}},
          .steps = steps,
          .make = [] { return std::make_unique<Crane>(); }};
}

/// A grid of targets from `low` to `high` and all ropes.
kedge::Matrix<double> goals(double low, double high, size_t targets, size_t ropes) {
  kedge::Matrix<double> grid(targets * ropes, 2);
  for (size_t i = 0; i < grid.rows(); ++i) {
    grid(i, 0) = low + (high - low) * (static_cast<double>(i / ropes) + 0.5) / static_cast<double>(targets);
    grid(i, 1) = 0.5 + (static_cast<double>(i % ropes) + 0.5) / static_cast<double>(ropes);
  }
  return grid;
}

double mean(const std::vector<double>& errors) {
  double sum = 0;
  for (double error : errors) sum += error;
  return sum / static_cast<double>(errors.size());
}

/// Where the load is at each step of an episode.
kedge::Series path_of_load(const kedge::Episode& episode, const std::string& name) {
  kedge::Series series{.name = name};
  for (size_t t = 0; t < episode.steps(); ++t) {
    const auto seen = episode.observations.row(t);
    series.x.push_back(static_cast<double>(t) * time_step);
    series.y.push_back(seen[0] + seen[5] * std::sin(seen[2]));
  }
  return series;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto expert = [] { return std::make_unique<Expert>(); };
    const kedge::Demonstrations shown = kedge::roll_out(crane(), expert, goals(0, 2, 15, 10)).episodes;
    const kedge::Matrix<double> right = goals(0, 2, 7, 4), left = goals(-2, 0, 7, 4);
    const kedge::Rollouts best = kedge::roll_out(crane(), expert, left);
    std::printf("swing of the load in metres   right (shown)   left (never shown)\n");
    std::printf("%-29s %13.3f %20.3f\n", "expert", mean(kedge::roll_out(crane(), expert, right).errors),
                mean(best.errors));
    const size_t drawn = 2;  // of the goals to the left: a far one with a long rope
    kedge::Chart chart{
        .title = "A load carried to the left", .x_label = "seconds", .y_label = "place of the load"};
    chart.series.push_back(path_of_load(best.episodes[drawn], "expert"));
    chart.series.back().color = "currentColor";
    for (const char* model : {"bilinear", "mlp", "mlp-time", "ridge-by-step"}) {
      kedge::PolicyOptions options = kedge::policy_options("default", model);
      options.fit.epochs = 8000;  // 32,000 steps: there are 150 demonstrations
      const kedge::Policy policy = kedge::imitate({.demonstrations = shown, .options = options}).policy;
      const auto controller = [&] { return policy.controller(); };
      const kedge::Rollouts beyond = kedge::roll_out(crane(), controller, left);
      std::printf("%-29s %13.3f %20.3f\n", model, mean(kedge::roll_out(crane(), controller, right).errors),
                  mean(beyond.errors));
      chart.series.push_back(path_of_load(beyond.episodes[drawn], model));
    }
    if (argc > 1) std::ofstream(argv[1]) << kedge::to_svg(chart);
  } catch (const kedge::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
