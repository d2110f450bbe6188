#pragma once

// A program around each op, for tests that look at one op at a time.

#include <string>
#include <vector>

#include "kedge/nn/program.h"

namespace kedge {

inline constexpr int op_features = 3, op_outputs = 2, op_hidden = 4;

inline int query_input() { return Program::input(Input::query); }
inline int delta_input() { return Program::input(Input::delta); }

/// The op of a case over v, a value with a gradient of `op_hidden` numbers; w is another such value.
struct OpCase {
  std::string name;
  int (*append)(Program& p, int v, int w);
};

inline const std::vector<OpCase> op_cases = {
    {"dense", [](Program& p, int v, int) { return p.dense(v, 5, Activation::none); }},
    {"dense_relu", [](Program& p, int v, int) { return p.dense(v, 5, Activation::relu); }},
    {"dense_sin_pi", [](Program& p, int v, int) { return p.dense(v, 5, Activation::sin_pi); }},
    {"add", [](Program& p, int v, int w) { return p.add(v, w); }},
    {"subtract", [](Program& p, int v, int w) { return p.subtract(v, w); }},
    {"subtract_the_other_way", [](Program& p, int v, int w) { return p.subtract(w, v); }},
    {"subtract_from_itself", [](Program& p, int v, int) { return p.subtract(v, v); }},
    {"subtract_input",
     [](Program& p, int v, int) {
       return p.subtract(v, p.concat(delta_input(), p.select(query_input(), {1})));
     }},
    {"dense_shared",
     [](Program& p, int v, int w) {
       const int one = p.dense(v, 5, Activation::relu);
       return p.subtract(one, p.dense_like(one, w, Activation::sin_pi));
     }},
    {"dense_shared_by_three_over_one_value",
     [](Program& p, int v, int w) {
       const int one = p.dense(v, 5, Activation::none);
       return p.add(p.dense_like(one, v, Activation::sin_pi), p.dense_like(one, w, Activation::relu));
     }},
    {"dense_shared_behind_itself",
     [](Program& p, int v, int) {
       const int one = p.dense(v, op_hidden, Activation::sin_pi);
       return p.dense_like(one, one, Activation::none);
     }},
    {"add_to_itself", [](Program& p, int v, int) { return p.add(v, v); }},
    {"add_input",
     [](Program& p, int v, int) { return p.add(v, p.concat(delta_input(), p.select(query_input(), {1}))); }},
    {"concat", [](Program& p, int v, int w) { return p.concat(v, w); }},
    {"concat_with_itself", [](Program& p, int v, int) { return p.concat(v, v); }},
    {"concat_behind_input", [](Program& p, int v, int) { return p.concat(delta_input(), v); }},
    {"concat_before_input", [](Program& p, int v, int) { return p.concat(v, delta_input()); }},
    {"select_with_repeats",
     [](Program& p, int v, int) {
       return p.select(v, {3, 0, 3, 3, 1});
     }},
    {"bilinear", [](Program& p, int v, int w) { return p.bilinear(v, w, 2); }},
    {"bilinear_of_rank_1", [](Program& p, int v, int w) { return p.bilinear(v, w, op_hidden); }},
    {"bilinear_with_itself", [](Program& p, int v, int) { return p.bilinear(v, v, 2); }},
    {"bilinear_with_input",
     [](Program& p, int v, int) {
       return p.bilinear(v, p.concat(delta_input(), p.select(query_input(), {0})), 2);
     }},
    {"bilinear_behind_input",
     [](Program& p, int v, int) {
       return p.bilinear(p.concat(delta_input(), p.select(query_input(), {0})), v, 2);
     }},
    {"quadratic", [](Program& p, int v, int) { return p.quadratic(v); }},
};

enum class Readers { the_op_alone, another_after_it, another_before_it };

/// dense -> op -> dense; with another reader of v, whose gradient then is a sum, in either order.
inline Program between_dense_ops(const OpCase& c, Readers readers) {
  Program p(op_features, op_outputs);
  const int v = p.dense(query_input(), op_hidden, Activation::sin_pi);
  const int w = p.dense(delta_input(), op_hidden, Activation::none);
  if (readers == Readers::the_op_alone) {
    p.dense(c.append(p, v, w), op_outputs, Activation::none);
  } else if (readers == Readers::another_after_it) {
    const int u = c.append(p, v, w);
    p.dense(p.concat(u, p.bilinear(v, w, 1)), op_outputs, Activation::none);
  } else {
    const int other = p.bilinear(w, v, 1);
    p.dense(p.concat(c.append(p, v, w), other), op_outputs, Activation::none);
  }
  return p;
}

}  // namespace kedge
