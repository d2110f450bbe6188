#include "kedge/models/base.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kedge/core/error.h"
#include "kedge/models/models.h"
#include "tests/predictor/fitted.h"

namespace kedge {
namespace {

FitOptions over(const std::string& base, double share, Predicts predicts = Predicts::change) {
  FitOptions options = quick_options("bilinear");
  options.base = base;
  options.share = share;
  options.architecture.predicts = predicts;
  return options;
}

Predictor fitted(const FitOptions& options) {
  const Table table = training_table();
  return std::move(fit_model({table, options}).predictor);
}

TEST(Base, every_closed_form_of_the_query_alone_may_be_one_and_no_other_model) {
  for (const Model& model : all_models()) {
    const Program program = model.program({3, 1, {0}}, {});
    const bool is_closed = model.solver == Solver::least_squares || model.solver == Solver::ridge;
    EXPECT_EQ(can_be_base(model.name), is_closed && !program.uses_anchor()) << model.name;
  }
}

TEST(Base, without_a_share_the_answers_are_those_of_the_base) {
  for (const std::string& base : base_models()) {
    FitOptions alone = quick_options(base);
    const Predictions wanted = fitted(alone).predict(query_rows());
    for (Predicts predicts : {Predicts::change, Predicts::value}) {
      const Predictions found = fitted(over(base, 0, predicts)).predict(query_rows());
      for (size_t r = 0; r < wanted.rows(); ++r)
        for (size_t k = 0; k < 2; ++k)
          EXPECT_NEAR(found.y(r, k), wanted.y(r, k), 1e-4 * (1 + std::abs(wanted.y(r, k)))) << base;
    }
  }
}

TEST(Base, answers_are_linear_in_the_share) {
  const Predictions none = fitted(over("ridge", 0)).predict(query_rows()),
                    half = fitted(over("ridge", 0.5)).predict(query_rows()),
                    whole = fitted(over("ridge", 1)).predict(query_rows());
  double most = 0;
  for (size_t r = 0; r < none.rows(); ++r) {
    EXPECT_NEAR(half.y(r, 0), (none.y(r, 0) + whole.y(r, 0)) / 2, 1e-3);
    most = std::max(most, std::abs(whole.y(r, 0) - none.y(r, 0)));
  }
  EXPECT_GT(most, 1e-2) << "the model adds something";
}

TEST(Base, what_is_learned_is_what_the_base_leaves) {
  const Table table = training_table();
  const Predictor plain = fitted(quick_options("linear"));
  const Matrix<float> features = plain.encoder().encode_points(plain.training_points()),
                      outputs = plain.encoder().encode_outputs(plain.training_outputs());
  const FittedBase base =
      fit_base("linear", {plain.training_points(), features, outputs, plain.encoder().curved()}, {});
  const Predictions answers = plain.predict(table);
  for (size_t r = 0; r < outputs.rows(); ++r) {
    for (size_t k = 0; k < 2; ++k) {
      const Standardizer& scale = plain.encoder().output_scaling().standard;
      const double rest = (plain.training_outputs()(r, k) - answers.y(r, k)) / scale.scale[k];
      EXPECT_NEAR(static_cast<double>(base.rest(r, k) * base.scale[k]), rest, 1e-5);
    }
  }
}

TEST(Base, survives_a_file_and_is_one_program) {
  const Predictor predictor = fitted(over("quadratic", 0.75));
  const Predictor loaded = Predictor::from_bytes(predictor.to_bytes(), "memory");
  EXPECT_TRUE(same(loaded.predict(query_rows()), predictor.predict(query_rows())));
  EXPECT_EQ(loaded.options().base, "quadratic");
  EXPECT_EQ(loaded.options().share, 0.75);
  EXPECT_EQ(loaded.program(), predictor.program());
  EXPECT_TRUE(predictor.program().reads(Input::query));
  EXPECT_TRUE(predictor.program().reads(Input::anchor_output));
  EXPECT_FALSE(predictor.theorem()) << "no product of two embeddings";
}

TEST(Base, a_wrong_base_or_share_is_refused_before_the_fit) {
  const auto error_of = [](const FitOptions& options) -> std::string {
    try {
      check(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of(over("ridge", 0.5)), "");
  EXPECT_NE(error_of(over("mlp", 1)).find("linear, ridge, quadratic"), std::string::npos);
  EXPECT_NE(error_of(over("nothing", 1)).find("closed form"), std::string::npos);
  EXPECT_NE(error_of(over("ridge", 1.5)).find("share"), std::string::npos);
  FitOptions closed = over("ridge", 1);
  closed.model = "linear";
  EXPECT_NE(error_of(closed).find("trained model"), std::string::npos);
}

}  // namespace
}  // namespace kedge
