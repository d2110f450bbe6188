#pragma once

// Page: one HTML document that can be mailed, archived or opened from a disk: text, tables and charts, with
// everything it needs inside it. No script, no network, light and dark.
//
// Laws: the document is well-formed XML too; ids are unique; it ends with where it came from, so a number on
// it can be made again. The same page gives the same text: no clock is read.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kedge/report/svg.h"
#include "kedge/report/tables.h"

namespace kedge {

/// One chart, or several side by side. Several that name the same series in the same order get one legend.
struct Figure {
  std::vector<Chart> charts{};
  std::string caption{};
};

struct Paragraph {
  std::string text{};
};

using SectionPart = std::variant<Paragraph, TextTable, Figure>;

struct Section {
  std::string heading{};
  std::vector<SectionPart> parts{};
};

/// Where the numbers come from. Empty fields are left out.
struct Provenance {
  std::string command{};
  std::string version{};
  std::string machine{};
  std::vector<uint64_t> seeds{};
};

struct Page {
  std::string title{};
  std::string intro{};
  std::vector<Section> sections{};
  Provenance provenance{};
};

/// The whole document. Throws Error where a chart or a table does.
std::string to_html(const Page& page);

}  // namespace kedge
