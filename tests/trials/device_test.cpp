// The device reaches every training of the trials around a fit. Without one it shows by the fault.

#include <gtest/gtest.h>

#include <cmath>

#include "kedge/nn/engine_cuda.h"
#include "kedge/predictor/info.h"
#include "kedge/trials/budget.h"
#include "kedge/trials/calibration.h"
#include "kedge/trials/choice.h"
#include "kedge/trials/settings.h"
#include "kedge/trials/trial_json.h"
#include "kedge/trials/variants.h"
#include "tests/predictor/fitted.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

class TrialDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (find_cuda_device().missing.empty()) GTEST_SKIP() << "there is a device";
  }

  template <class Work>
  static void expect_asked(const Work& work) {
    const std::string text = error_text(work);
    EXPECT_NE(text.find("needs a CUDA device; "), std::string::npos) << text;
  }

  const Table table = training_table();
  const RunOptions cuda{.progress = [](const Progress&) { return true; }, .device = Device::cuda};
};

TEST_F(TrialDevice, is_that_of_the_choice_the_training_and_the_calibration) {
  FitOptions open = quick_options("bilinear");
  open.architecture.fourier = Fourier::automatic;
  const FitRequest request{table, open}, settled{table, quick_options("bilinear")};
  expect_asked([&] { choose({&request, 1}, cuda); });
  expect_asked([&] { fit(settled, cuda); });
  FitRequest calibrated = settled;
  calibrated.options.calibration = Calibration::shells;
  const Predictor predictor = fit_model(settled).predictor;
  const CalibrationRequest one{calibrated, predictor};
  expect_asked([&] { calibrate({&one, 1}, cuda); });
}

TEST_F(TrialDevice, is_that_of_cross_validation_unless_all_models_are_closed_forms) {
  const FitOptions base = quick_options("bilinear");
  expect_asked([&] { cross_validate(table, base, {.models = {"ridge", "bilinear"}}, cuda); });
  const CrossValidation closed = cross_validate(table, base, {.models = {"ridge", "linear"}}, cuda);
  EXPECT_EQ(closed.recommendation.carries == Carries::unknown, false);
  const CrossValidation found = cross_validate(table, base, {.models = {"bilinear"}});
  EXPECT_EQ(found.models[0].shells[0].trained_on, UsedDevice{});
  Table wide("doses");
  std::vector<double> dose, y;
  for (int r = 0; r < 40; ++r) {
    dose.push_back(std::pow(1.3, r));
    y.push_back(r % 7);
  }
  wide.add(column("dose", Role::input, dose));
  wide.add(column("y", Role::output, y));
  FitOptions plain = base;
  plain.space.clear();
  plain.context.clear();
  const CrossValidation of_wide = cross_validate(wide, plain, {.models = {"bilinear"}});
  ASSERT_FALSE(variants_of(wide, plain).empty());
  expect_asked([&] { try_variants(wide, of_wide, {}, cuda); });
}

TEST_F(TrialDevice, is_that_of_a_budget_which_takes_the_cpu_for_automatic) {
  const FitRequest request{table, quick_options("bilinear")};
  expect_asked([&] { measured_pace(request, 1, cuda); });
  expect_asked([&] { fit_within(request, 1, cuda); });
}

TEST(TrialSettings, name_the_device) {
  EXPECT_EQ(device_of({}), Device::cpu);
  EXPECT_EQ(device_of(settings_from_json(R"({"device": "cuda"})").fit), Device::cuda);
  EXPECT_EQ(device_of(settings_from_json(R"({"device": null})").fit), Device::cpu);
  const std::string text = error_text([] { fit_options({.device = "gpu"}); });
  EXPECT_NE(text.find("device needs one of cpu, cuda, auto; found 'gpu'"), std::string::npos) << text;
  EXPECT_EQ(error_text([] { device_of({.device = "gpu"}); }), text);
}

TEST(TrialSettings, of_a_device_are_not_in_the_model) {
  EXPECT_EQ(to_json(fit_options({.device = "cuda"})), to_json(fit_options({})));
}

TEST(DeviceJson, says_what_was_used) {
  EXPECT_EQ(device_json(std::nullopt).dump(), "null");
  EXPECT_EQ(device_json(UsedDevice{}).dump(), R"({"device":"cpu","name":null,"networks_at_once":null})");
  EXPECT_EQ(device_json(UsedDevice{Device::cuda, "NVIDIA H200"}).dump(),
            R"({"device":"cuda","name":"NVIDIA H200","networks_at_once":null})");
  EXPECT_EQ(device_json(UsedDevice{Device::cuda, "NVIDIA H200", 7}).at("networks_at_once").dump(), "7");
  const Table table = training_table();
  const FitResult trained = fit_model({table, quick_options("bilinear")});
  EXPECT_EQ(fit_json(trained, {}, {}).at("trained_on").at("device").dump(), R"("cpu")");
}

}  // namespace
}  // namespace kedge
