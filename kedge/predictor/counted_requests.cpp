#include "kedge/predictor/counted_requests.h"

#include <algorithm>
#include <optional>

#include "kedge/table/row_weights.h"

namespace kedge {
namespace {

/// The table that a fit counts, where it is another one.
std::optional<Table> counted_table(const FitRequest& request) {
  // Examples of pairs name rows of the whole table; with row weights they are refused.
  if (request.options.weights.source != WeightSource::none || !request.examples.empty()) return std::nullopt;
  try {
    return counted_rows(request.table);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

CountedRequests::CountedRequests(std::span<const FitRequest> given) : all_(given) {
  const auto has_weights = [](const FitRequest& request) {
    return !request.table.names(Role::weight).empty();
  };
  if (std::none_of(given.begin(), given.end(), has_weights)) return;
  for (const FitRequest& request : given) {
    std::optional<Table> counted = counted_table(request);
    if (counted)
      own_.push_back(
          {tables_.emplace_back(std::move(*counted)), request.options, request.examples, request.validation});
    else
      own_.push_back(request);
  }
  all_ = own_;
}

}  // namespace kedge
