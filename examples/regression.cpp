// Fits a function on [20, 40] and predicts it on [10, 20) and (40, 50], where no training row lies.
// A table of your own comes from kedge::read_csv("train.csv"); table.assign(kedge::Role::output, {"y"}).

#include <kedge/kedge.h>

#include <cmath>
#include <cstdio>

int main() {
  try {
    const kedge::Domain& domain = kedge::find_domain("equivariant");
    const kedge::Table train = domain.sample(kedge::Split::train, 1000, 1);
    const kedge::Table outside = domain.sample(kedge::Split::oos, 200, 1);

    kedge::FitOptions options = kedge::preset_options("default", "bilinear");
    options.architecture.fourier = kedge::Fourier::on;
    options.training.steps = 10000;
    const kedge::Predictor predictor = kedge::fit({.table = train, .options = options}).predictor;
    const kedge::Predictions predictions = predictor.predict(outside);

    const auto& x = train.column("x").values;
    const auto& query = outside.column("x").values;
    const auto& truth = outside.column("y").values;
    std::printf("%8s %8s %8s   %s\n", "x", "y", "true y", "because");
    double squares = 0;
    for (size_t row = 0; row < predictions.rows(); ++row) {
      const double y = predictions.y(row, 0);
      squares += (y - truth[row]) * (y - truth[row]);
      if (row >= 8) continue;
      const auto at = [&](const std::vector<int64_t>& rows) { return x[static_cast<size_t>(rows[row])]; };
      std::printf("%8.3f %8.3f %8.3f   it is to the anchor %.3f as %.3f is to %.3f\n", query[row], y,
                  truth[row], at(predictions.anchor), at(predictions.analog_query),
                  at(predictions.analog_anchor));
    }
    std::printf("root mean square error %.3f\n",
                std::sqrt(squares / static_cast<double>(predictions.rows())));
  } catch (const kedge::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
