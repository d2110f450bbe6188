// Any bytes are a model that answers queries, and the same after it was saved and loaded, or an Error. All
// that `kedge info` computes of a model is computed too.

#include <string>

#include "kedge/predictor/predictor.h"
#include "tests/fuzz/fuzz.h"
#include "tests/predictor/fitted.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace kedge;
  std::optional<Predictor> model;
  if (!reads([&] { return Predictor::from_bytes(text_of(bytes, size), "input"); }, model)) return 0;
  Matrix<double> queries(3, model->inputs().size());
  for (size_t i = 0; i < queries.cols(); ++i) {
    queries(0, i) = 1;
    queries(1, i) = static_cast<double>(i) + 0.5;
    queries(2, i) = 1e6;
  }
  std::optional<Predictions> answers;
  const auto answer = [&](const Predictor& one) { return one.predict(queries, {.threads = 1}); };
  if (!reads([&] { return answer(*model); }, answers)) return 0;
  const Predictor again = Predictor::from_bytes(model->to_bytes(), "again");
  require(same(*answers, answer(again)));
  return 0;
}
