#include "kedge/domains/laws/laws.h"

#include <algorithm>
#include <utility>

#include "kedge/core/find_named.h"
#include "kedge/core/rng.h"

namespace kedge {
namespace {

bool in_support(const Law& law, const std::vector<double>& x) {
  for (size_t k = 0; k < x.size(); ++k)
    if (x[k] < law.inputs[k].low || x[k] > law.inputs[k].high) return false;
  return true;
}

std::vector<double> draw(const Law& law, Split split, Rng& rng) {
  std::vector<double> x(law.inputs.size());
  do {
    std::transform(law.inputs.begin(), law.inputs.end(), x.begin(), [&](const LawInput& input) {
      return split == Split::oos ? rng.uniform(input.oos_low(), input.oos_high())
                                 : rng.uniform(input.low, input.high);
    });
  } while (split == Split::oos && in_support(law, x));
  return x;
}

Table sample(const Law& law, Split split, size_t rows, uint64_t seed) {
  std::vector<Column> columns;
  for (const LawInput& input : law.inputs)
    columns.push_back({.name = input.name, .role = Role::input, .values = {}, .words = {}});
  for (const LawOutput& output : law.outputs)
    columns.push_back({.name = output.name, .role = Role::output, .values = {}, .words = {}});
  for (size_t row = 0; row < rows; ++row) {
    const uint64_t splits = 4;  // one more than there are, for a power of two
    Rng rng(seed, Stream::laws, row * splits + static_cast<uint64_t>(split));
    const std::vector<double> x = draw(law, split, rng), y = law.value(x);
    for (size_t k = 0; k < x.size(); ++k) columns[k].values.push_back(x[k]);
    for (size_t k = 0; k < y.size(); ++k)
      columns[x.size() + k].values.push_back(y[k] + law.outputs[k].noise * rng.normal());
  }
  Table table(law.name);
  for (Column& column : columns) table.add(std::move(column));
  return table;
}

}  // namespace

const std::vector<Law>& all_laws() {
  static const std::vector<Law> laws = [] {
    std::vector<Law> all = curve_laws();
    for (Law& law : table_laws()) all.push_back(std::move(law));
    return all;
  }();
  return laws;
}

const Law& find_law(std::string_view name) { return find_named(all_laws(), name, "law", "a law"); }

std::vector<Domain> law_domains() {
  std::vector<Domain> domains;
  for (const Law& law : all_laws())
    domains.push_back(
        {.name = law.name,
         .title = law.title,
         .source = law.source,
         .sample = [&law](Split split, size_t rows, uint64_t seed) { return sample(law, split, rows, seed); },
         .same_unit = law.same_unit,
         .space = law.space,
         .fresh = true});
  return domains;
}

}  // namespace kedge
