#include <gtest/gtest.h>

#include <cmath>

#include "kedge/core/error.h"
#include "tests/predictor/fitted.h"

namespace kedge {
namespace {

/// y = x z of a space whose second column is a logarithm.
Table products() {
  Table table("products");
  Column x{.name = "x", .role = Role::input, .values = {}, .words = {}};
  Column z = x, y = x;
  z.name = "z";
  y.name = "y";
  y.role = Role::output;
  for (int r = 0; r < 12; ++r) {
    x.values.push_back(r);
    z.values.push_back(1 + r % 5);
    y.values.push_back(x.values.back() * z.values.back());
  }
  for (Column* column : {&x, &z, &y}) table.add(*column);
  return table;
}

Predictor fitted_products(const std::string& model = "ridge") {
  FitOptions options = quick_options(model);
  options.context.clear();
  options.space = "z=log";
  return fit_model({products(), options}).predictor;
}

TEST(BadRows, are_refused_unless_they_are_to_be_marked) {
  const Predictor predictor = fitted_products("bilinear");
  const Matrix<double> rows(4, 2, std::vector<double>{1, 2, NAN, 2, 3, -1, 4, 3});
  EXPECT_THROW(predictor.predict(rows.view()), Error);
  const Predictions marked = predictor.predict(rows.view(), {.bad_rows = BadRows::mark});
  ASSERT_EQ(marked.rows(), 4u);
  ASSERT_EQ(marked.note.size(), 4u);
  EXPECT_EQ(marked.note[0], "");
  EXPECT_EQ(marked.note[1], "x is nan: no finite number");
  EXPECT_NE(marked.note[2].find("log needs a positive finite number; column \"z\" holds -1"),
            std::string::npos)
      << marked.note[2];
  for (const size_t bad : {1u, 2u}) {
    EXPECT_EQ(marked.verdict[bad], Verdict::undetermined);
    EXPECT_TRUE(std::isnan(marked.y(bad, 0)));
    EXPECT_TRUE(std::isnan(marked.spread[bad]));
    EXPECT_EQ(marked.anchor[bad], Predictions::none);
  }
  const Predictions good = predictor.predict(Matrix<double>(2, 2, std::vector<double>{1, 2, 4, 3}).view());
  EXPECT_TRUE(good.note.empty());
  EXPECT_EQ(marked.y(0, 0), good.y(0, 0));
  EXPECT_EQ(marked.y(3, 0), good.y(1, 0));
  EXPECT_EQ(marked.anchor[3], good.anchor[1]);
  EXPECT_EQ(marked.support_distance[3], good.support_distance[1]);
}

TEST(BadRows, may_be_all_rows_or_none) {
  const Predictor predictor = fitted_products();
  const Predictions all = predictor.predict(
      Matrix<double>(2, 2, std::vector<double>{1, 0, INFINITY, 1}).view(), {.bad_rows = BadRows::mark});
  EXPECT_EQ(all.rows(), 2u);
  EXPECT_FALSE(all.note[0].empty() || all.note[1].empty());
  const Predictions none =
      predictor.predict(Matrix<double>(1, 2, std::vector<double>{1, 1}).view(), {.bad_rows = BadRows::mark});
  EXPECT_TRUE(none.note.empty());
}

TEST(BadRows, leave_the_other_rows_their_given_anchors) {
  const Predictor predictor = fitted_products("bilinear");
  const std::vector<uint32_t> anchors = {3, 5, 7};
  const Predictions marked =
      predictor.predict(Matrix<double>(3, 2, std::vector<double>{1, 2, 1, -2, 4, 3}).view(),
                        {.anchor_rows = anchors, .bad_rows = BadRows::mark});
  EXPECT_EQ(marked.anchor, (std::vector<int64_t>{3, Predictions::none, 7}));
}

TEST(PredictorIntake, is_kept_in_the_file_and_only_where_there_is_one) {
  Predictor predictor = fitted_products();
  const std::string plain = predictor.to_bytes();
  EXPECT_EQ(plain.find("intake"), std::string::npos);
  EXPECT_TRUE(Predictor::from_bytes(plain, "m").intake().is_empty());
  const Intake intake{.format = {.separator = Separator::semicolon},
                      .columns = {{.name = "x", .fill = 3.0}, {.name = "z"}},
                      .constants = {"k"}};
  predictor.set_intake(intake);
  EXPECT_EQ(Predictor::from_bytes(predictor.to_bytes(), "m").intake(), intake);
  EXPECT_EQ(predictor.faults(products()).size(), 0u);
}

TEST(PredictorIntake, that_does_not_make_the_inputs_is_a_damaged_file) {
  Predictor predictor = fitted_products();
  predictor.set_intake({.columns = {{.name = "x"}, {.name = "w"}}});
  try {
    Predictor::from_bytes(predictor.to_bytes(), "m.kedge");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no column of a file becomes \"z\""), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace kedge
