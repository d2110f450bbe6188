#pragma once

// Engine: runs a program on R replicas, parameter sets of the same program trained side by side.
//
// Laws: replica r's parameters after any number of steps depend on (program, source, options, seed r) only,
// not on the other replicas nor on the number of threads. `forward` is const and safe from many threads; the
// output of a row does not depend on the other rows of the call.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/core/parallel.h"
#include "kedge/nn/adam.h"
#include "kedge/nn/program.h"
#include "kedge/pairs/batch.h"

namespace kedge {

struct TrainOptions {
  AdamOptions adam = {};
  Loss loss = Loss::l2;
  size_t batch = 32;
  uint64_t steps = 10000;  ///< of the whole run: what the schedule is relative to
};

/// Features of the rows to predict, one row each; what the program does not read may be empty.
struct ForwardInputs {
  size_t rows = 0;
  MatrixView<const float> query, anchor, delta, anchor_output;
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual size_t replicas() const = 0;
  virtual const Program& program() const = 0;

  /// Runs steps first ... first + count - 1 on every replica; returns each replica's mean loss over them.
  virtual std::vector<double> train(const PairSource& source, const TrainOptions& options, uint64_t first,
                                    uint64_t count, Pool& pool) = 0;

  /// Predictions of one replica, out.rows() == inputs.rows.
  virtual void forward(size_t replica, const ForwardInputs& inputs, MatrixView<float> out) const = 0;

  /// Parameters in the order of Program::parameters().
  virtual std::vector<float> read(size_t replica) const = 0;
  virtual void write(size_t replica, const std::vector<float>& parameters) = 0;
};

/// Starting parameters by each dense op's `init`.
std::vector<float> initial_parameters(const Program& program, uint64_t seed);

/// One replica per seed; the seed starts the parameters and names the pairs of every step.
std::unique_ptr<Engine> make_cpu_engine(const Program& program, const std::vector<uint64_t>& seeds);
/// The same with these parameters to start from, one set per seed.
std::unique_ptr<Engine> make_cpu_engine(const Program& program, const std::vector<uint64_t>& seeds,
                                        const std::vector<std::vector<float>>& parameters);

}  // namespace kedge
