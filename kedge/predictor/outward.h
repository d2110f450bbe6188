#pragma once

// Outward: what becomes of answers near the ends of the training outputs.
//
// Whoever averages is drawn to the middle: a row whose output is larger than any seen is mostly answered by
// something smaller. Rehearsals that hold out the largest or the smallest outputs (kedge/trials/tuning.h)
// tell how much. Two things may be done about it, for each output and at either end:
//
//   anchors   another rule answers there, such as the rows nearest to the query, which average less
//   stretch   what lies past a quantile of the training outputs is moved on, in proportion
//
// Both begin at the quantile `from` (at the low end 1 - from); a rule takes over by and by, wholly at three
// quarters of the way from there to 1. Law: for each output the stretch is a rising function of the answer
// alone, and answers between the two quantiles stay as they are.
//
// Quantiles and distances are those of canonical outputs, see OutputSpace.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kedge/anchors/anchors.h"
#include "kedge/core/matrix.h"
#include "kedge/coverage/departure.h"
#include "kedge/space/output_space.h"

namespace kedge {

struct Outward {
  double from = 0.6;                          ///< a quantile, in [0.5, 1)
  double low = 0, high = 0;                   ///< how much farther past it, at either end; 0: not at all
  std::optional<AnchorOptions> anchors = {};  ///< the rule at the ends; nothing: the same as elsewhere

  bool is_none() const { return low == 0 && high == 0 && !anchors; }
  static constexpr double most_stretch = 10;
};

/// "from=0.6,low=0.5,high=1,anchors=near=20"; parts that change nothing are left out. Empty when nothing is
/// done.
std::string to_text(const Outward& outward);
/// Reads that. Throws Error.
Outward parse_outward(const std::string& text);

/// Where the training outputs end, one output.
struct OutputEnds {
  double least = 0, greatest = 0;          ///< of all
  double low = 0, high = 0;                ///< where `from` begins
  double wholly_low = 0, wholly_high = 0;  ///< where the other rule has taken over
  double deviation = 1;                    ///< 1 where nothing varies

  /// How far a number lies beyond all training outputs, in deviations; 0 among them.
  double excess(double canonical) const;
  /// The part of the other rule in the answer, where the rules say `a` and `b`.
  double end_share(double a, double b) const;
  double stretched(double canonical, const Outward& outward) const;
};

/// The ends of all training outputs.
class OutputRange {
 public:
  OutputRange() = default;
  /// Of outputs as the table has them.
  OutputRange(MatrixView<const double> outputs, OutputSpace space, const Outward& outward);

  const std::vector<OutputEnds>& ends() const { return ends_; }

  /// The nearest end of the training outputs and how far it is, 0 beyond. Of several outputs the nearest.
  struct Gap {
    double amount = 0;
    bool is_high = false;
  };
  Gap gap(std::span<const double> y) const;
  /// The largest excess among these outputs.
  double excess(std::span<const double> y) const;
  /// The outputs that lie beyond all training outputs, and how far.
  std::vector<Departure> departures(std::span<const double> y) const;

  /// Makes `y` and its `spread` those of both rules, where the rule at the ends says `other`.
  void mix(std::span<double> y, double& spread, std::span<const double> other, double other_spread) const;
  void stretch(std::span<double> y, const Outward& outward) const;

 private:
  std::vector<OutputEnds> ends_;
  OutputSpace space_;
};

}  // namespace kedge
