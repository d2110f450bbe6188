#include "kedge/space/output_space.h"

#include <algorithm>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/name_index.h"
#include "kedge/core/shown.h"
#include "kedge/table/column_text.h"

namespace kedge {

OutputSpace::OutputSpace(std::vector<bool> on_log_scale) {
  if (std::find(on_log_scale.begin(), on_log_scale.end(), true) != on_log_scale.end())
    on_log_scale_ = std::move(on_log_scale);
}

Matrix<double> OutputSpace::canonical(MatrixView<const double> values) const {
  Matrix<double> numbers(values.rows(), values.cols());
  for (size_t r = 0; r < values.rows(); ++r)
    for (size_t k = 0; k < values.cols(); ++k) numbers(r, k) = canonical(k, values(r, k));
  return numbers;
}

std::string OutputSpace::text(const std::vector<std::string>& outputs) const {
  std::vector<std::string> items;
  for (size_t k = 0; k < outputs.size(); ++k)
    if (is_log(k)) items.push_back(escape_name(outputs[k]) + "=log");
  return fmt::format("{}", fmt::join(items, ","));
}

Spaces Spaces::parse(const std::string& text, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs) {
  if (text.empty()) return {Space::parse(text, inputs), {}};
  const NameIndex places(outputs);
  std::vector<bool> on_log_scale(outputs.size()), named(outputs.size());
  std::vector<std::string> of_inputs;
  for (const std::string& item : split_text(text, ',')) {
    const std::vector<std::string> sides = split_text(item, '=');
    const std::optional<size_t> output = places.find(unescape_name(sides[0]));
    if (sides.size() != 2 || !output) {
      of_inputs.push_back(item);
      continue;
    }
    if (sides[1] != "log" && sides[1] != "vector")
      throw Error("space", fmt::format("an output is vector or log; found {}; leave it out", shown(item)));
    if (named[*output])
      throw Error("space", fmt::format("each column belongs to one group; found {} twice in {}; name it once",
                                       shown(outputs[*output]), shown(text)));
    named[*output] = true;
    on_log_scale[*output] = sides[1] == "log";
  }
  return {Space::parse(fmt::format("{}", fmt::join(of_inputs, ",")), inputs),
          OutputSpace(std::move(on_log_scale))};
}

}  // namespace kedge
