#pragma once

// Which rows of a large table serve as anchors: some thousand that lie spread out over all of them.
//
// A quarter are the outermost rows, as many at either end of each principal axis: queries beyond the table
// are answered from there. The others are taken evenly from an order of all rows in which near rows stand
// together, so that each part of the table has its share. Law: the rows depend on the points and the number
// only.

#include <cstdint>
#include <vector>

#include "kedge/anchors/difference_pool.h"
#include "kedge/core/stop_check.h"

namespace kedge {

/// `count` rows of the pool's points, rising. Empty, which is all of them, where there are no more.
std::vector<uint32_t> spread_rows(const DifferencePool& pool, size_t count);

/// How much farther the nearest differences of the `count` closest anchors are, as a mean, than they would be
/// if every row could serve: 0.03 is 3 % farther. Measured on some rows moved outward by half their distance
/// from the centre. 0 where every row serves.
double anchor_stretch(const DifferencePool& pool, size_t count, int threads,
                      const StopCheck& stop_check = {});

}  // namespace kedge
