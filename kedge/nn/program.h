#pragma once

// Program: a model's formula, as a short static list of ops over four inputs.
//
// Values are numbered: 0 ... 3 are the inputs, 4 + i is what op i computes; an op reads only values before
// its own, and the last op's value is the prediction. A baseline is a program that does not read the anchor.
// Programs are plain data: they are stored in the model file and run by any engine.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kedge/core/names.h"

namespace kedge {

/// What a program may read. Query, anchor and delta hold features; anchor_output the anchor's own label.
enum class Input { query = 0, anchor = 1, delta = 2, anchor_output = 3 };
inline constexpr int input_count = 4;

enum class OpKind {
  dense,      ///< activation(W x + b), the only op with parameters
  add,        ///< sum of its operands
  subtract,   ///< its first operand minus its second
  concat,     ///< its operands one after the other
  select,     ///< some features of its operand
  bilinear,   ///< y_k = <f_k, g_k>: segments of length rank of its two operands (paper, equation 3.5)
  quadratic,  ///< x, then all products x_i x_j, i <= j
};

enum class Activation { none, relu, sin_pi };

/// How a dense op's parameters start: uniform in +-1/sqrt(fan in), or an orthogonal matrix with zero bias.
enum class Init { uniform, orthogonal };
constexpr auto names_of(Init) {
  return std::to_array<Named<Init>>({{Init::uniform, "uniform"}, {Init::orthogonal, "orthogonal"}});
}

struct Op {
  OpKind kind = OpKind::dense;
  std::vector<int> from;                     ///< values read
  int width = 0;                             ///< features of the value computed
  Activation activation = Activation::none;  ///< dense only
  Init init = Init::uniform;                 ///< dense only
  double init_scale = 1;                     ///< dense only: multiplies the initial weights
  std::vector<int> columns = {};             ///< select only: features taken
  int shares = -1;                           ///< dense only: the op whose W and b it uses; -1: its own
  bool operator==(const Op&) const = default;
};

/// Widths a program is built for.
struct Shape {
  int features = 0;  ///< of query, anchor and delta
  int outputs = 0;
  std::vector<int> context;  ///< features of the columns named as context (a goal, a mass)
};

/// What a program may compute. Ops with parameters are bounded by those, which a file has to hold. The others
/// (all kinds but dense, and dense ops that share) could grow without end.
struct ProgramLimits {
  static constexpr size_t ops = 1000;
  static constexpr int features = 1 << 20;
  static constexpr int width = 1 << 17;                 ///< of an op
  static constexpr int64_t weights = int64_t{1} << 28;  ///< of one dense op
  /// Ops without parameters of their own compute together at most `free_share` numbers for each feature and
  /// output, and one for each parameter; at least `fewest_free` and at most `most_free` of the latter.
  static constexpr int64_t free_share = 4, fewest_free = 1 << 12, most_free = 1 << 17;
  /// Dense ops that share use parameters at most this many times as many as there are.
  static constexpr int64_t sharing = 16;
};

class Program {
 public:
  Program(int features, int outputs) : features_(features), outputs_(outputs) {}

  int features() const { return features_; }
  int outputs() const { return outputs_; }
  const std::vector<Op>& ops() const { return ops_; }

  /// Width of a value.
  int width(int value) const;
  /// Whether any op reads this input.
  bool reads(Input input) const;
  /// Whether a prediction needs an anchor at all.
  bool uses_anchor() const {
    return reads(Input::anchor) || reads(Input::delta) || reads(Input::anchor_output);
  }

  /// Number of parameters: for each dense op in order that shares no other's W (row-major, [out][in]), then
  /// b.
  size_t parameters() const;

  // Builders: each appends one op and returns the number of its value.
  static int input(Input i) { return static_cast<int>(i); }
  int dense(int from, int width, Activation activation, Init init = Init::uniform, double init_scale = 1);
  /// activation(W x + b) with the W and b of the dense op that computes `value`.
  int dense_like(int value, int from, Activation activation);
  int add(int a, int b);
  int subtract(int a, int b);
  int concat(int a, int b);
  int select(int from, std::vector<int> columns);
  int bilinear(int f, int g, int outputs);
  int quadratic(int from);
  /// All ops of another program, which read these values in place of its inputs; returns the number of its
  /// prediction. Where `like` is the first op of an earlier copy, they use that copy's parameters.
  int embed(const Program& other, const std::array<int, input_count>& inputs, int like = -1);

  /// The program that ends in this op's value: its ops are the first ones of this program, so its parameters
  /// are the first of this program's. Throws Error when the value is not an op's, or when the anchor's
  /// output, which is as wide as a program's own, is read on the way to a value of another width.
  Program prefix(int value) const;

  /// Throws Error unless every op is lawful, the last one gives `outputs` numbers and what the ops compute
  /// without parameters of their own is within ProgramLimits.
  void check() const;

  std::string to_json() const;
  /// Throws Error on anything `check` or the format forbids, and on an op whose value nobody reads.
  static Program from_json(const std::string& text);

  bool operator==(const Program&) const = default;

 private:
  int append(Op op);
  void check_sharing(size_t op) const;
  void check_free_work() const;
  void check_all_read() const;

  int features_ = 0;
  int outputs_ = 0;
  std::vector<Op> ops_;
};

}  // namespace kedge
