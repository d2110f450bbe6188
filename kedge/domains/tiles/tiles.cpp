#include "kedge/domains/tiles/tiles.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/rng.h"

namespace kedge {
namespace {

constexpr size_t places = tile_cells * tile_cells;

/// Where a coordinate falls: in the tile shifted by `tile` times tile_shift, and there in which cell.
struct Spot {
  int tile;
  size_t cell;
};

Spot spot_of(double x) {
  for (const int tile : {-1, 0, 1}) {
    const double inside = x - tile_low - tile * tile_shift;
    if (!(inside >= 0 && inside <= tile_side)) continue;  // written so that NaN is in no tile
    const auto cell = static_cast<size_t>(inside / tile_side * static_cast<double>(tile_cells));
    return {tile, std::min(cell, tile_cells - 1)};
  }
  throw Error("tiles", fmt::format("coordinates in [-5, -1], [1, 5] or [7, 11] are needed; found {}", x));
}

double centre(const Spot& spot) {
  const double cell = tile_side / static_cast<double>(tile_cells);
  return tile_low + spot.tile * tile_shift + (static_cast<double>(spot.cell) + 0.5) * cell;
}

std::array<double, 2> values_at(const Spot& first, const Spot& second, uint64_t seed) {
  Rng rng(seed, Stream::tiles, first.cell * tile_cells + second.cell);
  const double y1 = rng.uniform(-1, 1), y2 = rng.uniform(-1, 1);
  return {second.tile == 0 ? y1 : -y1, first.tile == 0 ? y2 : -y2};
}

std::vector<std::pair<Spot, Spot>> points_of(Split split) {
  std::vector<std::pair<Spot, Spot>> points;
  for (const int first : {-1, 0, 1})
    for (const int second : {-1, 0, 1})
      if ((first != 0 && second != 0) == (split == Split::oos))
        for (size_t place = 0; place < places; ++place)
          points.emplace_back(Spot{first, place / tile_cells}, Spot{second, place % tile_cells});
  return points;
}

Table sample(Split split, size_t rows, uint64_t seed) {
  // Steps below `places` belong to the values.
  Rng rng(seed, Stream::tiles, places + static_cast<uint64_t>(split));
  std::vector<std::pair<Spot, Spot>> points = points_of(split);
  Column x1{.name = "x1", .role = Role::input, .values = {}, .words = {}};
  Column x2{.name = "x2", .role = Role::input, .values = {}, .words = {}};
  Column y1{.name = "y1", .role = Role::output, .values = {}, .words = {}};
  Column y2{.name = "y2", .role = Role::output, .values = {}, .words = {}};
  Column place{.name = "place", .role = Role::label, .values = {}, .words = {}};
  for (size_t row = 0; row < rows; ++row) {
    const size_t taken = row % points.size();
    std::swap(points[taken], points[taken + rng.below(points.size() - taken)]);
    const auto& [first, second] = points[taken];
    const std::array<double, 2> y = values_at(first, second, seed);
    x1.values.push_back(centre(first));
    x2.values.push_back(centre(second));
    y1.values.push_back(y[0]);
    y2.values.push_back(y[1]);
    place.values.push_back(static_cast<double>(first.cell * tile_cells + second.cell));
  }
  Table table("tiles");
  for (Column* column : {&x1, &x2, &y1, &y2, &place}) table.add(std::move(*column));
  return table;
}

}  // namespace

std::array<double, 2> tile_values(double x1, double x2, uint64_t seed) {
  return values_at(spot_of(x1), spot_of(x2), seed);
}

Domain tiles_domain() {
  return {.name = "tiles",
          .title = "A tile of random values, shifted and partly negated: few pairs are related.",
          .source = "figure 10, appendix C.2",
          .sample = sample,
          .fourier_in_paper = true};
}

}  // namespace kedge
