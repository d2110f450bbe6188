#pragma once

// Number: a double as text, in the form CSV cells use (no locale, no thousands).

#include <string_view>

#include "kedge/table/csv_format.h"

namespace kedge {

enum class NumberFault { none, empty, not_a_number, too_large };

/// Reads the whole of `text`, less spaces and tabs around it, into `value`. A number too small for a double
/// reads as zero of its sign; on a fault `value` is unspecified.
NumberFault parse_number(std::string_view text, double& value, Decimal decimal = Decimal::point);

/// `text` less the spaces and tabs around it.
std::string_view trimmed(std::string_view text);

}  // namespace kedge
