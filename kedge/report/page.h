#pragma once

// Page: one HTML document that can be mailed, archived or opened from a disk: text, tables and charts, with
// everything it needs inside it. No script, no network, light and dark.
//
// Laws: the document is well-formed XML too; ids are unique; it ends with where it came from, so a number on
// it can be made again. The same page gives the same text: no clock is read.

#include <cstdint>
#include <string>
#include <string_view>
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

/// Prose: what stands between two ` is code, as a command.
struct Paragraph {
  std::string text{};
};

/// Sentences one below the other, prose too, as steps to take.
struct ItemList {
  std::vector<std::string> items{};
};

using SectionPart = std::variant<Paragraph, ItemList, TextTable, Figure>;

struct Section {
  std::string heading{};  ///< the list of sections has what stands before its first ": "
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
  std::string conclusion{};  ///< what the page says, in a sentence or two; prose
  std::string intro{};       ///< prose
  std::vector<Section> sections{};
  Provenance provenance{};
};

/// Prose for a terminal: ' in place of `.
std::string plain_prose(std::string_view prose);

/// The whole document. Throws Error where a chart or a table does.
std::string to_html(const Page& page);

}  // namespace kedge
