#pragma once

// OutputSpace: on which scale outputs are learned. A plain output is its own canonical number; one on a log
// scale is positive, and its logarithm is. Means and deviations are taken of canonical numbers, so an error
// on a log scale is one in percent.

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/space/space.h"

namespace kedge {

class OutputSpace {
 public:
  /// Every output is plain.
  OutputSpace() = default;
  explicit OutputSpace(std::vector<bool> on_log_scale);

  bool is_plain() const { return on_log_scale_.empty(); }
  bool is_log(size_t output) const { return !is_plain() && on_log_scale_[output]; }

  /// Of a value, which is positive on a log scale; and back.
  double canonical(size_t output, double value) const { return is_log(output) ? std::log(value) : value; }
  double value(size_t output, double canonical) const {
    return is_log(output) ? std::exp(canonical) : canonical;
  }
  Matrix<double> canonical(MatrixView<const double> values) const;
  /// How much a value changes when its canonical number changes by a little, for each unit of that.
  double slope(size_t output, double value) const { return is_log(output) ? value : 1; }

  /// Those on a log scale as Spaces::parse reads them.
  std::string text(const std::vector<std::string>& outputs) const;

  bool operator==(const OutputSpace&) const = default;

 private:
  std::vector<bool> on_log_scale_;  ///< empty when every output is plain
};

/// The spaces of inputs and outputs as users write them in one text, see Space::parse. An output is `vector`
/// or `log`.
struct Spaces {
  Space inputs;
  OutputSpace outputs;

  /// Throws Error as Space::parse does, and on outputs of other kinds.
  static Spaces parse(const std::string& text, const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs);
};

}  // namespace kedge
