#include "cli/anchor_rows.h"

#include <algorithm>

#include "kedge/core/format.h"

namespace kedge {
namespace {

std::string with_commas(size_t number) {
  std::string digits = std::to_string(number);
  for (size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
  return digits;
}

}  // namespace

std::string anchor_rows_text(const Predictor& predictor) {
  if (predictor.anchor_rows() == predictor.training_rows()) return "";
  const std::string rows = fmt::format("{} of {} rows", with_commas(predictor.anchor_rows()),
                                       with_commas(predictor.training_rows()));
  const std::optional<double> stretch = predictor.anchor_stretch();
  if (!stretch) return rows;
  return fmt::format("{}; differences {:.0f} % farther than with all", rows, std::max(0.0, 100 * *stretch));
}

}  // namespace kedge
