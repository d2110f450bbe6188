#pragma once

// Column hints: what a table's columns look like to one who has seen many tables, and may not be what their
// owner meant. They are guesses from the numbers alone; nothing is changed by them.

#include <string>
#include <vector>

#include "kedge/space/space.h"
#include "kedge/table/table.h"

namespace kedge {

enum class ColumnLook {
  turn_in_degrees,  ///< an angle that wraps, though it is no angle of the space
  turn_in_radians,
  row_number,  ///< goes up or down by one with every row
  repeats      ///< a linear function of another column: of an earlier input, or of an output
};

struct ColumnHint {
  ColumnLook look = ColumnLook::row_number;
  std::string column;      ///< an input
  std::string other = {};  ///< the column that it repeats
  Role other_role = Role::input;
};

/// Of the inputs, in the order of the table. `space` is that of the inputs.
std::vector<ColumnHint> column_hints(const Table& table, const Space& space);

/// One sentence, without a full stop.
std::string to_text(const ColumnHint& hint);

}  // namespace kedge
