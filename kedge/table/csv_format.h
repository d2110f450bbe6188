#pragma once

// CsvFormat: how a CSV file writes its table. The signs are recognised from the first records of the file;
// what a user tells counts first.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/core/names.h"

namespace kedge {

enum class Separator { comma, semicolon, tab };
enum class Decimal { point, comma };
enum class Header { yes, no };

constexpr auto names_of(Separator) {
  return std::to_array<Named<Separator>>(
      {{Separator::comma, "comma"}, {Separator::semicolon, "semicolon"}, {Separator::tab, "tab"}});
}
constexpr auto names_of(Decimal) {
  return std::to_array<Named<Decimal>>({{Decimal::point, "point"}, {Decimal::comma, "comma"}});
}
constexpr auto names_of(Header) {
  return std::to_array<Named<Header>>({{Header::yes, "yes"}, {Header::no, "no"}});
}

constexpr char sign_of(Separator separator) {
  return separator == Separator::comma ? ',' : separator == Separator::semicolon ? ';' : '\t';
}

struct CsvFormat {
  Separator separator = Separator::comma;
  Decimal decimal = Decimal::point;
  Header header = Header::yes;  ///< without one the columns are x0, x1, ...

  bool operator==(const CsvFormat&) const = default;
};

/// What is known before the file is read.
struct CsvSigns {
  std::optional<Separator> separator = {};
  std::optional<Decimal> decimal = {};
  std::optional<Header> header = {};
};

/// The format of a text, or of its first records when they are whole. `told` is not questioned. `known`, that
/// of an earlier file, decides where the text does not. Throws Error where numbers such as 1,234 could be
/// read in two ways and nothing decides.
CsvFormat recognise_csv(std::string_view text, const std::string& source, const CsvSigns& told = {},
                        const std::optional<CsvFormat>& known = {});

/// A sentence for each choice that differs from `usual`: "columns are separated by semicolons".
std::vector<std::string> differences(const CsvFormat& format, const CsvFormat& usual = {});

}  // namespace kedge
