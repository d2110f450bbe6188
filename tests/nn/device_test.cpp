#include "kedge/nn/device.h"

#include <gtest/gtest.h>

#include "kedge/core/error.h"
#include "kedge/nn/engine_cuda.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

constexpr size_t h200 = 132;
// Two networks of two hidden layers each, of one input and one output: rank as wide as the layers.
constexpr FleetSize narrow{.runs = 1, .parameters = 4'300, .batch = 32, .steps = 10'000},
    wide{.runs = 1, .parameters = 4'200'000, .batch = 32, .steps = 10'000};

FleetSize with_runs(FleetSize fleet, size_t runs) {
  fleet.runs = runs;
  return fleet;
}

TEST(Device, has_the_names_that_users_write) {
  EXPECT_EQ(all_names<Device>(), "cpu, cuda, auto");
  EXPECT_EQ(value_named<Device>("auto"), Device::automatic);
  EXPECT_FALSE(value_named<Device>("gpu"));
}

TEST(DeviceGain, is_there_for_wide_networks_and_for_many_narrow_ones) {
  EXPECT_FALSE(gains_on_device(narrow, h200));
  EXPECT_TRUE(gains_on_device(with_runs(narrow, h200), h200));
  EXPECT_TRUE(gains_on_device(wide, h200));
}

TEST(DeviceGain, is_not_there_without_a_device_or_work) {
  EXPECT_FALSE(gains_on_device(with_runs(wide, 100), 0));
  EXPECT_FALSE(gains_on_device({}, h200));
  EXPECT_FALSE(gains_on_device(with_runs(wide, 0), h200));
}

TEST(DeviceGain, does_not_go_away_with_more_steps) {
  for (const FleetSize& fleet : {with_runs(narrow, h200), wide}) {
    bool gained = false;
    for (uint64_t steps = 1; steps <= 10'000'000; steps *= 10) {
      FleetSize longer = fleet;
      longer.steps = steps;
      EXPECT_LE(gained, gains_on_device(longer, h200)) << steps;
      gained = gains_on_device(longer, h200);
    }
    EXPECT_TRUE(gained);
    EXPECT_FALSE(gains_on_device({fleet.runs, fleet.parameters, fleet.batch, 1}, h200)) << "it has to start";
  }
}

TEST(Device, the_cpu_is_there_and_automatic_takes_it_for_a_small_fleet) {
  EXPECT_EQ(device_for(Device::cpu, with_runs(wide, 1000)), UsedDevice{});
  EXPECT_EQ(device_for(Device::automatic, narrow), UsedDevice{});
  EXPECT_EQ(error_text([] { require_device(Device::cpu); }), "");
  EXPECT_EQ(error_text([] { require_device(Device::automatic); }), "");
}

TEST(Device, one_that_is_asked_for_by_name_is_taken_or_its_lack_is_one_line) {
  const CudaDevice found = find_cuda_device();
  EXPECT_NE(found.name.empty(), found.missing.empty());
  if (found.missing.empty()) {
    EXPECT_EQ(device_for(Device::cuda, narrow), (UsedDevice{Device::cuda, found.name}));
    EXPECT_EQ(device_for(Device::automatic, wide), (UsedDevice{Device::cuda, found.name}));
    return;
  }
  EXPECT_EQ(device_for(Device::automatic, wide), UsedDevice{});
  try {
    require_device(Device::cuda);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "[train] needs a CUDA device; " + found.missing);
    EXPECT_EQ(error.option(), "device");
  }
  EXPECT_NE(error_text([] { device_for(Device::cuda, narrow); }), "");
  const Program program = [] {
    Program p(1, 1);
    p.dense(Program::input(Input::query), 1, Activation::none);
    return p;
  }();
  EXPECT_NE(error_text([&] { make_engine(program, {{0, 0}}, Device::cuda); }), "");
}

}  // namespace
}  // namespace kedge
