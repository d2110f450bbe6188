// Any table is example pairs of a training table of ten rows, each with a weight, or an Error.

#include "kedge/table/csv.h"
#include "kedge/weights/pair_examples.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace kedge;
  constexpr size_t rows = 10;
  PairExamples examples;
  if (!reads([&] { return read_pair_examples(parse_csv(text_of(bytes, size), "input"), rows); }, examples))
    return 0;
  require(!examples.empty() && examples.weights.size() == examples.pairs.size());
  for (const Pair& pair : examples.pairs)
    require(pair.query < rows && pair.anchor < rows && pair.query != pair.anchor);
  for (const float weight : examples.weights) require(weight == 0 || weight == 1);
  return 0;
}
