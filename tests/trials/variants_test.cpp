#include "kedge/trials/variants.h"

#include <gtest/gtest.h>

#include "tests/predictor/fitted.h"

namespace kedge {
namespace {

/// y = log10(dose) + x; dose spans four decades.
Table doses() {
  Rng rng(5, Stream::domain);
  std::vector<double> dose, x, y;
  for (int r = 0; r < 80; ++r) {
    dose.push_back(std::pow(10, rng.uniform(-2, 2)));
    x.push_back(rng.uniform(1, 5));
    y.push_back(std::log10(dose.back()) + x.back());
  }
  Table table("doses");
  table.add(column("dose", Role::input, dose));
  table.add(column("x", Role::input, x));
  table.add(column("y", Role::output, y));
  return table;
}

ModelScore scored(double out) {
  ModelScore score;
  score.out = {out, 0};
  return score;
}

TEST(Variants, take_logarithms_of_positive_inputs_of_more_than_two_decades_alone) {
  const std::vector<Variant> found = variants_of(doses(), {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].space, "dose=log");
  EXPECT_EQ(found[0].options.space, "dose=log");
  FitOptions angle;
  angle.space = "x=angle";
  EXPECT_EQ(variants_of(doses(), angle)[0].options.space, "x=angle,dose=log");
  FitOptions done;
  done.space = "dose=log";
  EXPECT_TRUE(variants_of(doses(), done).empty());
  EXPECT_TRUE(variants_of(training_table(), {}).empty());
}

TEST(Variants, of_several_wide_inputs_are_all_together_and_each_but_no_more_than_four) {
  Table table = doses();
  for (const char* name : {"a+b", "c", "d", "e"})
    table.add(column(name, Role::input, table.column("dose").values));
  const std::vector<Variant> found = variants_of(table, {});
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].space, "dose=log,a\\+b=log,c=log,d=log,e=log");
  EXPECT_EQ(found[2].space, "a\\+b=log");
}

TEST(Variants, are_scored_on_the_shells_of_the_model_without_and_win_where_logarithms_count) {
  const CrossValidationOptions options{.models = {"linear"}};
  const CrossValidation plain = cross_validate(doses(), {}, options, {.threads = 1});
  const std::vector<VariantScore> scores = try_variants(doses(), plain, options, {.threads = 1});
  ASSERT_EQ(scores.size(), 1u);
  EXPECT_EQ(scores[0].score.model(), "linear");
  EXPECT_EQ(scores[0].score.shells.size(), options.shells.size());
  constexpr double exact = 1e-4;
  EXPECT_LT(scores[0].score.out.mean, exact);
  const auto best = best_variant(scores, plain.score("linear"));
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->variant.space, "dose=log");
}

TEST(Variants, help_only_when_they_take_away_a_fifth_of_the_error) {
  const auto helps = [](double with, double without) {
    return best_variant({{.variant = {}, .score = scored(with)}}, scored(without)).has_value();
  };
  EXPECT_TRUE(helps(0.32, 0.4));
  EXPECT_FALSE(helps(0.33, 0.4));
  EXPECT_FALSE(helps(std::nan(""), 0.4));
  EXPECT_FALSE(best_variant({}, scored(0.4)).has_value());
  const auto best =
      best_variant({{{"a=log", {}}, scored(0.2)}, {{"b=log", {}}, scored(0.1)}, {{"c=log", {}}, scored(0.3)}},
                   scored(0.4));
  EXPECT_EQ(best->variant.space, "b=log");
}

TEST(Variants, texts_of_spaces_are_joined_by_a_comma_where_both_are_there) {
  EXPECT_EQ(joined_space("", "a=log"), "a=log");
  EXPECT_EQ(joined_space("b=angle", "a=log"), "b=angle,a=log");
}

}  // namespace
}  // namespace kedge
