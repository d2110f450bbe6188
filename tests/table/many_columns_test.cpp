// The work that many columns make: comparisons of text are counted, and twice the columns may need about
// twice as many.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>

#include "kedge/pairs/encoder.h"
#include "kedge/space/same_unit.h"
#include "kedge/table/csv.h"
#include "kedge/trials/fit.h"

namespace {
std::atomic<uint64_t> comparisons = 0;
}

#if defined(KEDGE_SANITIZED)
constexpr bool counts_comparisons = false;
#else
constexpr bool counts_comparisons = true;

// Takes the place of the C library's: the standard library compares strings by it.
extern "C" __attribute__((optimize("no-tree-loop-distribute-patterns"))) int memcmp(const void* a,
                                                                                    const void* b,
                                                                                    size_t size) noexcept {
  ++comparisons;
  const auto *left = static_cast<const unsigned char*>(a), *right = static_cast<const unsigned char*>(b);
  for (size_t i = 0; i < size; ++i)
    if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
  return 0;
}
#endif

namespace kedge {
namespace {

uint64_t comparisons_of(const std::function<void()>& action) {
  const uint64_t before = comparisons;
  action();
  return comparisons - before;
}

std::vector<std::string> names_of(size_t columns) {
  std::vector<std::string> names;
  for (size_t c = 0; c < columns; ++c) names.push_back(fmt::format("column{:06}", c));
  return names;
}

std::string csv_of(size_t columns) {
  std::string text = fmt::format("{},target\n", fmt::join(names_of(columns), ","));
  for (int r = 0; r < 3; ++r) {
    for (size_t c = 0; c < columns; ++c) text += fmt::format("{},", static_cast<double>(c) * r - r * r);
    text += fmt::format("{}\n", r);
  }
  return text;
}

/// `action` is made for a number of columns and then counted.
void expect_linear(const std::function<std::function<void()>(size_t)>& prepare) {
  if (!counts_comparisons) GTEST_SKIP() << "the sanitizer has its own memcmp";
  constexpr size_t columns = 2000;
  constexpr double most_growth = 2.6;
  const auto few = static_cast<double>(comparisons_of(prepare(columns)));
  const auto many = static_cast<double>(comparisons_of(prepare(2 * columns)));
  EXPECT_LT(many, most_growth * few + 1000);
}

TEST(ManyColumns, the_count_sees_a_search_through_a_list) {
  if (!counts_comparisons) GTEST_SKIP() << "the sanitizer has its own memcmp";
  const std::vector<std::string> names = names_of(100);
  EXPECT_GE(comparisons_of(
                [&] { EXPECT_EQ(std::find(names.begin(), names.end(), "column000099"), names.end() - 1); }),
            100u);
}

TEST(ManyColumns, are_found_by_name_without_a_search_through_all) {
  expect_linear([](size_t columns) {
    auto table = std::make_shared<Table>(parse_csv(csv_of(columns), "t.csv"));
    return [table, names = names_of(columns)] {
      for (const std::string& name : names) EXPECT_TRUE(table->has(name));
      EXPECT_EQ(table->matrix(names).cols(), names.size());
      table->assign(Role::ignored, names);
      EXPECT_EQ(table->select({2, 0}).column(names.back()).role, Role::ignored);
    };
  });
}

TEST(ManyColumns, are_read_and_chosen_without_a_search_through_all) {
  expect_linear([](size_t columns) {
    return [text = csv_of(columns), names = names_of(columns)] {
      const Table table = parse_csv(text, "t.csv", {.text = names, .only = names, .skip = {}});
      EXPECT_EQ(table.columns().size(), names.size());
    };
  });
}

TEST(ManyColumns, of_a_space_and_of_one_unit_are_parsed_without_a_search_through_all) {
  expect_linear([](size_t columns) {
    const std::vector<std::string> names = names_of(columns);
    const std::string units = fmt::format("{}", fmt::join(names, "+"));
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name + "=log";
    return [names, units, text] {
      const Spaces spaces = Spaces::parse(text, names, {"y"});
      EXPECT_EQ(SameUnit::parse(units, names, {"y"}, spaces).inputs.at(0).size(), names.size());
    };
  });
}

TEST(ManyColumns, are_fitted_and_predicted_without_a_search_through_all) {
  expect_linear([](size_t columns) {
    auto table = std::make_shared<Table>(parse_csv(csv_of(columns), "t.csv"));
    table->assign(Role::output, {"target"});
    return [table] {
      FitOptions options = preset_options("default", "nearest");
      options.calibration = Calibration::none;
      const FitResult fitted = fit({*table, options});
      EXPECT_EQ(fitted.predictor.predict(*table).y(1, 0), 1);
    };
  });
}

}  // namespace
}  // namespace kedge
