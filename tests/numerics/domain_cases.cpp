#include <algorithm>
#include <cmath>

#include "kedge/core/format.h"
#include "kedge/demonstrations/rollout.h"
#include "kedge/domains/adroit/grasp_search.h"
#include "kedge/domains/simulated_domain.h"
#include "kedge/domains/slider/slider.h"
#include "kedge/domains/slider/strike_search.h"
#include "tests/numerics/cases.h"

namespace kedge {
namespace {

constexpr std::array<std::pair<Split, const char*>, 3> splits = {
    {{Split::train, "train"}, {Split::in, "in"}, {Split::oos, "oos"}}};

void add_tables(BitList& list) {
  for (const Domain& domain : all_domains())
    for (const auto& [split, name] : splits) {
      const Table table = domain.sample(split, 10, 3);
      std::vector<double> numbers;
      for (const Column& column : table.columns()) append(numbers, column.values);
      list.add(fmt::format("domain {}, {}", domain.name, name), numbers);
    }
}

/// Slow waves, so that something moves.
class Waves : public Controller {
 public:
  void begin(std::span<const double>) override { step_ = 0; }
  void act(std::span<const double>, std::span<double> action) override {
    for (size_t a = 0; a < action.size(); ++a)
      action[a] = 0.8 * std::sin(0.3 * static_cast<double>(step_) + static_cast<double>(a));
    ++step_;
  }

 private:
  size_t step_ = 0;
};

/// The first steps of an episode.
std::vector<double> first_steps(SimulationSpec simulation, const ControllerMaker& controller,
                                const Matrix<double>& goals) {
  simulation.steps = std::min<size_t>(simulation.steps, 50);
  const Rollouts found = roll_out(simulation, controller, goals, {.threads = 1});
  std::vector<double> numbers = found.errors;
  for (const Episode& episode : found.episodes.episodes()) {
    append(numbers, episode.observations.values());
    append(numbers, episode.actions.values());
  }
  return numbers;
}

void add_robots(BitList& list) {
  for (const SimulatedDomain& domain : simulated_domains()) {
    std::vector<double> goals;
    for (const auto& [split, name] : splits) append(goals, domain.goals(split, 4, 2).values());
    for (Split split : {Split::in, Split::oos}) append(goals, domain.published_goals(split).values());
    list.add(fmt::format("goals of {}", domain.name), goals);
    const Matrix<double> goal = domain.goals(Split::oos, 1, 7);
    list.add(fmt::format("first steps of {}", domain.name),
             first_steps(
                 domain.simulation, [] { return std::make_unique<Waves>(); }, goal));
    for (const Expert& expert : domain.experts)
      list.add(fmt::format("first steps of {}, expert {}", domain.name, expert.name),
               first_steps(domain.simulation, expert.make, goal));
  }
}

void add_searches(BitList& list) {
  const ExpertSearch search{.seed = 1, .threads = 1};
  list.add_json("search for a strike",
                search_slider_experts(slider_domain().simulation,
                                      {.search = search, .population = 3, .generations = 1, .balls = 1}));
  list.add("search for a grasp",
           {search_grasp({.search = search, .population = 2, .generations = 1, .rounds = 1}).score});
}

}  // namespace

void add_domains(BitList& list) {
  add_tables(list);
  add_robots(list);
  add_searches(list);
}

}  // namespace kedge
