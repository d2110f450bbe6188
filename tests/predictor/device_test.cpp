// Where fits are trained: the device reaches every one of them, and they say it.

#include <gtest/gtest.h>

#include "kedge/nn/engine_cuda.h"
#include "tests/predictor/fitted.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

bool has_device() { return find_cuda_device().missing.empty(); }

TEST(RunOptionsDevice, is_carried_into_phases_and_notes_with_and_without_a_watch) {
  for (const RunOptions& run :
       {RunOptions{.threads = 3, .device = Device::cuda},
        RunOptions{.progress = [](const Progress&) { return true; }, .threads = 3, .device = Device::cuda}}) {
    const RunOptions phase = run.as_phase({"training", {}, {1, 1}, {2, 2}});
    StopNote note(run);
    for (const RunOptions& same : {phase, note.run(), note.run().as_phase({})}) {
      EXPECT_EQ(same.device, Device::cuda);
      EXPECT_EQ(same.threads, 3);
      EXPECT_EQ(static_cast<bool>(same.progress), static_cast<bool>(run.progress));
    }
  }
  EXPECT_EQ(RunOptions().device, Device::cpu);
}

TEST(FitDevice, a_fit_says_where_it_was_trained_and_a_closed_form_says_nothing) {
  const Table table = training_table();
  for (Device device : {Device::cpu, Device::automatic}) {
    const FitResult fit = fit_model({table, quick_options("bilinear")}, {.device = device});
    EXPECT_EQ(fit.trained_on, UsedDevice{}) << "automatic, so small a fit";
    EXPECT_EQ(fit.predictor.to_bytes(), fit_model({table, quick_options("bilinear")}).predictor.to_bytes());
    EXPECT_FALSE(fit_model({table, quick_options("ridge")}, {.device = device}).trained_on);
  }
}

TEST(FitDevice, closed_forms_need_none) {
  const Table table = training_table();
  const FitResult fit = fit_model({table, quick_options("ridge")}, {.device = Device::cuda});
  EXPECT_FALSE(fit.trained_on);
  EXPECT_EQ(fit.predictor.to_bytes(), fit_model({table, quick_options("ridge")}).predictor.to_bytes());
}

TEST(FitDevice, one_that_is_not_there_ends_all_fits_before_they_begin) {
  if (has_device()) GTEST_SKIP() << "there is one";
  const Table table = training_table();
  const std::vector<FitRequest> requests = {{table, quick_options("ridge")},
                                            {table, quick_options("bilinear")}};
  int ended = 0, reports = 0;
  const RunOptions run{.progress =
                           [&](const Progress&) {
                             ++reports;
                             return true;
                           },
                       .device = Device::cuda};
  const std::string text =
      error_text([&] { fit_models(requests, run, [&](size_t, FitAttempt&&) { ++ended; }); });
  EXPECT_NE(text.find("needs a CUDA device; "), std::string::npos) << text;
  EXPECT_EQ(ended + reports, 0);
}

TEST(FitDevice, a_model_trained_there_is_an_ordinary_one) {
  if (!has_device()) GTEST_SKIP() << find_cuda_device().missing;
  const Table table = training_table();
  const FitResult fit = fit_model({table, quick_options("bilinear")}, {.device = Device::cuda});
  EXPECT_EQ(fit.trained_on, (UsedDevice{Device::cuda, find_cuda_device().name}));
  const Predictor again = Predictor::from_bytes(fit.predictor.to_bytes(), "bytes");
  EXPECT_EQ(again.predict(query_rows()).y.values(), fit.predictor.predict(query_rows()).y.values());
}

TEST(FitDevice, validation_rows_are_refused_on_a_device_and_have_automatic_take_the_cpu) {
  const Table table = training_table(), rows = training_table(20);
  const FitRequest request{table, quick_options("bilinear"), {}, &rows};
  const std::string text = error_text([&] { require_trainable(request, Device::cuda); });
  EXPECT_NE(text.find("validation rows need"), std::string::npos) << text;
  EXPECT_EQ(error_text([&] { fit(request, {.device = Device::cuda}); }), text) << "before anything else";
  const FitResult taken = fit(request, {.device = Device::automatic});
  EXPECT_TRUE(taken.validation);
  EXPECT_EQ(taken.trained_on, UsedDevice{});
  EXPECT_EQ(error_text([&] {
              require_trainable({table, quick_options("ridge"), {}, &rows}, Device::cuda);
              require_trainable({table, quick_options("bilinear")}, Device::cuda);
              require_trainable(request, Device::cpu);
              require_trainable(request, Device::automatic);
            }),
            "");
}

}  // namespace
}  // namespace kedge
