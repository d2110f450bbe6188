#include "kedge/rehearsal.h"

#include <gtest/gtest.h>

#include "kedge/domains/domain.h"

namespace kedge {
namespace {

FitOptions short_fit(Fourier fourier) {
  FitOptions options = preset_options("default", "bilinear");
  options.architecture.fourier = fourier;
  options.training.steps = 5000;
  options.replicas = 1;
  return options;
}

TEST(Rehearsal, what_repeats_gets_the_fourier_layer_and_what_is_straight_does_not_need_it) {
  const Table repeating = find_domain("sawtooth").sample(Split::train, 400, 0);
  const auto error = [&](Fourier fourier) {
    return shell_error(repeating, rehearse(repeating, short_fit(fourier), {.effort = 1}, {}));
  };
  const double with = error(Fourier::on), without = error(Fourier::off);
  EXPECT_LT(with, 0.5 * without);
  EXPECT_EQ(resolve(repeating, short_fit(Fourier::automatic), {}, 2).architecture.fourier, Fourier::on);
}

TEST(Rehearsal, a_choice_already_made_is_left_alone_and_costs_no_steps) {
  const Table table = find_domain("sawtooth").sample(Split::train, 100, 0);
  for (Fourier fourier : {Fourier::on, Fourier::off}) {
    EXPECT_EQ(trial_steps(table, short_fit(fourier)), 0u);
    EXPECT_EQ(resolve(table, short_fit(fourier), {}, 1).architecture.fourier, fourier);
  }
  EXPECT_EQ(trial_steps(table, short_fit(Fourier::automatic)), 1000u);
}

TEST(Rehearsal, too_few_rows_decide_nothing_and_leave_the_layer_off) {
  const Table table = find_domain("sawtooth").sample(Split::train, 10, 0);
  EXPECT_EQ(trial_steps(table, short_fit(Fourier::automatic)), 0u);
  EXPECT_EQ(resolve(table, short_fit(Fourier::automatic), {}, 1).architecture.fourier, Fourier::off);
}

TEST(Rehearsal, a_fit_never_stores_an_open_choice) {
  const Table table = find_domain("sawtooth").sample(Split::train, 50, 0);
  FitOptions options = short_fit(Fourier::automatic);
  options.training.steps = 50;
  EXPECT_NE(Predictor::fit(table, options).options().architecture.fourier, Fourier::automatic);
}

}  // namespace
}  // namespace kedge
