#pragma once

// Trajectories: pictures of what moves through a space of three axes on the way to goals.
//
// A TrajectoryFrame says what a picture holds beside the paths: where goals are, where those of training and
// those beyond lie, what the axes are called. One frame serves the views from the top and from the side, so
// the pictures of one domain agree. A frame without paths is a picture of the domain alone.

#include <array>
#include <string>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/report/svg.h"

namespace kedge {

/// Paths that belong together, for example the episodes of one method.
struct TrajectorySet {
  std::string name{};
  std::vector<Matrix<double>> paths{};  ///< each [steps, 3], steps equal times apart
  std::string color{};                  ///< as in Series
};

/// A box of goals.
struct GoalRegion {
  std::string name{};
  std::array<double, 3> low{}, high{};
  BoxStyle style = BoxStyle::outline;
};

/// Places of goals.
struct GoalSet {
  std::string name{};
  Matrix<double> places{};                   ///< [goals, 3]
  SeriesStyle style = SeriesStyle::crosses;  ///< crosses or points
  std::string color = "currentColor";        ///< as in Series
};

struct TrajectoryFrame {
  std::string title{};
  std::array<std::string, 3> axes = {"x", "y", "z"};  ///< with their units
  std::vector<GoalRegion> regions{};
  std::vector<GoalSet> goals{};
  size_t most_paths = 25;  ///< of a set; further paths are left out
  double seconds = 0;      ///< in which a dot runs along each path; 0: nothing moves
  int width = 460;
  int height = 420;  ///< at most: one unit has one length on all axes
};

/// The first axis to the right, the second upwards. Throws Error on a path or goals without three columns.
Chart top_view(const std::vector<TrajectorySet>& sets, const TrajectoryFrame& frame);
/// The first axis to the right, the third upwards. Throws like top_view.
Chart side_view(const std::vector<TrajectorySet>& sets, const TrajectoryFrame& frame);

/// One error for each goal, `goals` [errors, 3], as a colour at the goal's place seen from the top.
struct ErrorMap {
  Matrix<double> goals{};
  std::vector<double> errors{};
  ColorScale colors = {.label = "error", .steps = ScaleSteps::logarithmic};
};

/// The map with the frame's regions. Throws like top_view, and when goals and errors differ in number.
Chart error_map(const ErrorMap& map, const TrajectoryFrame& frame);

}  // namespace kedge
