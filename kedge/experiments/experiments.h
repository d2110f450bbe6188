#pragma once

// The experiments, one function each; experiment.cpp lists them.

#include "kedge/experiments/experiment.h"

namespace kedge {

Experiment fig_plane_experiment();
Experiment fig_problems_experiment();
Experiment fig_range_experiment();
Experiment fig_equivariant_experiment();
Experiment fig_beyond_equivariance_experiment();
Experiment table_scaled_experiment();
Experiment table_se3_experiment();
Experiment table_weighted_experiment();
Experiment table_text_experiment();
Experiment table_sizes_experiment();
Experiment table_fourier_experiment();
Experiment table_seeds_experiment();
Experiment fig_tiles_experiment();
Experiment fig_grasp_experiment();
Experiment fig_pca_experiment();

// The rows of the simulated robots in the paper's tables: files of their own, since they take a simulator.
Experiment table_scaled_robots_experiment();
Experiment table_fourier_robots_experiment();
Experiment table_seeds_robots_experiment();

Experiment fig_domains_experiment();
Experiment fig_heatmap_experiment();
Experiment fig_slider_actions_experiment();
Experiment fig_trajectories_experiment();

/// Ours: fresh goals, and more demonstrations.
Experiment table_robots_experiment();
/// Ours: the slider by its expert.
Experiment table_slider_experiment();

/// Ours: what rank does a function need?
Experiment fig_rank_experiment();

/// Ours: do verdicts and expected errors tell good predictions from bad ones?
Experiment coverage_experiment();

/// Ours: the problems that took no part in any choice.
Experiment fresh_experiment();

}  // namespace kedge
