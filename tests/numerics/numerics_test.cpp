// Holds this program to the bits that it is known to find: a change that alters one of them is a new numerics
// version. Run once for each instruction set that KEDGE_INSTRUCTIONS can name.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

#include "kedge/jobs/build.h"
#include "kedge/jobs/numerics.h"
#include "kedge/kernels/kernels.h"
#include "kedge/nn/engine.h"
#include "tests/nn/op_cases.h"
#include "tests/numerics/cases.h"

namespace kedge {
namespace {

/// Whether this processor has the instruction set that is asked for.
bool can_run() {
  const char* asked = std::getenv("KEDGE_INSTRUCTIONS");
  const KernelTables found = runnable_kernels();
  return asked == nullptr || std::any_of(found.tables, found.tables + found.count, [&](const Kernels* table) {
           return std::string(asked) == table->name;
         });
}

TEST(NumericsBits, are_those_of_the_committed_list) {
  if (!can_run()) GTEST_SKIP() << "this processor has no " << std::getenv("KEDGE_INSTRUCTIONS");
  const EngineMaker cpu = [](const Program& program, const std::vector<std::vector<float>>& parameters) {
    return make_engine(program, parameters);
  };
  BitList found;
  add_parts(found);
  add_trainings(found, cpu, 20);
  for (int width : {7, 40}) add_trained_models(found, cpu, width, 15);
  add_fits(found);
  add_trials(found);
  add_domains(found);
  add_jobs(found);
  expect_committed({.made_by = build().compiler + ", " + build().instructions,
                    .version_name = "numerics_version",
                    .version = numerics_version},
                   found);
}

TEST(NumericsBits, are_there_of_every_op_and_activation) {
  std::set<OpKind> kinds;
  std::set<Activation> activations;
  for (const OpCase& op : op_cases) {
    const Program program = between_dense_ops(op, Readers::the_op_alone);
    for (const Op& one : program.ops()) {
      kinds.insert(one.kind);
      if (one.kind == OpKind::dense) activations.insert(one.activation);
    }
  }
  EXPECT_EQ(kinds.size(), static_cast<size_t>(OpKind::quadratic) + 1);
  EXPECT_EQ(activations.size(), static_cast<size_t>(Activation::sin_pi) + 1);
}

}  // namespace
}  // namespace kedge
