// Texts that users write of columns, and rules of anchors. The first line is the text, the others name
// columns, the last of them an output.

#include <sstream>
#include <vector>

#include "kedge/anchors/anchors.h"
#include "kedge/space/same_unit.h"
#include "kedge/space/space.h"
#include "kedge/table/column_text.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace kedge;
  std::istringstream lines{std::string(text_of(bytes, size))};
  std::string text, name;
  std::getline(lines, text);
  std::vector<std::string> inputs, outputs;
  while (std::getline(lines, name)) {
    require(unescape_name(escape_name(name)) == name);
    inputs.push_back(name);
  }
  if (inputs.size() > 1) {
    outputs.push_back(inputs.back());
    inputs.pop_back();
  }
  std::string joined;
  for (const std::string& piece : split_text(text, ',')) joined += (joined.empty() ? "" : ",") + piece;
  require(joined == text || text.starts_with(','));
  Space space;
  if (reads([&] { return Space::parse(text, inputs); }, space))
    require(Space::parse(space.text(inputs), inputs) == space);
  SameUnit units;
  const Spaces plain{Space::euclidean(int(inputs.size())), {}};
  reads([&] { return SameUnit::parse(text, inputs, outputs, plain); }, units);
  AnchorOptions rule;
  if (reads([&] { return parse_anchors(text); }, rule))
    require(to_text(parse_anchors(to_text(rule))) == to_text(rule));
  return 0;
}
