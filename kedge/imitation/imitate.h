#pragma once

// imitate: from demonstrations to policies.
//
// Pairs are two demonstrations at the same time step. Each demonstration counts alike, and so does each step.
//
// Laws: a policy depends on its request only, not on the number of threads, nor on the policies beside it.

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "kedge/demonstrations/demonstrations.h"
#include "kedge/imitation/policy.h"
#include "kedge/predictor/fit.h"

namespace kedge {

/// What is learned. The demonstrations must outlive the call.
struct ImitationRequest {
  const Demonstrations& demonstrations;
  PolicyOptions options = policy_options("default", "bilinear");
};

struct ImitationResult {
  Policy policy;
  TrainOutcome outcome;                                ///< over all replicas, as FitResult::outcome
  std::optional<TrainingErrors> training_errors = {};  ///< as FitResult::training_errors
  bool calibration_stopped = false;                    ///< as FitResult::calibration_stopped
  std::optional<UsedDevice> trained_on = {};           ///< as FitResult::trained_on
};

struct ImitationAttempt {
  std::optional<ImitationResult> result = {};
  std::optional<Error> error = {};
};

/// Throws Error when it cannot be learned: fewer than two demonstrations, lengths that differ, options out of
/// range.
void require_imitable(const ImitationRequest& request);

/// Steps that progress counts.
uint64_t imitation_steps(const ImitationRequest& request);

/// What the network of a policy is fitted on: a row for each step of each demonstration.
struct PolicyRows {
  Table table;
  FitOptions options;
};

/// For who fits networks beside others of his own. Nothing for a policy without a network. Throws Error as
/// require_imitable.
std::optional<PolicyRows> policy_rows(const ImitationRequest& request);

/// The policy whose network was fitted on its `policy_rows`; null where it has none. Law: it is the one that
/// `imitate` learns without errors to expect, bit for bit.
Policy policy_of(const ImitationRequest& request, std::shared_ptr<const Predictor> network);

/// Several side by side, without the errors to expect. Those of one program are trained as one fleet.
std::vector<ImitationAttempt> fit_policies(std::span<const ImitationRequest> requests,
                                           const RunOptions& run = {});

/// Learns the errors to expect too, where `options.fit.calibration` says so.
ImitationResult imitate(const ImitationRequest& request, const RunOptions& run = {});

/// Several side by side, in the order of the requests; one that fails does not end the others.
std::vector<ImitationAttempt> imitate_all(std::span<const ImitationRequest> requests,
                                          const RunOptions& run = {});

}  // namespace kedge
