#include "kedge/trials/variants.h"

#include <algorithm>

#include "kedge/table/row_weights.h"

namespace kedge {
namespace {

constexpr double two_decades = 100, several = 3;
constexpr size_t most_variants = 4;
constexpr double helps = 0.8;

/// Inputs without a group of their own whose logarithms may be what counts.
std::vector<std::string> wide_inputs(const Table& table, const FitOptions& options) {
  const std::vector<std::string> inputs = table.names(Role::input);
  std::vector<std::string> wide;
  const Space space = Spaces::parse(options.space, inputs, table.names(Role::output)).inputs;
  for (const Group& group : space.groups()) {
    if (group.kind != GroupKind::vector) continue;
    const std::string& name = inputs[static_cast<size_t>(group.columns.front())];
    std::vector<double> values = table.column(name).values;
    std::sort(values.begin(), values.end());
    // Even numbers from 0 up have a few small ones too.
    const size_t aside = values.size() / 20;
    if (values[0] > 0 && values[values.size() - 1 - aside] > two_decades * values[aside])
      wide.push_back(name);
  }
  return wide;
}

/// Positive outputs of which the largest tenth is several times the smallest.
std::vector<std::string> wide_outputs(const Table& table, const FitOptions& options) {
  const std::vector<std::string> outputs = table.names(Role::output);
  const OutputSpace space = Spaces::parse(options.space, table.names(Role::input), outputs).outputs;
  std::vector<std::string> wide;
  for (size_t k = 0; k < outputs.size(); ++k) {
    std::vector<double> values = table.column(outputs[k]).values;
    std::sort(values.begin(), values.end());
    const size_t aside = values.size() / 10;
    if (!space.is_log(k) && values[0] > 0 && values[values.size() - 1 - aside] > several * values[aside])
      wide.push_back(outputs[k]);
  }
  return wide;
}

std::string logarithms_of(const std::vector<std::string>& names) {
  std::vector<Group> groups;
  for (size_t c = 0; c < names.size(); ++c)
    groups.push_back({.kind = GroupKind::log, .columns = {static_cast<int>(c)}});
  return Space(std::move(groups)).text(names);
}

}  // namespace

std::string joined_space(const std::string& space, const std::string& addition) {
  return space.empty() ? addition : space + "," + addition;
}

std::vector<Variant> variants_of(const Table& table, const FitOptions& options) {
  std::vector<Variant> variants;
  const auto add = [&](const std::string& space) {
    if (variants.size() == most_variants) return;
    variants.push_back({space, options});
    variants.back().options.space = joined_space(options.space, space);
  };
  const std::vector<std::string> wide = wide_inputs(table, options), outputs = wide_outputs(table, options);
  if (!outputs.empty()) {
    std::vector<std::string> all = wide;
    all.insert(all.end(), outputs.begin(), outputs.end());
    add(logarithms_of(outputs));
    if (!wide.empty()) add(logarithms_of(all));
  }
  if (wide.size() > 1) add(logarithms_of(wide));
  for (const std::string& name : wide) add(logarithms_of({name}));
  return variants;
}

std::vector<VariantScore> try_variants(const Table& given, const CrossValidation& found,
                                       const CrossValidationOptions& options, const RunOptions& run) {
  const std::optional<Table> counted = counted_rows(given);
  const Table& table = counted ? *counted : given;
  std::vector<Variant> variants;
  for (const ModelScore& score : found.models) {
    const bool is_tried = score.name() == found.recommendation.model || score.model() == "linear" ||
                          score.model() == "quadratic";
    if (!is_tried || !score.failure.empty()) continue;
    for (Variant& variant : variants_of(table, score.options)) variants.push_back(std::move(variant));
  }
  if (variants.empty()) return {};
  std::vector<ModelScore> scores(variants.size());
  for (size_t v = 0; v < variants.size(); ++v) scores[v].options = variants[v].options;
  if (score_all(table, scores, options, run) == TrainStatus::stopped) return {};
  std::vector<VariantScore> tried;
  for (size_t v = 0; v < variants.size(); ++v) tried.push_back({variants[v], std::move(scores[v])});
  return tried;
}

std::optional<VariantScore> best_variant(const std::vector<VariantScore>& scores, const ModelScore& without) {
  const VariantScore* best = nullptr;
  for (const VariantScore& one : scores)
    if (one.score.out.mean <= helps * without.out.mean &&
        (!best || one.score.out.mean < best->score.out.mean))
      best = &one;
  return best ? std::optional(*best) : std::nullopt;
}

}  // namespace kedge
