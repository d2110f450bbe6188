#pragma once

// Thinning: the fewest points, in pixels, that draw the same picture.
//
// A line keeps the first, lowest, highest and last point of every stretch that stays in one pixel column, so
// a peak of a single sample survives. A scatter keeps one point per cell of two pixels once it is large; its
// corners move by less than a dot's own size. A path, which may turn back, keeps its corners: what is left
// out lies within a tolerance of the straight line between the points kept.

#include <cstddef>
#include <vector>

namespace kedge {

struct PixelPoint {
  double x = 0;
  double y = 0;
  bool operator==(const PixelPoint&) const = default;
};

/// Thins one unbroken line. A line that jumps between columns at every step is returned whole.
std::vector<PixelPoint> thin_line(const std::vector<PixelPoint>& points);

/// Thins one unbroken path to at most `most` points, at least 2, with its first and last. The tolerance is a
/// quarter of a pixel, doubled for as long as too many points are left.
std::vector<PixelPoint> thin_path(const std::vector<PixelPoint>& points, size_t most = 3000);

/// Thins a scatter of more than `keep` points; smaller ones are returned whole.
std::vector<PixelPoint> thin_scatter(const std::vector<PixelPoint>& points, size_t keep = 2000);
/// The places in `points` of those that thin_scatter keeps, rising.
std::vector<size_t> thin_scatter_places(const std::vector<PixelPoint>& points, size_t keep = 2000);

}  // namespace kedge
