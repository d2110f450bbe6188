#include "kedge/domains/adroit/grasp_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/rng.h"
#include "kedge/core/thread_pool.h"
#include "kedge/domains/adroit/adroit.h"
#include "kedge/domains/search_counter.h"

namespace kedge {
namespace {

using Place = std::array<double, 3>;

/// Where the search of one number begins.
struct Dial {
  double mean, spread;
};

constexpr size_t dials = 27;
using Numbers = std::array<double, dials>;

constexpr std::array<Dial, dials> start = {{
    {-0.007, 0.015}, {0.03, 0.015}, {0.2, 0.02}, {0.22, 0.04}, {0, 0.1},  // arm: slides, pitch, roll
    {0, 0.1},        {0, 0.15},                                           // wrist
    {0.3, 0.2},      {0.3, 0.2},                                          // open fingers
    {0, 0.1},        {1.1, 0.3},    {0.9, 0.3},                           // closed: first finger
    {1.1, 0.3},      {0.9, 0.3},                                          // middle
    {0, 0.1},        {1.1, 0.3},    {0.9, 0.3},                           // ring
    {0.2, 0.2},      {0, 0.1},      {1.1, 0.3},  {0.9, 0.3},              // little
    {0.8, 0.4},      {0.3, 0.2},    {0.6, 0.3},  {0, 0.15},    {0, 0.25}, {-0.5, 0.3},  // thumb
}};

CarryPlan plan_of(const Numbers& x) {
  CarryPlan plan;
  plan.grasp = {x[0], x[1], x[2], x[3], 0, x[4]};
  // The two last joints of a finger are tied to each other.
  plan.open = {x[5], x[6], x[9],  x[7],  x[8], x[8], 0,    x[7],  x[8],  x[8], x[14], x[7],
               x[8], x[8], x[17], x[18], x[7], x[8], x[8], x[21], x[22], 0,    0,     0};
  plan.closed = {x[5],  x[6],  x[9],  x[10], x[11], x[11], 0,     x[12], x[13], x[13], x[14], x[15],
                 x[16], x[16], x[17], x[18], x[19], x[20], x[20], x[21], x[23], x[24], x[25], x[26]};
  plan.ball = {0.007, -0.05, 0.5};  // the middle of the grasp as the palm has it
  return plan;
}

constexpr double episode_seconds = 2;
constexpr size_t ball_at = adroit_joints, palm_at = adroit_joints + 3;

double distance(const double* a, const double* b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// An episode that can be looked at on the way.
class Trial {
 public:
  Trial(const CarryPlan& plan, const AdroitRanges& ranges, std::span<const double> target)
      : simulation_(adroit_simulation().make()), controller_(plan, ranges) {
    simulation_->reset(target);
    controller_.begin(target);
    simulation_->observe(observation_);
  }
  void run_to(double seconds) {
    for (; static_cast<double>(step_) * adroit_step_seconds < seconds; ++step_) {
      controller_.act(observation_, action_);
      simulation_->act(action_);
      simulation_->observe(observation_);
    }
  }
  const double* ball() const { return observation_.data() + ball_at; }
  double ball_to_palm() const { return distance(ball(), observation_.data() + palm_at); }
  bool is_held() const { return simulation_->is_held().value(); }

 private:
  std::unique_ptr<Simulation> simulation_;
  CarryController controller_;
  std::array<double, adroit_joints + 9> observation_{};
  std::array<double, adroit_joints> action_{};
  size_t step_ = 0;
};

/// Carries the ball once with a grasp that is this much beside the plan's.
struct Attempt {
  Place target;
  double x, z, pitch;  ///< of the arm's joints
};
constexpr double slide_off = 0.01, pitch_off = 0.015;
constexpr std::array<Attempt, 4> attempts = {{{{0.25, 0.25, 0.2}, slide_off, slide_off, pitch_off},
                                              {{0.05, 0.05, 0.33}, -slide_off, -slide_off, pitch_off},
                                              {{0.25, 0.05, 0.25}, slide_off, -slide_off, -pitch_off},
                                              {{0.05, 0.25, 0.3}, -slide_off, slide_off, -pitch_off}}};

/// Small when the ball stays where the palm has it: below 1 when every attempt holds it. Attempts are
/// beside the plan so that a grasp is found which forgives those who imitate it.
double score(const Numbers& numbers, const AdroitRanges& ranges) {
  constexpr double lifted_at = carry_times.carry_begins + 0.35, lifted = 0.045;
  double sum = 0;
  for (const Attempt& attempt : attempts) {
    CarryPlan plan = plan_of(numbers);
    plan.grasp[0] += attempt.x;
    plan.grasp[2] += attempt.z;
    plan.grasp[3] += attempt.pitch;
    Trial trial(plan, ranges, attempt.target);
    trial.run_to(lifted_at);
    const double before = trial.ball_to_palm();
    if (!(trial.ball()[2] > lifted)) {
      sum += 2 + std::min(1.0, before);
      continue;
    }
    trial.run_to(episode_seconds);
    const double after = trial.ball_to_palm();
    sum += trial.is_held() ? after + 2 * std::abs(after - before) : 1 + std::min(1.0, after);
  }
  return sum;
}

/// The cross-entropy method: draw numbers, keep the best, draw around them.
Numbers cross_entropy(const GraspSearch& options, const AdroitRanges& ranges, ThreadPool& pool,
                      SearchCounter& counter) {
  constexpr double keep = 1.0 / 6, least_spread = 0.05;
  std::array<Dial, dials> around = start;
  std::vector<Numbers> drawn(options.population);
  std::vector<double> scores(options.population);
  Numbers best{};
  double best_score = std::numeric_limits<double>::infinity();
  for (size_t generation = 0; generation < options.generations; ++generation) {
    pool.run(drawn.size(), [&](size_t k) {
      if (counter.stopped()) return;
      Rng rng(options.search.seed, Stream::expert, generation * drawn.size() + k);
      for (size_t i = 0; i < dials; ++i) drawn[k][i] = around[i].mean + around[i].spread * rng.normal();
      scores[k] = score(drawn[k], ranges);
      counter.count();
    });
    counter.require_going();
    std::vector<size_t> order(drawn.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t k) { return scores[k]; });
    if (scores[order[0]] < best_score) {
      best_score = scores[order[0]];
      best = drawn[order[0]];
    }
    order.resize(std::max<size_t>(2, static_cast<size_t>(keep * static_cast<double>(drawn.size()))));
    const double kept = static_cast<double>(order.size());
    for (size_t i = 0; i < dials; ++i) {
      double mean = 0, square = 0;
      for (const size_t k : order) mean += drawn[k][i] / kept;
      for (const size_t k : order) square += (drawn[k][i] - mean) * (drawn[k][i] - mean) / kept;
      // A spread that vanishes early would end the search where it began.
      around[i] = {mean, std::max(std::sqrt(square), least_spread * start[i].spread)};
    }
  }
  Numbers mean{};
  for (size_t i = 0; i < dials; ++i) mean[i] = around[i].mean;
  return score(mean, ranges) <= best_score ? mean : best;
}

constexpr size_t calibration_targets = 8;

/// Moves the place of the ball in the hand until balls end at their targets in the mean.
void calibrate(CarryPlan& plan, const GraspSearch& options, const AdroitRanges& ranges, ThreadPool& pool,
               SearchCounter& counter) {
  const Matrix<double> targets = adroit_targets(Split::train, calibration_targets, options.search.seed);
  for (size_t round = 0; round < options.rounds; ++round) {
    std::vector<Place> beside(targets.rows());
    pool.run(targets.rows(), [&](size_t k) {
      if (counter.stopped()) return;
      Trial trial(plan, ranges, targets.row(k));
      trial.run_to(episode_seconds);
      for (size_t i = 0; i < 3; ++i) beside[k][i] = trial.ball()[i] - targets(k, i);
      counter.count();
    });
    counter.require_going();
    // In the axes of the forearm: x is -x, y is z, z is y. Its hinges turn little, and rounds make up for it.
    for (const Place& e : beside) {
      const double share = 1.0 / static_cast<double>(beside.size());
      plan.ball[0] -= share * e[0];
      plan.ball[1] += share * e[2];
      plan.ball[2] += share * e[1];
    }
  }
}

}  // namespace

FoundGrasp search_grasp(const GraspSearch& options) {
  if (options.population < 2 || options.generations < 1)
    throw Error("expert",
                fmt::format("a search needs a population of 2 and 1 generation at least; found {} and {}",
                            options.population, options.generations));
  const AdroitRanges ranges = adroit_ranges();
  ThreadPool pool(options.search.threads);
  SearchCounter counter(options.search,
                        options.population * options.generations + calibration_targets * options.rounds);
  const Numbers numbers = cross_entropy(options, ranges, pool, counter);
  FoundGrasp found{plan_of(numbers), score(numbers, ranges)};
  calibrate(found.plan, options, ranges, pool, counter);
  return found;
}

std::string search_adroit_expert(const GraspSearch& options) {
  const FoundGrasp found = search_grasp(options);
  Json json{{"expert", "adroit"},
            {"made_by", "kedge expert adroit -o kedge/domains/adroit/expert.json"},
            {"kedge", KEDGE_VERSION},
            {"seed", options.search.seed},
            {"population", options.population},
            {"generations", options.generations},
            {"score", found.score}};
  const Json plan = found.plan.json();
  for (const JsonMember& member : plan.as_object("plan")) json[member.name] = member.value;
  return json.dump(JsonText::lines) + "\n";
}

}  // namespace kedge
