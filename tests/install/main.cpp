#include <kedge/kedge.h>

#include <cstdio>

int main() {
  kedge::Table line("line");
  line.add({.name = "x", .role = kedge::Role::input, .values = {0, 1, 2, 3}, .words = {}});
  line.add({.name = "y", .role = kedge::Role::output, .values = {1, 3, 5, 7}, .words = {}});
  const auto predictor =
      kedge::fit({.table = line, .options = kedge::preset_options("default", "linear")}).predictor;
  const kedge::Matrix<double> outside(1, 1, std::vector<double>{5});
  std::printf("kedge %s: y(5) = %.4f\n", kedge::version().c_str(), predictor.predict(outside).y(0, 0));
}
