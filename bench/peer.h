#pragma once

// The peers of a measurement, each run as a process of its own by the Python of build/peers, or by the one
// that the variable KEDGE_PEER_PYTHON names.

#include <optional>
#include <string>
#include <vector>

namespace kedge {

struct PeerCase {
  int width = 0, layers = 0;
  std::vector<double> losses;
  double eager_us = 0, fused_us = 0;  ///< per step; zero in the stored losses
};

struct PeerRun {
  std::string torch;  ///< its version
  std::vector<PeerCase> cases;

  /// Throws Error when there is none.
  const PeerCase& of_width(int width) const;
};

/// What `call`, a program of bench/peers with its arguments, prints. Nothing when build/peers is not there.
/// Throws Error when it is and fails.
std::optional<std::string> peer_output(const std::string& call);

/// PyTorch's side: bench/peers/torch_step.py.
std::optional<PeerRun> run_peer();

/// The losses in bench/peers/losses.json, for machines without PyTorch.
PeerRun stored_peer();

}  // namespace kedge
