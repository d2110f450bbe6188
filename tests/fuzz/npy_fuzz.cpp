// Any bytes are a matrix that is written and read to itself, bit for bit, or an Error.

#include <cstring>
#include <sstream>

#include "kedge/table/npy.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace kedge;
  Matrix<double> matrix;
  if (!reads([&] { return parse_npy(text_of(bytes, size), "input"); }, matrix)) return 0;
  std::ostringstream out;
  write_npy(out, matrix);
  const Matrix<double> again = parse_npy(out.str(), "again");
  require(again.rows() == matrix.rows() && again.cols() == matrix.cols());
  require(std::memcmp(again.data(), matrix.data(), matrix.values().size() * sizeof(double)) == 0);
  return 0;
}
